#include "annals/key.hpp"

namespace annals {

std::string_view to_string(ReadGrant grant) noexcept {
  switch (grant) {
    case ReadGrant::none:
      return "none";
    case ReadGrant::own:
      return "own";
    case ReadGrant::all:
      return "all";
  }
  return {};
}

std::optional<ReadGrant> parse_read_grant(std::string_view text) noexcept {
  for (const auto grant : {ReadGrant::none, ReadGrant::own, ReadGrant::all}) {
    if (text == to_string(grant)) return grant;
  }
  return std::nullopt;
}

}  // namespace annals
