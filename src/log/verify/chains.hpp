#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "annals/result.hpp"
#include "log/chain_check.hpp"
#include "log/ports/store.hpp"
#include "log/verify/facts.hpp"
#include "log/verify/findings.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// The ends of the streams seen so far. Used on one thread.
class ChainTable {
 public:
  /// The end of a stream, or null.
  [[nodiscard]] const ChainEnd* find(std::string_view stream) const;

  void set(const std::string& stream, const ChainEnd& end);

  /// Calls `visit(stream, end)` for every stream, in no order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [stream, end] : ends_)
      visit(stream, end);
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// Bytes in memory, estimated from above.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, ChainEnd, Hash, std::equal_to<>> ends_;
  std::size_t bytes_ = 0;
};

/// Checks every chained row of one partition: faults of its own, its link, and at the end the last
/// event of each stream against the stream's head. Fed in order; used on one thread. The references
/// must outlive this.
class ChainsCheck {
 public:
  ChainsCheck(EventReader& reader, const LogFacts& facts, SeqRange whole, Partition partition,
              const UnreadableNumbers& unreadable, Findings& findings)
      : reader_(reader),
        facts_(facts),
        whole_(whole),
        partition_(partition),
        unreadable_(unreadable),
        findings_(findings) {}

  /// True when nothing is wrong with the row and its link.
  bool on_row(const CheckedRow& row);

  /// Compares with the stream heads. Only for a range that ends at the head; streams without a row
  /// are looked for when it also begins at the oldest.
  void finish();

  /// The same for the stream of `head` alone.
  void finish_stream(const StreamHead& head);

  [[nodiscard]] const ChainTable& table() const noexcept { return table_; }

 private:
  bool check_link_of(const CheckedRow& row);
  [[nodiscard]] std::optional<ChainEnd> start_of(const CheckedRow& row, bool& unanchored) const;
  void check_head(const StreamHead& head);
  void check_unseen(const StreamHead& head);
  void check_grown(const StreamHead& head, const ChainEnd& end);
  [[nodiscard]] bool excused(std::uint64_t after, std::uint64_t before) const;
  void check_headless(const std::string& stream, const ChainEnd& end);

  EventReader& reader_;
  const LogFacts& facts_;
  SeqRange whole_;
  Partition partition_;
  const UnreadableNumbers& unreadable_;
  Findings& findings_;
  ChainTable table_;
};

}  // namespace annals::log
