#include "annals/uuid.hpp"

#include <span>

#include "core/text_forms.hpp"

namespace annals {

std::string to_string(const Uuid& uuid) {
  std::string text;
  core::append_uuid(text, uuid);
  return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  std::size_t byte = 0;
  std::size_t at = 0;
  for (const std::size_t group : {4, 2, 2, 2, 6}) {
    if (at != 0 && text[at++] != '-') return std::nullopt;
    const auto bytes = std::span(uuid.bytes).subspan(byte, group);
    if (!core::parse_hex(text.substr(at, 2 * group), bytes)) return std::nullopt;
    byte += group;
    at += 2 * group;
  }
  return uuid;
}

}  // namespace annals
