#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/digest.hpp"
#include "annals/result.hpp"
#include "annals/uuid.hpp"
#include "store/index/facets.hpp"
#include "store/index/postings.hpp"

namespace annals::store::index {

/// Which part of which log a run is about. Plain value.
struct RunInfo {
  Uuid log_id;
  std::uint64_t from = 0;  ///< First number covered.
  std::uint64_t to = 0;    ///< Last number covered, which is an event's.
  Digest last_row_hash{};  ///< Of event `to`: the same log may have been restored differently.

  /// Numbers covered.
  [[nodiscard]] std::uint64_t span() const noexcept { return to - from + 1; }

  friend bool operator==(const RunInfo&, const RunInfo&) = default;
};

/// One file of the index: for every key of a contiguous part of the log, where its events are. The
/// file is immutable and checked block by block when it is read, so that nobody has to sync it:
/// what a power failure made of it is found and the run dropped. Thread-safe.
class Run {
 public:
  /// Most numbers one run may cover: offsets have 32 bits, and postings are unpacked in memory.
  static constexpr std::uint64_t max_span = std::uint64_t{1} << 22U;

  /// Opens and checks what stays in memory: one entry for each 4 KiB. `store_unavailable` when it
  /// cannot be read, `store_corrupt` when it is not a run.
  static Result<std::shared_ptr<const Run>> open(const std::filesystem::path& path);

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  [[nodiscard]] const RunInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// The events of a key, or `nullopt` when there are none. An error means that the file is
  /// damaged.
  [[nodiscard]] Result<std::optional<Postings>> find(FacetKey key) const;

  /// True once a read found the file damaged: its part of the log counts as not indexed.
  [[nodiscard]] bool damaged() const noexcept { return damaged_.load(std::memory_order_relaxed); }

 private:
  friend class EntryReader;

  struct Block {
    FacetKey first_key = 0;          ///< Of the first entry that begins here, or the one before.
    std::uint32_t first_offset = 0;  ///< Where in the block it begins; `none` when none does.
    std::uint64_t checksum = 0;
  };

  Run(std::filesystem::path path, int descriptor) noexcept
      : path_(std::move(path)),
        descriptor_(descriptor) {}

  Result<void> load();
  /// Reads whole blocks and checks them.
  Result<std::string> read_blocks(std::size_t first, std::size_t count) const;
  std::unexpected<Error> spoiled(const std::string& what) const;

  std::filesystem::path path_;
  int descriptor_;
  RunInfo info_;
  std::uint64_t data_size_ = 0;
  std::vector<Block> blocks_;
  mutable std::atomic<bool> damaged_ = false;
};

/// Reads the entries of a run in the order of their keys. Used on one thread; must not outlive the
/// run.
class EntryReader {
 public:
  /// Begins at byte `position`, where an entry begins, and reads `ahead` blocks at a time.
  EntryReader(const Run& run, std::uint64_t position, std::size_t ahead) noexcept
      : run_(run),
        position_(position),
        next_(position),
        ahead_(ahead) {}

  /// Goes to the next entry; false at the end.
  Result<bool> next();

  [[nodiscard]] FacetKey key() const noexcept { return key_; }

  /// The postings of the entry.
  Result<Postings> postings();

 private:
  /// Has the `size` bytes at `position_` in the buffer, or as many as there are.
  Result<std::string_view> bytes(std::size_t size);

  const Run& run_;
  std::uint64_t position_;  ///< Of the current entry's postings.
  std::uint64_t next_;      ///< Of the next entry.
  std::size_t ahead_;
  FacetKey key_ = 0;
  std::uint32_t size_ = 0;
  std::string buffer_;
  std::uint64_t buffer_begin_ = 0;
};

/// Writes a run, entry by entry in ascending order of keys. The file is removed again unless
/// `finish` succeeded. Used on one thread.
class RunWriter {
 public:
  /// Makes the file, replacing one that is there.
  static Result<RunWriter> create(std::filesystem::path path);

  RunWriter(RunWriter&& other) noexcept;
  RunWriter& operator=(RunWriter&&) = delete;
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;
  ~RunWriter();

  /// `offsets` are distances from the run's first number, ascending.
  Result<void> add(FacetKey key, std::span<const std::uint32_t> offsets);

  /// Writes what is left and what is needed to read it.
  Result<void> finish(const RunInfo& info);

 private:
  RunWriter(std::filesystem::path path, int descriptor) noexcept
      : path_(std::move(path)),
        descriptor_(descriptor) {}

  [[nodiscard]] std::size_t known_blocks() const noexcept;
  /// Adds a block to the table; its checksum follows when it is written.
  void add_block(FacetKey first_key, std::uint32_t first_offset);
  /// Has `count` blocks in the table: in those added, no entry begins.
  void know_blocks(std::size_t count);
  Result<void> flush_blocks();
  Result<void> write(std::string_view bytes) const;

  std::filesystem::path path_;
  int descriptor_;
  std::string pending_;  ///< Entries not yet in the file, from the beginning of a block.
  std::string packed_;
  std::uint64_t data_size_ = 0;
  std::string table_;  ///< What is known of the blocks; checksums of written ones.
  FacetKey last_key_ = 0;
  std::size_t written_blocks_ = 0;
};

}  // namespace annals::store::index
