#include "core/cursor.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "annals/record.hpp"

namespace annals::core {
namespace {

constexpr std::size_t max_digits = 16;

std::unexpected<Error> resync(std::string detail, Resync details) {
  return std::unexpected(
      Error{ErrorCode::resync_required, std::move(detail), std::move(details), std::nullopt});
}

}  // namespace

Result<std::uint64_t> parse_cursor(std::string_view text) {
  const bool digits = !text.empty() && text.size() <= max_digits &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const bool canonical = digits && (text.size() == 1 || text.front() != '0');
  std::uint64_t value = 0;
  if (canonical) std::from_chars(text.data(), text.data() + text.size(), value);
  if (!canonical || value > max_seq) {
    return fail(ErrorCode::invalid_cursor,
                "A cursor is a whole number from 0 to " + std::to_string(max_seq) +
                    ", in decimal digits without sign, spaces or leading zeros");
  }
  return value;
}

Result<void> check_cursor(std::uint64_t after, std::uint64_t oldest, std::uint64_t head) {
  if (after > head) {
    return resync("The cursor is ahead of the log, whose head is " + std::to_string(head),
                  {.reason = "ahead", .oldest = oldest, .head = head});
  }
  if (after + 1 < oldest) {
    return resync("Events " + std::to_string(after + 1) + " to " + std::to_string(oldest - 1) +
                      " are no longer kept",
                  {.reason = "expired",
                   .oldest = oldest,
                   .head = head,
                   .lost_from = after + 1,
                   .lost_to = oldest - 1});
  }
  return {};
}

}  // namespace annals::core
