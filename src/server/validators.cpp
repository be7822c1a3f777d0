#include "server/validators.hpp"

#include <algorithm>
#include <utility>

#include "annals/digest.hpp"
#include "core/hash.hpp"
#include "wire/text.hpp"

namespace annals::server {

namespace {

constexpr std::size_t tag_hex_digits = 32;

/// What of a record can change, and who sees it.
void append_state(std::string& out, const Record& record) {
  out.append(record.row_hash.begin(), record.row_hash.end());
  out += record.meta ? 'm' : '-';
  out += record.payload ? 'p' : '-';
}

std::string quoted(std::string_view bytes) {
  return '"' + to_hex(core::blake3(bytes)).substr(0, tag_hex_digits) + '"';
}

std::string_view opaque(std::string_view tag) {
  while (!tag.empty() && (tag.front() == ' ' || tag.front() == '\t'))
    tag.remove_prefix(1);
  while (!tag.empty() && (tag.back() == ' ' || tag.back() == '\t'))
    tag.remove_suffix(1);
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

}  // namespace

std::string event_tag(const Record& record, wire::Rendering rendering, std::string_view form) {
  std::string bytes{form};
  bytes += rendering == wire::Rendering::privileged ? '+' : '-';
  append_state(bytes, record);
  return quoted(bytes);
}

std::string page_tag(std::span<const Record> records, wire::Rendering rendering,
                     std::string_view form, const wire::PageEnd& end) {
  if (end.next_after >= end.head) return {};
  std::string bytes{form};
  bytes += rendering == wire::Rendering::privileged ? '+' : '-';
  wire::append_number(bytes, end.next_after);
  bytes += ' ';
  wire::append_number(bytes, end.next_before.value_or(0));
  for (const Record& record : records)
    append_state(bytes, record);
  return "W/" + quoted(bytes);
}

bool not_modified(std::string_view if_none_match, std::string_view tag) {
  if (tag.empty()) return false;
  while (!if_none_match.empty()) {
    // Our tags hold no comma, so that splitting others' tags at one does no harm.
    const std::string_view given = if_none_match.substr(0, if_none_match.find(','));
    if_none_match.remove_prefix(std::min(if_none_match.size(), given.size() + 1));
    const std::string_view one = opaque(given);
    if (one == "*" || one == opaque(tag)) return true;
  }
  return false;
}

void add_validator(Response& response, std::string tag) {
  if (tag.empty()) return;
  response.fields.push_back({"ETag", std::move(tag)});
  response.fields.push_back({"Cache-Control", "private, no-cache"});
  response.fields.push_back({"Vary", "Accept"});
}

Response unchanged(std::string tag) {
  Response response;
  response.status = 304;
  response.content_type.clear();
  add_validator(response, std::move(tag));
  return response;
}

}  // namespace annals::server
