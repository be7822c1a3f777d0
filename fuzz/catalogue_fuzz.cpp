// Any bytes as a catalogue document and, behind a NUL, a payload for its types. No crash and no
// hang; what is accepted is stable and can be applied; violations name a place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/catalogue.hpp"
#include "core/json.hpp"

namespace {

using annals::ErrorCode;
using annals::Violation;
using annals::core::Catalogue;

/// Stops the fuzzer with the input that broke a property.
void require(bool condition) {
  if (!condition) std::abort();
}

void check_payload(const Catalogue& catalogue, std::string_view payload) {
  const auto compact = annals::core::json::compact_payload(payload, annals::NullPolicy::refuse);
  if (!compact) return;
  for (const auto& entry : catalogue.entries()) {
    std::vector<Violation> violations;
    catalogue.check_payload(entry, *compact, 3, violations);
    for (const auto& violation : violations) {
      require(violation.index == 3 && violation.pointer.starts_with("/payload"));
      require(violation.rule.starts_with("schema.") && !violation.message.empty());
    }
  }
}

void check_catalogue(const Catalogue& catalogue) {
  const auto again = Catalogue::parse(catalogue.document());
  require(again && again->document() == catalogue.document());
  require(again->entries().size() == catalogue.entries().size());
  for (const auto& entry : catalogue.entries()) {
    if (!entry.pattern.ends_with(".*")) require(catalogue.find(entry.pattern) == &entry);
    for (const auto& [name, rule] : entry.labels) {
      require(!rule.filter || catalogue.filter(name) != nullptr);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  const auto catalogue = Catalogue::parse(text.substr(0, end));
  if (!catalogue) {
    require(catalogue.error().code == ErrorCode::invalid_request);
    return 0;
  }
  check_catalogue(*catalogue);
  check_payload(*catalogue, "{}");
  if (end != std::string_view::npos) check_payload(*catalogue, text.substr(end + 1));
  return 0;
}
