#pragma once

#include <span>
#include <string>
#include <string_view>

namespace annals::server {

/// A named JSON Schema of the interface.
struct Schema {
  std::string_view name;
  std::string_view json;  ///< One JSON object.
};

/// Every schema that a route names, and those that these refer to. Constant.
[[nodiscard]] std::span<const Schema> schemas() noexcept;

/// The route table as an OpenAPI 3.1 document, one line of JSON. `version` is that of the program.
/// Pure.
[[nodiscard]] std::string openapi_document(std::string_view version);

}  // namespace annals::server
