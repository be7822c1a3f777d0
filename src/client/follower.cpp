#include "client/follower.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "annals/client.hpp"
#include "client/http.hpp"
#include "client/request.hpp"
#include "wire/answer_reader.hpp"

namespace annals {

namespace {

using client::Target;
using std::chrono::milliseconds;

constexpr milliseconds first_retry{500};

milliseconds until(std::chrono::steady_clock::time_point time) {
  const auto left = time - std::chrono::steady_clock::now();
  return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(left));
}

/// A later attempt may be answered otherwise, with nothing changed here.
bool may_pass(const Error& error) {
  return error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::busy;
}

}  // namespace

Follower::Impl::Impl(std::shared_ptr<const client::Endpoint> endpoint, FollowOptions options)
    : endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      backoff_(first_retry, options_.retry_max),
      log_id_(options_.log_id),
      incarnation_(options_.incarnation) {}

Result<std::optional<FollowMessage>> Follower::Impl::next(milliseconds wait) {
  const auto deadline = Clock::now() + wait;
  for (;;) {
    if (!messages_.empty()) return deliver();
    if (failed_) return std::unexpected(*failed_);
    if (connection_) {
      read(deadline);
    } else if (Clock::now() < retry_at_) {
      std::this_thread::sleep_until(std::min(deadline, retry_at_));
    } else {
      connect();
      continue;
    }
    if (messages_.empty() && !failed_ && Clock::now() >= deadline) {
      return std::optional<FollowMessage>{};
    }
  }
}

FollowMessage Follower::Impl::deliver() {
  FollowMessage message = std::move(messages_.front());
  messages_.pop_front();
  if (const auto* event = std::get_if<Envelope>(&message)) delivered_ = event->seq;
  if (const auto* checkpoint = std::get_if<Checkpoint>(&message)) {
    delivered_ = std::max(delivered_.value_or(0), checkpoint->scanned);
  }
  if (const auto* caught_up = std::get_if<CaughtUp>(&message)) {
    delivered_ = std::max(delivered_.value_or(0), caught_up->head);
  }
  if (const auto* resynced = std::get_if<Resynced>(&message)) delivered_ = resynced->after;
  return message;
}

void Follower::Impl::connect() {
  auto opened = find_start();
  if (opened) opened = open_stream();
  if (opened) return;
  connection_.reset();
  if (may_pass(opened.error())) {
    lose(std::move(opened.error()));
  } else {
    fail_with(std::move(opened.error()));
  }
}

/// Makes the start a number of a known log, so that nothing between now and the first connection
/// that works can be missed.
Result<void> Follower::Impl::find_start() {
  if (order_ && log_id_ && incarnation_) return {};
  client::Http http(endpoint_);
  const auto get = [&](std::string target) { return http.get({.target = std::move(target)}); };
  const auto body = get("/v1/log");
  if (!body) return std::unexpected(body.error());
  const auto log = wire::read_log_answer(*body);
  if (!log) return std::unexpected(client::not_annals(*endpoint_));
  std::uint64_t after = 0;
  if (options_.after) {
    after = *options_.after;
  } else if (options_.from == "latest") {
    after = log->head;
  } else if (options_.from == "oldest") {
    after = log->oldest - 1;
  } else {
    Target target("/v1/events");
    target.add("from", std::string_view{options_.from}).add("limit", 1);
    const auto found = get(target.text());
    if (!found) return std::unexpected(found.error());
    const auto page = wire::read_page_answer(*found);
    if (!page) return std::unexpected(client::not_annals(*endpoint_));
    after = page->events.empty() ? page->next_after : page->events.front().seq - 1;
  }
  if (!log_id_) log_id_ = log->log_id;
  if (!incarnation_) incarnation_ = log->incarnation;
  if (!order_) {
    order_.emplace(after);
    delivered_ = after;
  }
  return {};
}

Result<void> Follower::Impl::open_stream() {
  auto connection = std::make_unique<client::Connection>(endpoint_);
  if (auto opened = connection->open(); !opened) return opened;
  client::Request request;
  Target target("/v1/events/stream");
  target.add("log_id", std::string_view{to_string(*log_id_)});
  target.add("incarnation", *incarnation_);
  request.target = target.add(options_.filters).text();
  request.fields = {{"Accept", "text/event-stream"},
                    {"Last-Event-ID", std::to_string(order_->received())}};
  const auto silence = endpoint_->options.answer_timeout;
  if (auto sent = connection->write(client::head_of(*endpoint_, request), silence); !sent) {
    return sent;
  }
  response_ = client::ResponseReader();
  parser_ = client::EventStreamParser();
  if (auto head = client::read_head(*connection, response_, *endpoint_, silence); !head) {
    return head;
  }
  if (response_.status() != 200) {
    const auto body = client::read_body(*connection, response_, *endpoint_, silence);
    if (!body) return std::unexpected(body.error());
    return std::unexpected(client::error_of(response_, *body, *endpoint_));
  }
  if (!response_.header("Content-Type").starts_with("text/event-stream")) {
    return std::unexpected(client::not_annals(*endpoint_));
  }
  const bool complete = response_.header("Annals-Stream") == "complete";
  order_->connected(complete);
  connection_ = std::move(connection);
  silent_at_ = Clock::now() + options_.silence;
  messages_.emplace_back(Connected{complete});
  take(response_.take_body());
  return {};
}

void Follower::Impl::read(Clock::time_point deadline) {
  std::string bytes;
  const auto got = connection_->read(bytes, until(std::min(deadline, silent_at_)));
  if (!got) {
    lose(got.error());
    return;
  }
  switch (*got) {
    case client::Connection::Got::bytes:
      silent_at_ = Clock::now() + options_.silence;
      if (!response_.feed(bytes)) {
        fail_with(client::not_annals(*endpoint_));
        return;
      }
      take(response_.take_body());
      if (connection_ && response_.complete()) {
        lose(Error{ErrorCode::store_unavailable, "the server ended the stream", {}, {}});
      }
      return;
    case client::Connection::Got::nothing:
      if (Clock::now() >= silent_at_) {
        lose(Error{ErrorCode::store_unavailable,
                   "nothing came for " + std::to_string(options_.silence.count()) + " ms",
                   {},
                   {}});
      }
      return;
    case client::Connection::Got::end:
      lose(Error{ErrorCode::store_unavailable, "the connection was closed", {}, {}});
      return;
  }
}

void Follower::Impl::take(std::string_view body) {
  std::vector<client::Frame> frames;
  const bool bounded = parser_.push(body, frames);
  if (const auto retry = parser_.retry()) {
    server_retry_ = milliseconds{
        static_cast<std::int64_t>(std::min<std::uint64_t>(*retry, 24ULL * 60 * 60 * 1000))};
  }
  for (const auto& frame : frames) {
    const auto known = messages_.size();
    if (auto taken = order_->take(frame, messages_); !taken) {
      fail_with(std::move(taken.error()));
      return;
    }
    if (messages_.size() == known) continue;
    backoff_.reset();
    const FollowMessage& message = messages_.back();
    if (std::holds_alternative<Revoked>(message)) {
      fail_with(Error{ErrorCode::not_authenticated, "the key was revoked", {}, {}});
      return;
    }
    const auto* resynced = std::get_if<Resynced>(&message);
    if (resynced != nullptr && resynced->resync.reason.starts_with("other_")) {
      // Which log it is now is asked before the next connection.
      log_id_.reset();
      incarnation_.reset();
    }
  }
  if (!bounded) fail_with(client::not_annals(*endpoint_));
}

void Follower::Impl::lose(Error why) {
  connection_.reset();
  // As long as the server asks for, unless that is longer than the application is ready to wait.
  const auto asked =
      std::max(why.retry_after.value_or(milliseconds{0}), std::min(server_retry_, backoff_.last()));
  const auto wait = backoff_.next(asked);
  retry_at_ = Clock::now() + wait;
  messages_.emplace_back(Disconnected{std::move(why), wait});
}

void Follower::Impl::fail_with(Error error) {
  connection_.reset();
  failed_ = std::move(error);
}

Follower::Follower(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Follower::Follower(Follower&&) noexcept = default;
Follower& Follower::operator=(Follower&&) noexcept = default;
Follower::~Follower() = default;

Result<std::optional<FollowMessage>> Follower::next(std::chrono::milliseconds wait) {
  return impl_->next(wait);
}

std::optional<std::uint64_t> Follower::position() const noexcept {
  return impl_->position();
}

}  // namespace annals
