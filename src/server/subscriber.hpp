#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/feed.hpp"
#include "server/plan.hpp"
#include "server/service.hpp"
#include "server/session.hpp"
#include "server/shard.hpp"
#include "server/socket.hpp"

namespace annals::server {

/// A connection that receives the events of the log as SSE. Waits at the head without any timer of
/// its own; at most `subscriber.max_pending_bytes` are queued for it. Ends when the peer closes,
/// does not take anything for `subscriber.write_timeout`, its key no longer holds, or the server
/// stops. Used on its shard's thread.
class Subscriber final : public Session, public std::enable_shared_from_this<Subscriber> {
 public:
  /// Called once at the end, with how many bytes were sent and why it ended: `closed`, `slow`,
  /// `revoked`, `expired`, `changed`, `shutdown` or `store`.
  using OnEnd = std::function<void(std::uint64_t bytes, std::string_view reason)>;

  /// Takes the connection over. `head` is the head of the answer.
  Subscriber(Socket socket, Shard& shard, Service& service, StreamStart start, std::string head,
             OnEnd on_end);

  void start();

  void on_tick(Deadline now) override;
  void on_news() override { pump(); }
  void on_access() override;
  void stop() override { finish("shutdown", {}); }
  void cut() override { close("shutdown"); }

 private:
  void pump();
  void write();
  void on_written(bool failed, std::size_t bytes);
  void count(const Slice& sent);
  void read_page();
  void on_page(Result<StorePage> page, std::size_t limit);
  void watch_peer();
  void announce_expiry();
  void finish(std::string_view reason, std::string last_frame);
  void wind_up();
  void close(std::string_view reason);

  Socket socket_;
  Shard& shard_;
  Service& service_;
  ReadRights rights_;
  std::shared_ptr<void> slot_;
  std::optional<Timestamp> announced_;  ///< The expiry that the peer was told.
  OnEnd on_end_;
  SendQueue queue_;
  Feed feed_;
  std::size_t page_limit_ = 100;  ///< Records of the next page.
  std::uint64_t sent_ = 0;        ///< Bytes.
  Deadline progress_;             ///< When bytes went out last.
  Deadline ending_since_;         ///< When `ending_` was set.
  std::string_view ending_;       ///< Why no more frames are queued; empty: they are.
  std::string last_frame_;        ///< To be sent before the end.
  bool wound_up_ = false;         ///< What was queued behind the frame being sent is dropped.
  bool writing_ = false;
  bool loading_ = false;
  bool needs_all_room_ = false;  ///< The next frame did not fit beside what was queued.
  bool closed_ = false;
};

}  // namespace annals::server
