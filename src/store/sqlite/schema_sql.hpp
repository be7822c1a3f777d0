#pragma once

#include <array>

namespace annals::store::sqlite {

/// The schema, version 1. ADR 0003 explains it.
extern const std::array<const char*, 3> schema_sql;

}  // namespace annals::store::sqlite
