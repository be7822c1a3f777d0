#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "annals/read.hpp"

namespace annals::log {

/// How a page continues what was read before it. Plain value.
struct Contiguity {
  std::uint64_t end = 0;                 ///< Up to here everything was read or explained.
  std::uint64_t holes = 0;               ///< Explained holes.
  std::uint64_t numbers = 0;             ///< Numbers in them.
  std::optional<std::uint64_t> missing;  ///< The first number that nothing explains.
};

/// Compares a forward page, read after `head`, with the rule that every batch continues `head + 1`.
/// Numbers below the page's `oldest` and numbers in recorded gaps (`gaps`, by `from`) are explained
/// holes. A page may end before its limit and before the log's head, but not be empty then. Pure.
[[nodiscard]] Contiguity check_contiguity(std::uint64_t head, const Page& page,
                                          std::span<const Gap> gaps);

}  // namespace annals::log
