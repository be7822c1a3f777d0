#include "server/subscriber.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "wire/sse.hpp"

namespace annals::server {

namespace {

using boost::system::error_code;

/// As many as one system call takes.
constexpr std::size_t max_buffers = 64;

constexpr std::size_t max_page = 1000;

/// Events looked at for a page of a filtered stream: bounds how long it holds a worker.
constexpr std::size_t page_max_scan = 10'000;

constexpr std::string_view revoked = "revoked";
constexpr std::string_view expired = "expired";
constexpr std::string_view changed = "changed";

/// More than the announcement of an expiry needs.
constexpr std::size_t announcement_bytes = 128;

/// How long a peer may take to read that its key no longer holds: it is gone within a second.
constexpr std::chrono::milliseconds last_frame_time{500};

/// Spreads the reconnects after a restart.
std::uint64_t random_retry_ms() {
  thread_local std::minstd_rand engine{std::random_device{}()};
  return std::uniform_int_distribution<std::uint64_t>{1000, 3000}(engine);
}

/// Nothing after `last` is shown: what the tail has not delivered may be under rights that this
/// process does not know yet. Without an event or a seq looked at behind `after`, waiting would
/// never end: `store_corrupt`.
Result<StorePage> encode_page(const EventLog& log, std::uint64_t after, std::uint64_t last,
                              std::size_t limit, const FrameRun::Bounds& bounds,
                              const Selection& selection) {
  auto page = log.read(
      {.after = after, .limit = limit, .filter = selection.filter(), .max_scan = page_max_scan});
  if (!page) return std::unexpected(page.error());
  while (!page->records.empty() && page->records.back().header.seq > last) {
    page->records.pop_back();
  }
  const std::uint64_t scanned = std::min(page->scanned, last);
  if (page->records.empty() && scanned <= after) {
    return fail(ErrorCode::store_corrupt, "events that were delivered are not there");
  }
  auto run = FrameRun::encode_for({page->records, after, scanned}, bounds, selection);
  if (!run) return std::unexpected(run.error());
  return StorePage{std::move(*run), page->records.size(), page->oldest, page->head};
}

}  // namespace

Subscriber::Subscriber(Socket socket, Shard& shard, Service& service, StreamStart start,
                       std::string head, OnEnd on_end)
    : socket_(std::move(socket)),
      shard_(shard),
      service_(service),
      rights_(std::move(start.rights)),
      slot_(std::move(start.slot)),
      on_end_(std::move(on_end)),
      queue_(service.options.subscriber_max_pending_bytes),
      feed_(std::move(start.selection), start.position, start.head,
            service.options.subscriber_checkpoint_every),
      progress_(std::chrono::steady_clock::now()) {
  wire::append_sse_opening(head, random_retry_ms());
  queue_.push_head(std::move(head));
}

void Subscriber::start() {
  shard_.add(shared_from_this());
  watch_peer();
  on_access();
  pump();
}

void Subscriber::pump() {
  if (closed_) return;
  if (ending_.empty() && !loading_ && feed_.fill(shard_.cache(), queue_)) read_page();
  if (!writing_ && !queue_.empty()) write();
  if (!writing_ && wound_up_) close(ending_);
}

void Subscriber::write() {
  std::vector<boost::asio::const_buffer> buffers;
  buffers.reserve(std::min(max_buffers, queue_.slices().size()));
  for (const Slice& slice : queue_.slices()) {
    if (buffers.size() == max_buffers) break;
    buffers.emplace_back(slice.bytes.data(), slice.bytes.size());
  }
  writing_ = true;
  progress_ = std::chrono::steady_clock::now();
  socket_.async_write_some(
      buffers, [self = shared_from_this()](const error_code& error, std::size_t bytes) {
        self->on_written(error.failed() && error != boost::asio::error::operation_aborted, bytes);
      });
}

void Subscriber::on_written(bool failed, std::size_t bytes) {
  writing_ = false;
  if (closed_) return;
  if (failed) {
    close("closed");
    return;
  }
  sent_ += bytes;
  queue_.consume(bytes, [this](const Slice& sent) { count(sent); });
  progress_ = std::chrono::steady_clock::now();
  if (!ending_.empty() && !wound_up_) wind_up();
  pump();
}

void Subscriber::count(const Slice& sent) {
  if (sent.events == 0) return;
  Metrics& metrics = service_.metrics;
  metrics.events_delivered.add(sent.events);
  if (sent.last_event <= feed_.start_head()) {
    metrics.events_replayed.add(sent.events);
  } else {
    metrics.delivery_lag_seconds.observe(wall_clock() - sent.recorded_at, sent.events);
  }
}

void Subscriber::read_page() {
  // A page is read ahead while the last one is being sent, as long as both fit.
  if (queue_.room() < queue_.max_bytes() / 2 || (needs_all_room_ && !queue_.empty())) return;
  loading_ = true;
  const FrameRun::Bounds bounds{queue_.room(), queue_.empty()};
  const std::size_t limit = page_limit_;
  const bool queued =
      service_.workers.submit([self = shared_from_this(), bounds, limit, after = feed_.cursor(),
                               last = shard_.cache().head(), selection = feed_.selection()] {
        auto page = encode_page(self->service_.log, after, last, limit, bounds, selection);
        self->shard_.post([self, page = std::move(page), limit]() mutable {
          self->on_page(std::move(page), limit);
        });
      });
  if (!queued) close("shutdown");
}

void Subscriber::on_page(Result<StorePage> page, std::size_t limit) {
  loading_ = false;
  if (closed_) return;
  if (!page) {
    finish("store", {});
    return;
  }
  const std::size_t used = page->run->records();
  needs_all_room_ = used == 0 && page->found != 0;
  if (used == limit) {
    page_limit_ = std::min(limit * 2, max_page);
  } else if (used < page->found) {
    page_limit_ = std::max<std::size_t>(used, 16);
  }
  feed_.take(std::move(*page), queue_);
  pump();
}

void Subscriber::watch_peer() {
  socket_.wait_readable([self = shared_from_this()](const error_code& error) {
    if (self->closed_) return;
    error_code read_error = error;
    if (!error) {
      (void)self->socket_.read_some(self->shard_.scratch(), read_error);
    }
    const bool goes_on = !read_error || read_error == boost::asio::error::would_block ||
                         read_error == boost::asio::error::operation_aborted;
    if (goes_on) {
      self->watch_peer();
    } else {
      self->close("closed");
    }
  });
}

void Subscriber::on_tick(Deadline now) {
  if (closed_) return;
  if (writing_ && now - progress_ >= service_.options.subscriber_write_timeout) {
    close("slow");
    return;
  }
  const bool lost_its_rights = ending_ == revoked || ending_ == expired || ending_ == changed;
  if (lost_its_rights && now - ending_since_ >= last_frame_time) {
    close(ending_);
    return;
  }
  if (rights_.expires_at) announce_expiry();
  if (!writing_ && ending_.empty() && now - progress_ >= service_.options.subscriber_keepalive) {
    feed_.heartbeat(queue_);
    pump();
  }
}

void Subscriber::on_access() {
  if (closed_) return;
  const Timestamp now = wall_clock();
  const AccessState& access = shard_.access();
  rights_.expires_at = access.expires_at(rights_);
  // Before the subject's first event is delivered: its key is made before that.
  if (const Key* key = access.key_of(rights_)) feed_.use_key(key->key_id);
  // Who may read more than before comes back for that.
  if (access.holds(rights_, now) && access.reads_the_same(rights_)) return;
  const bool over = rights_.open_mode || access.revoked(rights_);
  const bool by_itself = rights_.expires_at && *rights_.expires_at <= now;
  const std::string_view reason = over ? revoked : by_itself ? expired : changed;
  std::string frame;
  wire::append_sse_revoked(frame, reason);
  finish(reason, std::move(frame));
}

void Subscriber::announce_expiry() {
  const Timestamp now = wall_clock();
  if (*rights_.expires_at <= now) {
    on_access();
    return;
  }
  if (*rights_.expires_at - now > service_.options.subscriber_expiring_before) return;
  if (!ending_.empty() || announced_ == rights_.expires_at) return;
  if (queue_.room() < announcement_bytes) return;  // with the next tick
  announced_ = rights_.expires_at;
  std::string frame;
  wire::append_sse_expiring(frame, *announced_);
  queue_.push(std::move(frame));
  pump();
}

void Subscriber::finish(std::string_view reason, std::string last_frame) {
  if (closed_ || !ending_.empty()) return;
  ending_ = reason;
  ending_since_ = std::chrono::steady_clock::now();
  last_frame_ = std::move(last_frame);
  if (writing_) {
    // The write under way reads slices that are to be dropped: it has to come back first.
    socket_.cancel();
    return;
  }
  wind_up();
  pump();
}

void Subscriber::wind_up() {
  wound_up_ = true;
  queue_.keep_begun();
  if (!last_frame_.empty()) queue_.push(std::move(last_frame_));
}

void Subscriber::close(std::string_view reason) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  socket_.close();
  slot_.reset();
  shard_.remove(*this);
  on_end_(sent_, reason);
}

}  // namespace annals::server
