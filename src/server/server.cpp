#include "server/server.hpp"

#include <spdlog/logger.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/origin.hpp"
#include "log/ports/store.hpp"
#include "log/tail.hpp"
#include "server/access.hpp"
#include "server/cors.hpp"
#include "server/hub.hpp"
#include "server/jwt.hpp"
#include "server/limits.hpp"
#include "server/listener.hpp"
#include "server/service.hpp"
#include "server/shard.hpp"
#include "wire/sse.hpp"

namespace annals::server {

namespace {

using std::chrono::milliseconds;

/// Deadlines are kept to within a quarter of the shortest one, and of a second.
milliseconds tick_of(const ServerOptions& options) {
  const milliseconds shortest = std::min(
      {options.head_timeout, options.idle_timeout, options.body_timeout, options.write_timeout,
       options.subscriber_write_timeout, options.subscriber_keepalive});
  return std::clamp(shortest / 4, milliseconds{5}, milliseconds{250});
}

std::size_t threads_of(const ServerOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Every connection is a file descriptor: as many as the system grants are asked for.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<void> check(const ServerOptions& options, const EventOptions& events) {
  const std::size_t largest_frame =
      events.payload_max_bytes + events.envelope_max_bytes + wire::sse_frame_overhead;
  if (options.subscriber_max_pending_bytes < largest_frame) {
    return fail(ErrorCode::invalid_request, "subscriber.max_pending_bytes must be at least " +
                                                std::to_string(largest_frame) +
                                                ", the size of the largest event");
  }
  if (options.workers == 0 || options.tail_batch_size == 0 || options.tail_batch_size > 1000 ||
      options.page_max_events == 0 || options.page_max_events > 1000 ||
      options.subscriber_checkpoint_every == 0 || options.rate_burst.count() <= 0) {
    return fail(ErrorCode::invalid_request, "an option of the server is out of range");
  }
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return fail(ErrorCode::invalid_request, "server.tls_cert and server.tls_key belong together");
  }
  if (!core::parse_origins(options.cors_origins)) {
    return fail(ErrorCode::invalid_request,
                "server.cors_origins must be origins such as https://app.example.com");
  }
  if (options.jwt.on() == options.jwt.key_file.empty()) {
    return fail(ErrorCode::invalid_request, "jwt.algorithm and jwt.key_file belong together");
  }
  return {};
}

}  // namespace

class Server::Impl final : public NewsSink {
 public:
  Impl(EventLog& log, ServerOptions options, std::shared_ptr<spdlog::logger> logger,
       OnFatal on_fatal)
      : log_(log),
        options_(std::move(options)),
        logger_(std::move(logger)),
        on_fatal_(std::move(on_fatal)),
        cors_(core::parse_origins(options_.cors_origins).value_or(std::vector<std::string>{})),
        limits_(options_),
        tickets_(options_.ticket_lifetime, options_.ticket_max_open),
        access_(log, cors_, tickets_),
        subscribers_(options_.subscriber_max_connections),
        connections_(options_.max_connections),
        metrics_(std::make_shared<Metrics>([&log] { return log.catalogue(); })),
        service_{log_,
                 options_,
                 access_,
                 cors_,
                 limits_,
                 tickets_,
                 workers_,
                 subscribers_,
                 verifications_,
                 appends_,
                 *metrics_,
                 [this] { return ready(); },
                 [this] { return scrape(); }},
        request_log_([this](const RequestLine& line) { end_of(line); }),
        access_sink_(access_, *this),
        hub_(*this, [this] { return subscribers_.used() != 0; }) {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override { stop(); }

  Result<std::uint16_t> start();
  void stop();

  [[nodiscard]] std::size_t subscribers() const noexcept { return subscribers_.used(); }
  [[nodiscard]] std::size_t connections() const noexcept { return connections_.used(); }

  void publish(std::shared_ptr<const AccessState> access) override {
    for (auto& shard : shards_)
      shard->publish(access);
  }
  void publish(const std::vector<FrameRunPtr>& runs) override {
    for (auto& shard : shards_)
      shard->publish(runs);
  }
  void publish(std::uint64_t head) override {
    for (auto& shard : shards_)
      shard->publish(head);
  }

 private:
  Result<void> load_certificate();
  Result<void> load_token_key();
  Result<std::uint16_t> listen();
  Result<void> follow();
  [[nodiscard]] Result<void> ready();
  [[nodiscard]] std::string scrape() const;
  void end_of(const RequestLine& line);
  void write_line(const RequestLine& line) const;

  EventLog& log_;
  const ServerOptions options_;
  const std::shared_ptr<spdlog::logger> logger_;
  const OnFatal on_fatal_;
  const Cors cors_;
  Limits limits_;
  Tickets tickets_;
  std::optional<JwtVerifier> tokens_;  ///< Absent: tokens are not taken.
  Access access_;
  Slots subscribers_;
  Slots connections_;
  Slots verifications_{1};
  InFlight appends_;
  InFlight sessions_;
  WorkerPool workers_;
  const std::shared_ptr<Metrics> metrics_;
  std::unique_ptr<Tls> tls_;  ///< Null: connections are plain.
  Service service_;
  RequestLog request_log_;
  AccessSink access_sink_;
  Hub hub_;
  std::atomic<bool> tail_failed_{false};
  std::mutex lag_mutex_;
  std::optional<Deadline> lag_since_;  // under lag_mutex_; the tail stands behind the head
  std::uint64_t lag_head_ = 0;         // under lag_mutex_; where it stands
  bool running_ = false;               ///< The shards' threads are.
  std::vector<std::unique_ptr<Shard>> shards_;
  std::optional<Listener> listener_;
  std::optional<log::Tail> tail_;
};

Result<std::uint16_t> Server::Impl::start() {
  if (auto checked = check(options_, log_.options().events); !checked) {
    return std::unexpected(checked.error());
  }
  if (auto loaded = load_certificate(); !loaded) return std::unexpected(loaded.error());
  if (auto loaded = load_token_key(); !loaded) return std::unexpected(loaded.error());
  raise_descriptor_limit();
  log_.observe(metrics_);
  for (std::size_t i = 0; i < threads_of(options_); ++i) {
    shards_.push_back(
        std::make_unique<Shard>(tick_of(options_), options_.hub_cache_bytes, sessions_));
  }
  auto port = listen();
  if (!port) stop();
  return port;
}

Result<void> Server::Impl::load_certificate() {
  if (options_.tls_cert.empty()) return {};
  auto loaded =
      Tls::load({options_.tls_cert, options_.tls_key}, [this](const Result<void>& renewed) {
        if (!logger_) return;
        if (renewed) {
          logger_->info("the certificate was renewed");
        } else {
          logger_->error("the certificate was not renewed: {}", renewed.error().detail);
        }
      });
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  tls_ = *std::move(loaded);
  service_.tls = tls_.get();
  return {};
}

Result<void> Server::Impl::load_token_key() {
  if (!options_.jwt.on()) return {};
  auto loaded = JwtVerifier::load(options_.jwt);
  if (!loaded) return std::unexpected(std::move(loaded).error());
  tokens_ = *std::move(loaded);
  access_.accept(*tokens_);
  return {};
}

Result<std::uint16_t> Server::Impl::listen() {
  const auto address = parse_listen(options_.listen);
  if (!address) return std::unexpected(address.error());
  // The tail first: what changes after this is heard of, what came before is read.
  if (auto followed = follow(); !followed) return std::unexpected(followed.error());
  if (access_.state()->open_mode && !address->loopback) {
    return fail(ErrorCode::invalid_request,
                "the log has no key yet, so everything would be open to the network: create a key "
                "first, or listen on 127.0.0.1");
  }
  listener_.emplace(shards_, service_, request_log_, connections_);
  auto port = listener_->open(*address);
  if (!port) return port;
  workers_.start(options_.workers);
  for (auto& shard : shards_)
    shard->start();
  running_ = true;
  listener_->start();
  return port;
}

Result<void> Server::Impl::follow() {
  tail_.emplace(log_.store(),
                log::TailOptions{.batch_size = options_.tail_batch_size,
                                 .poll_interval = options_.tail_poll_interval},
                std::vector<log::Sink*>{&access_sink_, &hub_},
                [this](const log::TailFailure& failure) {
                  tail_failed_ = true;
                  if (logger_) logger_->critical("delivery stopped: {}", failure.error.detail);
                  if (on_fatal_) on_fatal_(failure.error);
                });
  if (auto started = tail_->start(); !started) return started;
  publish(tail_->head());
  if (auto refreshed = access_.refresh(); !refreshed) return refreshed;
  publish(access_.state());
  return {};
}

void Server::Impl::stop() {
  if (running_) {
    std::promise<void> closed;
    shards_.front()->post([&] {
      listener_->close();
      closed.set_value();
    });
    closed.get_future().wait();
  }
  if (tail_) tail_->stop();
  if (std::exchange(running_, false)) {
    for (auto& shard : shards_)
      shard->stop_sessions();
    if (!sessions_.wait_for(options_.shutdown_timeout)) {
      for (auto& shard : shards_)
        shard->cut_sessions();
      sessions_.wait();
    }
  }
  appends_.wait();
  log_.observe(nullptr);
  workers_.stop();
  for (auto& shard : shards_)
    shard->stop();
  listener_.reset();
  tail_.reset();
  shards_.clear();
}

Result<void> Server::Impl::ready() {
  if (tail_failed_) return fail(ErrorCode::store_unavailable, "delivery has stopped");
  const auto state = log_.state();
  if (!state) return std::unexpected(state.error());
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t head = tail_->head();
  const std::lock_guard lock{lag_mutex_};
  if (head >= state->event_seq) {
    lag_since_.reset();
  } else if (!lag_since_ || head != lag_head_) {
    lag_since_ = now;
    lag_head_ = head;
  } else if (now - *lag_since_ > options_.tail_poll_interval + options_.tail_stall_timeout) {
    return fail(ErrorCode::store_unavailable, "delivery stands still behind the head of the log");
  }
  return {};
}

std::string Server::Impl::scrape() const {
  wire::Exposition out;
  out.gauge("annals_build_info", "The program; always 1.");
  const wire::MetricLabel version{"version", options_.version};
  out.sample(std::uint64_t{1}, {&version, 1});
  // A store that does not answer leaves its numbers out; the rest is wanted all the more.
  if (const auto state = log_.state()) {
    out.gauge("annals_head_seq", "The highest seq committed.");
    out.sample(state->event_seq);
    out.gauge("annals_oldest_seq", "The lowest seq still kept.");
    out.sample(state->oldest);
  }
  out.gauge("annals_tail_head_seq", "The highest seq that was given to the subscribers.");
  out.sample(tail_->head());
  const log::TailCounters tail = tail_->counters();
  out.counter("annals_tail_events_total", "Events the tail has read and handed on.");
  out.sample(tail.events);
  out.counter("annals_tail_batches_total", "Batches the tail has read and handed on.");
  out.sample(tail.batches);
  out.counter("annals_tail_skipped_total", "Numbers without an event that the log explains.");
  out.sample(tail.hole_numbers);
  out.counter("annals_tail_store_errors_total", "Reads of the tail that failed and were repeated.");
  out.sample(tail.store_errors);
  out.gauge("annals_tail_notify_age_seconds",
            "Since the tail was last woken by news of the store, or since its start.");
  out.sample(std::chrono::duration<double>(tail_->notify_age()).count());
  out.gauge("annals_subscribers", "Open streams.");
  out.sample(subscribers_.used());
  out.gauge("annals_connections", "Open connections of any kind, streams included.");
  out.sample(connections_.used());
  metrics_->write(out);
  return out.text();
}

void Server::Impl::end_of(const RequestLine& line) {
  metrics_->on_answer(line.status);
  if (!line.reason.empty()) metrics_->on_disconnect(line.reason);
  // 201 is what a single request that stored something is answered; NDJSON takes as long as its
  // body.
  if (line.status == 201 && line.path == "/v1/events") {
    metrics_->append_seconds.observe(std::chrono::steady_clock::now() - line.begun);
  }
  write_line(line);
}

void Server::Impl::write_line(const RequestLine& line) const {
  if (!logger_) return;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - line.begun);
  logger_->info(options_.structured_log ? as_json(line, took) : as_text(line, took));
}

Server::Server(EventLog& log, ServerOptions options, std::shared_ptr<spdlog::logger> logger,
               OnFatal on_fatal)
    : impl_(std::make_unique<Impl>(log, std::move(options), std::move(logger),
                                   std::move(on_fatal))) {}

Server::~Server() = default;

Result<std::uint16_t> Server::start() {
  return impl_->start();
}

void Server::stop() {
  impl_->stop();
}

std::size_t Server::subscribers() const noexcept {
  return impl_->subscribers();
}

std::size_t Server::connections() const noexcept {
  return impl_->connections();
}

}  // namespace annals::server
