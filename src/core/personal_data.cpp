#include "core/personal_data.hpp"

#include <algorithm>

namespace annals::core {

namespace {

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_name(char c) noexcept {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '+';
}

/// `host.example`: labels with a dot between them, two letters after the last one.
bool begins_with_host(std::string_view text) noexcept {
  const auto* const end =
      std::ranges::find_if_not(text, [](char c) { return is_name(c) || c == '.'; });
  std::string_view host = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  while (host.ends_with('.'))
    host.remove_suffix(1);
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string_view top = host.substr(dot + 1);
  return top.size() >= 2 && std::ranges::all_of(top, is_letter);
}

}  // namespace

bool looks_like_mail_address(std::string_view text) noexcept {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    if (at > 0 && is_name(text[at - 1]) && begins_with_host(text.substr(at + 1))) return true;
  }
  return false;
}

std::vector<std::string> personal_header_members(const std::optional<std::string>& source,
                                                 const std::optional<std::string>& stream,
                                                 const Scope& scope, const Resource& resource) {
  std::vector<std::string> pointers;
  const auto look = [&](const std::optional<std::string>& member, const char* pointer) {
    if (member && looks_like_mail_address(*member)) pointers.emplace_back(pointer);
  };
  look(source, "/source");
  look(stream, "/stream");
  look(scope.space_id, "/scope/space_id");
  look(scope.channel_id, "/scope/channel_id");
  look(scope.thread_id, "/scope/thread_id");
  look(resource.kind, "/resource/kind");
  look(resource.id, "/resource/id");
  return pointers;
}

}  // namespace annals::core
