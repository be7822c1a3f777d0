#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "annals/verify.hpp"
#include "log/chain_check.hpp"

namespace annals::log {

/// Collects findings up to a limit and counts all of them. At least one that is proven and one that
/// could not be verified are listed when there are such, so that a full list still tells both. Used
/// on one thread.
class Findings {
 public:
  /// `limit` below 2 counts as 2.
  explicit Findings(std::size_t limit);

  void add(Finding finding);

  /// Takes over what another collector holds.
  void merge(Findings&& other);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// The listed findings by seq, verdict and detail; those that concern no single event come last.
  [[nodiscard]] std::vector<Finding> take();

 private:
  std::size_t limit_;
  std::uint64_t count_ = 0;
  bool has_could_not_verify_ = false;
  bool has_proven_ = false;
  std::vector<Finding> listed_;
};

/// The place of an event; `stream` is empty for an unchained one.
struct Place {
  std::string_view stream;
  std::uint64_t seq = 0;
};

[[nodiscard]] Finding tampered(std::string what, Place place, Mismatch mismatch);
[[nodiscard]] Finding state_mismatch(std::string what, Mismatch mismatch);
[[nodiscard]] Finding could_not_verify(std::string what, Place place, Mismatch mismatch = {});

/// A mismatch of two numbers.
[[nodiscard]] Mismatch numbers(std::uint64_t expected, std::uint64_t actual);

/// A mismatch of two hashes.
[[nodiscard]] Mismatch hashes(const Digest& expected, const Digest& actual);

/// Adds what is wrong with one record by itself.
void add_record_fault(Findings& findings, Place place, const RecordFault& fault);

/// Adds a link that is not `ok`. `end` as given to `check_link`.
void add_link_fault(Findings& findings, Place place, LinkVerdict verdict, const ChainEnd* end,
                    const Link& link);

/// True when `fault` vanishes with the previous hash that the chain says: then `prev_hash` alone
/// was changed, and the link finding tells it.
[[nodiscard]] bool only_link_changed(const RecordFault& fault, const ChainEnd* end,
                                     const Digest& row_hash);

}  // namespace annals::log
