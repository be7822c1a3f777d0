#include "annals/event.hpp"

#include <array>
#include <cstddef>

namespace annals {

namespace {

/// In the order of the enumerators.
constexpr std::array<std::string_view, 4> actor_kinds = {"user", "agent", "app", "system"};

}  // namespace

std::string_view to_string(ActorKind kind) noexcept {
  return actor_kinds[static_cast<std::size_t>(kind)];
}

std::optional<ActorKind> parse_actor_kind(std::string_view text) noexcept {
  for (std::size_t i = 0; i < actor_kinds.size(); ++i) {
    if (actor_kinds[i] == text) return static_cast<ActorKind>(i);
  }
  return std::nullopt;
}

}  // namespace annals
