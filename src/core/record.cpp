#include "annals/record.hpp"

#include "core/canonical.hpp"

namespace annals {

std::string_view payload_of(const Record& record) noexcept {
  return record.payload ? std::string_view(record.payload->bytes) : std::string_view("{}");
}

Result<Meta> meta_of(const Record& record) {
  if (!record.meta) return Meta{};
  return core::parse_meta(record.meta->bytes);
}

}  // namespace annals
