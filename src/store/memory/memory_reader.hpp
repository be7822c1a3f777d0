#pragma once

#include <atomic>
#include <memory>

#include "log/ports/store.hpp"
#include "store/memory/memory_log.hpp"

namespace annals::store {

/// Reads of the committed data. Thread-safe.
class MemoryReader final : public log::EventReader, public log::AdminReader {
 public:
  explicit MemoryReader(std::shared_ptr<MemoryLog> log) : log_(std::move(log)) {}

  /// Reads fail with `store_unavailable` before `set_open(true)` and after `set_open(false)`.
  void set_open(bool open) noexcept { open_ = open; }
  [[nodiscard]] bool is_open() const noexcept { return open_; }

  Result<LogState> state() override;
  Result<Page> page(const ReadOptions& options) override;
  Result<std::optional<Record>> find(std::uint64_t seq) override;
  Result<std::optional<Record>> find(const Uuid& id) override;
  Result<StreamPage> stream_page(std::string_view stream,
                                 const StreamReadOptions& options) override;
  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override;
  Result<std::optional<StreamHead>> stream(std::string_view name) override;
  Result<std::vector<Gap>> gaps() override;
  Result<std::optional<core::HashMark>> mark_at_or_before(std::uint64_t seq) override;
  Result<std::uint64_t> count() override;
  Result<std::vector<std::uint64_t>> lost_ids(std::uint64_t first, std::uint64_t last) override;
  [[nodiscard]] bool derives_digests() const noexcept override { return false; }

  Result<std::vector<log::StoredKey>> keys() override;
  Result<std::optional<log::StoredKey>> key(const Uuid& key_id) override;
  Result<log::StoredCatalogue> catalogue() override;

 private:
  /// Runs `body(const MemoryData&)` when the store is open.
  template <typename Body>
  auto read(Body&& body) -> decltype(body(std::declval<const MemoryData&>()));

  const std::shared_ptr<MemoryLog> log_;
  std::atomic<bool> open_ = false;
};

/// Keys in the order in which they are listed.
std::vector<log::StoredKey> sorted_keys(const std::map<Uuid, log::StoredKey>& keys);

}  // namespace annals::store
