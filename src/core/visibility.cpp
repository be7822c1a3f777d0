#include "core/visibility.hpp"

#include <algorithm>
#include <string_view>

#include "core/validate_names.hpp"

namespace annals::core {
namespace {

bool in_area(const ReadGrant& grant, const Reader& reader, const Header& header) noexcept {
  switch (grant.area) {
    case ReadArea::all:
      return true;
    case ReadArea::own:
      return header.key_id == reader.key_id;
    case ReadArea::space:
      return header.scope.space_id == grant.value;
    case ReadArea::channel:
      return header.scope.channel_id == grant.value;
    case ReadArea::stream:
      return header.stream && header.stream->starts_with(grant.value);
    case ReadArea::type:
      return matches_type_pattern(grant.value, header.type);
  }
  return false;
}

/// True when the action is satisfied; whom the event is for is another question.
bool granted(const Reader& reader, const Header& header) noexcept {
  constexpr std::string_view audience_action = "self";
  if (header.receive_action == audience_action) return header.is_private;
  return std::ranges::any_of(reader.grants, [&](const ReadGrant& grant) {
    return grant.actions.contains(header.receive_action) && in_area(grant, reader, header);
  });
}

bool is_for(const Reader& reader, const std::optional<std::string>& audience) noexcept {
  return reader.principal && audience && *reader.principal == *audience;
}

}  // namespace

bool sees(const Reader& reader, const Header& header,
          const std::optional<std::string>& audience) noexcept {
  if (reads_all(reader.grants)) return true;
  return granted(reader, header) && (!header.is_private || is_for(reader, audience));
}

bool sees(const Reader& reader, const Record& record) {
  const Header& header = record.header;
  if (reads_all(reader.grants)) return true;
  if (!granted(reader, header)) return false;
  if (!header.is_private) return true;
  if (!reader.principal) return false;
  const auto meta = meta_of(record);
  return meta && is_for(reader, meta->audience);
}

}  // namespace annals::core
