#include "log/verify/records.hpp"

#include <charconv>
#include <optional>
#include <string>

#include "annals/record.hpp"
#include "core/json.hpp"

namespace annals::log {

namespace {

std::optional<std::uint64_t> read_counter(core::json::Reader& reader) {
  std::string_view text;
  if (!reader.read_number(text)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || value > max_seq) return std::nullopt;
  return value;
}

std::optional<std::string> read_text(core::json::Reader& reader) {
  std::string text;
  if (!reader.read_string(text)) return std::nullopt;
  return text;
}

bool skip(core::json::Reader& reader) {
  std::string_view raw;
  return reader.read_raw(raw);
}

std::optional<RedactionTarget> read_target(core::json::Reader& reader) {
  RedactionTarget target;
  bool has_part = false;
  bool has_digest = false;
  std::string name;
  if (!reader.begin_object()) return std::nullopt;
  while (reader.next_member(name)) {
    if (name == "seq") {
      target.seq = read_counter(reader).value_or(0);
    } else if (name == "part") {
      const auto part = read_text(reader);
      has_part = part == "payload" || part == "meta";
      target.part = part == "meta" ? PartKind::meta : PartKind::payload;
    } else if (name == "digest") {
      const auto text = read_text(reader);
      const auto digest = text ? parse_digest(*text) : std::nullopt;
      has_digest = digest.has_value();
      target.digest = digest.value_or(Digest{});
    } else if (!skip(reader)) {
      return std::nullopt;
    }
  }
  if (reader.problem() || target.seq == 0 || !has_part || !has_digest) return std::nullopt;
  return target;
}

std::optional<SkippedNumbers> read_skipped(core::json::Reader& reader) {
  SkippedNumbers skipped;
  std::string name;
  if (!reader.begin_object()) return std::nullopt;
  while (reader.next_member(name)) {
    if (name == "from") {
      skipped.from = read_counter(reader).value_or(0);
    } else if (name == "to") {
      skipped.to = read_counter(reader).value_or(0);
    } else if (!skip(reader)) {
      return std::nullopt;
    }
  }
  if (reader.problem() || skipped.from == 0 || skipped.to < skipped.from) return std::nullopt;
  return skipped;
}

/// Reads the array `member` of an object with `read_item`, which gives `nullopt` for anything that
/// is not an item.
template <typename Item, typename ReadItem>
Result<std::vector<Item>> read_list(std::string_view payload, std::string_view member,
                                    bool required, ReadItem read_item) {
  const auto malformed = [member] {
    return fail(ErrorCode::store_corrupt,
                "a record of the log has no well-formed member " + std::string(member));
  };
  core::json::Reader reader(payload);
  std::vector<Item> items;
  bool found = false;
  std::string name;
  if (!reader.begin_object()) return malformed();
  while (reader.next_member(name)) {
    if (name != member) {
      if (!skip(reader)) return malformed();
      continue;
    }
    found = true;
    if (!reader.begin_array()) return malformed();
    while (reader.next_element()) {
      const auto item = read_item(reader);
      if (!item) return malformed();
      items.push_back(*item);
    }
  }
  if (reader.problem() || !reader.finish() || (required && !found)) return malformed();
  return items;
}

}  // namespace

Result<std::vector<RedactionTarget>> parse_redaction(std::string_view payload) {
  return read_list<RedactionTarget>(payload, "targets", true, read_target);
}

Result<std::vector<SkippedNumbers>> parse_gaps(std::string_view payload) {
  return read_list<SkippedNumbers>(payload, "gaps", false, read_skipped);
}

}  // namespace annals::log
