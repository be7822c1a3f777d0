// Any bytes as a payload. No crash; what is accepted is stable, is what simdjson accepts and keeps,
// and means the same to the pull reader; what is refused names a place inside the text.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace {

using annals::NullPolicy;
using annals::core::json::compact_payload;
using annals::core::json::Problem;
using annals::core::json::Reader;

/// Stops the fuzzer with the input that broke a property.
void require(bool condition) {
  if (!condition) std::abort();
}

void check_place(const Problem& problem, std::string_view text) {
  require(problem.offset <= text.size());
  require(problem.pointer.empty() || problem.pointer.front() == '/');
  require(!problem.rule.empty() && !problem.message.empty());
}

void check_against_simdjson(std::string_view text, const std::string& compact) {
  static simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto error = parser.parse(simdjson::padded_string(text)).get(root);
  // It makes a value of every number; a payload keeps numbers of any size.
  require(error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR);
  std::string minified(text.size(), '\0');
  std::size_t size = 0;
  require(simdjson::minify(text.data(), text.size(), minified.data(), size) == simdjson::SUCCESS);
  require(std::string_view(minified).substr(0, size) == compact);
}

void check_reader(std::string_view text, bool compactor_accepts) {
  Reader reader(text);
  std::string_view raw;
  const bool accepts = reader.read_raw(raw) && reader.finish();
  // The compactor refuses more: nulls, and everything that is no object.
  require(accepts || !compactor_accepts);
  require(accepts == !reader.problem().has_value());
  if (!accepts) check_place(*reader.problem(), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto strict = compact_payload(text, NullPolicy::refuse);
  const auto stripped = compact_payload(text, NullPolicy::strip);
  check_reader(text, strict.has_value());
  if (!strict) check_place(strict.error(), text);
  if (!stripped) {
    check_place(stripped.error(), text);
    require(!strict);
    return 0;
  }
  require(stripped->size() <= size);
  require(compact_payload(*stripped, NullPolicy::refuse) == *stripped);
  if (strict) {
    require(*stripped == *strict);
    check_against_simdjson(text, *strict);
  }
  return 0;
}
