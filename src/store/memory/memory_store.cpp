#include "store/memory/memory_store.hpp"

#include "store/memory/memory_log.hpp"
#include "store/memory/memory_reader.hpp"
#include "store/memory/memory_transaction.hpp"

namespace annals::store {

MemoryStore::MemoryStore() : MemoryStore(std::make_shared<MemoryLog>()) {}

MemoryStore::MemoryStore(std::shared_ptr<MemoryLog> log)
    : log_(std::move(log)),
      reader_(std::make_unique<MemoryReader>(log_)) {}

MemoryStore::~MemoryStore() {
  close();
}

Result<void> MemoryStore::open(const log::NewLog& new_log) {
  const auto opened = log_->with([&](MemoryData& data) -> Result<std::uint64_t> {
    if (!data.state) {
      if (!new_log.create) return fail(ErrorCode::not_found, "there is no log");
      data.state.emplace();
      data.state->log_id = new_log.log_id;
      data.state->local_key_id = new_log.local_key_id;
    }
    return data.state->event_seq;
  });
  if (!opened) return std::unexpected(opened.error());
  log_->signal().notify(*opened);
  reader_->set_open(true);
  return {};
}

void MemoryStore::close() noexcept {
  reader_->set_open(false);
  log_->signal().interrupt();
}

log::StoreInfo MemoryStore::info() const {
  return {"memory", "1", 1, "none"};
}

Result<std::unique_ptr<log::WriteTransaction>> MemoryStore::begin_write(
    std::chrono::milliseconds timeout) {
  auto hold = log_->gate().acquire(timeout);
  if (!hold) return fail(ErrorCode::busy, "another transaction takes too long");
  if (!reader_->is_open()) return fail(ErrorCode::store_unavailable, "the store is not open");
  return std::make_unique<MemoryTransaction>(log_, std::move(*hold));
}

log::EventReader& MemoryStore::events() {
  return *reader_;
}

log::AdminReader& MemoryStore::admin() {
  return *reader_;
}

log::ChangeSignal& MemoryStore::changes() {
  return log_->signal();
}

}  // namespace annals::store
