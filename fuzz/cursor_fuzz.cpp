// Any bytes as a cursor, and as lines "name=value" of a filter. No crash; what is accepted is
// within bounds and has one spelling; a filter that was accepted can be applied to records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/canonical.hpp"
#include "core/cursor.hpp"
#include "core/filter.hpp"

namespace {

using annals::ErrorCode;
using annals::Filter;
using annals::Record;
using annals::core::Catalogue;

/// Stops the fuzzer with the input that broke a property.
void require(bool condition) {
  if (!condition) std::abort();
}

void check_cursor(std::string_view text) {
  const auto cursor = annals::core::parse_cursor(text);
  if (!cursor) {
    require(cursor.error().code == ErrorCode::invalid_cursor);
    return;
  }
  require(*cursor <= annals::max_seq && std::to_string(*cursor) == text);
  const auto place = annals::core::check_cursor(*cursor, 10, 1000);
  require(place.has_value() == (*cursor >= 9 && *cursor <= 1000));
}

const Catalogue& catalogue() {
  static const Catalogue parsed = *Catalogue::parse(
      R"({"types":[{"pattern":"a.*","labels":{"status":{"values":["ok"],"filter":true},
                                              "engine":{"filter":true}}}]})");
  return parsed;
}

Record record() {
  Record record;
  record.header.type = "a.b";
  record.header.stream = "s";
  record.header.resource.kind = "event";
  annals::Meta meta;
  meta.actor = annals::Actor{annals::ActorKind::user, "u"};
  meta.labels = {{"status", "ok"}};
  record.meta = annals::Part{annals::core::meta_bytes(meta), {}};
  return record;
}

void check_filter(std::string_view text) {
  Filter filter;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const Filter before = filter;
    const auto set = annals::core::set_filter(filter, line.substr(0, equals),
                                              line.substr(equals + 1), catalogue());
    if (set) {
      require(filter != before);
      // Given again, it is refused.
      require(!annals::core::set_filter(filter, line.substr(0, equals), line.substr(equals + 1),
                                        catalogue()));
    } else {
      require(filter == before);
      require(set.error().code == ErrorCode::invalid_filter ||
              set.error().code == ErrorCode::unknown_parameter);
      require(set.error().detail.size() < 400);
    }
  }
  static const Record subject = record();
  const bool matched = annals::core::matches(filter, subject);
  require(matched || !filter.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_cursor(text);
  check_filter(text);
  return 0;
}
