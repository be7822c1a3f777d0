#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "annals/record.hpp"

namespace annals {

/// What verification found at one place. The names are stable.
struct Finding {
  std::string verdict;    ///< `tampered`, `seq_gap`, `forked`, `truncated_tail`, `missing_stream`,
                          ///< `log_hash_mismatch`, `state_mismatch`, `rolled_back`,
                          ///< `unauthorised_erasure`, `uncorroborated_anchor`, `could_not_verify`.
  std::string what;       ///< For `tampered`: `header`, `meta`, `payload` or `link`; else a detail.
  std::string stream;     ///< Empty when it concerns the log or an unchained event.
  std::uint64_t seq = 0;  ///< 0 when no single event is meant.
  std::string expected;   ///< Hex or number, empty when there is none.
  std::string actual;     ///< What was found instead.

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What is verified. Plain value.
struct VerifyOptions {
  std::optional<std::string> stream;  ///< Only this stream's chain.
  std::uint64_t from = 0;             ///< First seq; 0 = oldest.
  std::uint64_t to = 0;               ///< Last seq; 0 = the head at the start.
  std::optional<Receipt> expect;      ///< A receipt kept elsewhere.
  std::size_t max_findings = 1000;    ///< Counting goes on, listing stops.
};

/// Progress for people: events done and in total.
using VerifyProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// The outcome. `clean()` is the proof; `could_not_verify()` is neither proof nor accusation.
struct VerifyReport {
  std::uint64_t events = 0;         ///< Events looked at.
  std::uint64_t verified = 0;       ///< Header, links and every present part are right.
  std::uint64_t redacted = 0;       ///< Verified, with parts erased under a record.
  std::uint64_t chained = 0;        ///< Events with a stream.
  std::uint64_t unchained = 0;      ///< Events without one.
  std::uint64_t streams = 0;        ///< Streams looked at.
  std::uint64_t head = 0;           ///< The head up to which was verified.
  Digest log_hash{};                ///< The running hash computed at `head`.
  std::uint64_t finding_count = 0;  ///< All findings, listed or not.
  std::vector<Finding> findings;    ///< Up to `max_findings` of them, by place.

  /// Nothing is wrong and everything could be checked.
  [[nodiscard]] bool clean() const noexcept { return finding_count == 0; }
  /// Something could not be read: neither clean nor proven tampered.
  [[nodiscard]] bool could_not_verify() const noexcept {
    for (const auto& finding : findings) {
      if (finding.verdict == "could_not_verify") return true;
    }
    return false;
  }
};

}  // namespace annals
