#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::store::index {

/// Where in a run the events of one key are: ascending distances from the run's first number,
/// packed. Immutable.
class Postings {
 public:
  /// Appends the packed form of ascending, distinct offsets; at least one.
  static void pack(std::string& out, std::span<const std::uint32_t> offsets);

  /// Takes over packed bytes; `nullopt` when they are not what `pack` makes.
  static std::optional<Postings> unpack(std::string bytes);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Packed in so many pieces, each readable alone.
  [[nodiscard]] std::size_t chunks() const noexcept;

  /// The first offset of a chunk.
  [[nodiscard]] std::uint32_t first_of(std::size_t chunk) const noexcept;

  /// The offsets of a chunk, into `out`.
  void read(std::size_t chunk, std::vector<std::uint32_t>& out) const;

  /// All offsets, appended to `out` with `shift` added.
  void append_to(std::vector<std::uint32_t>& out, std::uint32_t shift) const;

 private:
  Postings(std::string bytes, std::size_t size) : bytes_(std::move(bytes)), size_(size) {}

  std::string bytes_;
  std::size_t size_;
  std::size_t table_ = 0;         ///< Where the chunks' table begins; 0: there is one chunk.
  std::size_t rests_ = 0;         ///< Where the rests begin.
  std::uint32_t only_first_ = 0;  ///< The first offset where there is no table.
};

/// Walks postings in either direction, unpacking one chunk at a time. Used on one thread.
class PostingsCursor {
 public:
  explicit PostingsCursor(Postings postings) : postings_(std::move(postings)) {}

  [[nodiscard]] std::size_t size() const noexcept { return postings_.size(); }

  /// The lowest offset >= `offset`.
  std::optional<std::uint32_t> at_or_after(std::uint32_t offset);

  /// The highest offset <= `offset`.
  std::optional<std::uint32_t> at_or_before(std::uint32_t offset);

  /// The offset at a position, 0 to `size() - 1`.
  std::uint32_t at(std::size_t position);

 private:
  /// The last chunk that begins at or before `offset`; the first one when none does.
  [[nodiscard]] std::size_t chunk_of(std::uint32_t offset) const;
  void load(std::size_t chunk);

  Postings postings_;
  std::optional<std::size_t> loaded_;
  std::vector<std::uint32_t> chunk_;
};

}  // namespace annals::store::index
