#pragma once

#include <memory>

#include "log/ports/store.hpp"
#include "store/index/run_folder.hpp"
#include "store/sqlite/reader_pool.hpp"

namespace annals::store::sqlite {

/// Reads on connections of the pool, each call in one short transaction. Thread-safe.
class Reader final : public log::EventReader, public log::AdminReader {
 public:
  /// Both must outlive this.
  Reader(ReaderPool& pool, index::RunFolder& index) noexcept : pool_(pool), index_(index) {}

  /// Called once, before any read.
  void set_log_id(const Uuid& log_id) noexcept { log_id_ = log_id; }

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
  [[nodiscard]] bool derives_digests() const noexcept override { return true; }

  Result<std::vector<log::StoredKey>> keys() override;
  Result<std::optional<log::StoredKey>> key(const Uuid& key_id) override;
  Result<log::StoredCatalogue> catalogue() override;

 private:
  /// A page without a filter.
  Result<Page> forward_page(Statements& statements, const ReadOptions& options,
                            const LogState& state) const;
  Result<Page> backward_page(Statements& statements, const ReadOptions& options,
                             const LogState& state) const;

  /// Why a page is over: there are no more rows, or it has what it may have.
  enum class ScanEnd : std::uint8_t { rows, page };

  /// Takes the rows of a query over events.
  Result<ScanEnd> scan(Query& query, const ReadOptions& options, Page& page) const;

  /// The index as far as it is about the log that the transaction sees.
  std::shared_ptr<const index::RunList> runs(Statements& statements, const LogState& state);

  ReaderPool& pool_;
  index::RunFolder& index_;
  Uuid log_id_;
};

}  // namespace annals::store::sqlite
