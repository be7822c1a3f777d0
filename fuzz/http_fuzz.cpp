// Any bytes as what a client sends: through the parser, the routes and the handlers, over a log in
// memory. No crash; every answer is a known status with a well-formed body; what is read back of
// the log is a valid page. The first byte decides in how large pieces the rest arrives.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "annals/open.hpp"
#include "core/json.hpp"
#include "server/access.hpp"
#include "server/request_parser.hpp"
#include "server/routes.hpp"

namespace {

using namespace annals::server;  // NOLINT(google-build-using-namespace): its only user

constexpr std::size_t max_requests = 8;

/// Stops the fuzzer with the input that broke a property.
void require(bool condition) {
  if (!condition) std::abort();
}

/// Everything handlers need, but sockets.
struct World {
  std::unique_ptr<annals::EventLog> log = std::move(*annals::open("memory:"));
  ServerOptions options;
  Access access{*log};
  WorkerPool workers;
  Slots subscribers{4};
  Slots verifications{1};
  InFlight appends;
  Service service{*log,        options,       access,  workers,
                  subscribers, verifications, appends, [] { return annals::Result<void>{}; }};

  World() {
    require(access.refresh().has_value());
    workers.start(1);
  }
};

World& world() {
  static World instance;
  return instance;
}

/// Runs work of other threads on this one, as a connection does.
class Loop {
 public:
  void post(std::function<void()> work) {
    {
      const std::lock_guard lock{mutex_};
      work_.push_back(std::move(work));
    }
    wake_.notify_one();
  }

  template <typename Done>
  void run_until(Done done) {
    while (!done()) {
      std::unique_lock lock{mutex_};
      wake_.wait(lock, [this] { return !work_.empty(); });
      run_one(lock);
    }
  }

  /// Runs what is there now.
  void run_pending() {
    std::unique_lock lock{mutex_};
    while (!work_.empty()) {
      run_one(lock);
      lock.lock();
    }
  }

 private:
  void run_one(std::unique_lock<std::mutex>& lock) {
    const auto work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;
};

/// Collects a streamed answer.
class Output final : public StreamOutput {
 public:
  explicit Output(std::shared_ptr<Loop> loop) : loop_(std::move(loop)) {}

  void write(std::string bytes) override { body_ += bytes; }
  void end() override { ended_ = true; }
  void abort() override { ended_ = true; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void resume() override {}
  void post(std::function<void()> work) override { loop_->post(std::move(work)); }

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] const std::string& body() const noexcept { return body_; }

 private:
  std::shared_ptr<Loop> loop_;
  std::string body_;
  bool ended_ = false;
};

void check_json(std::string_view text) {
  annals::core::json::Reader reader{text};
  std::string_view raw;
  require(reader.read_raw(raw));
  require(reader.finish());
}

void check_response(const Response& response) {
  require(reason_phrase(response.status) != "Unknown");
  const std::string head = head_bytes(response, response.body.size(), true);
  require(head.ends_with("\r\n\r\n"));
  require(head.find("\r\n\r\n") == head.size() - 4);
  const bool is_json = response.content_type == "application/json" ||
                       response.content_type == "application/problem+json";
  // A page holds payloads that may be as deep as a text by themselves.
  if (is_json && response.status != 200) check_json(response.body);
}

void check_reply(const Reply& reply) {
  if (const auto* response = std::get_if<Response>(&reply)) check_response(*response);
}

/// The bytes a client sends, given piece by piece.
class Wire {
 public:
  Wire(std::string_view bytes, std::size_t piece) : rest_(bytes), piece_(piece) {}

  /// Feeds the parser until it has used something up; false when nothing is left.
  bool feed(RequestParser& parser) {
    while (true) {
      const std::size_t used = parser.put(buffer_);
      buffer_.erase(0, used);
      if (used != 0 || parser.failure() || parser.done()) return true;
      if (rest_.empty()) return false;
      buffer_ += rest_.substr(0, piece_);
      rest_.remove_prefix(std::min(rest_.size(), piece_));
    }
  }

 private:
  std::string buffer_;
  std::string_view rest_;
  std::size_t piece_;
};

void serve_body(WithBody plan, RequestParser& parser, Wire& wire) {
  Request request = parser.request();
  while (!parser.done()) {
    if (!wire.feed(parser) || parser.failure()) return;
    request.body += parser.take_body();
    if (request.body.size() > plan.max_bytes) return;
  }
  request.body += parser.take_body();
  const auto loop = std::make_shared<Loop>();
  bool answered = false;
  plan.handle(std::move(request), [loop, &answered](std::function<Reply()> make) {
    loop->post([make = std::move(make), &answered] {
      check_reply(make());
      answered = true;
    });
  });
  loop->run_until([&answered] { return answered; });
}

void serve_stream(const Streamed& plan, RequestParser& parser, Wire& wire) {
  const auto loop = std::make_shared<Loop>();
  const auto output = std::make_shared<Output>(loop);
  const auto stream = plan.begin(output);
  while (!parser.done()) {
    if (!wire.feed(parser) || parser.failure()) {
      stream->on_abort();
      world().appends.wait();
      loop->run_pending();
      return;
    }
    if (const std::string piece = parser.take_body(); !piece.empty()) stream->on_data(piece);
  }
  stream->on_end();
  loop->run_until([&output] { return output->ended(); });
  std::string_view lines = output->body();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    check_json(line);
    lines.remove_prefix(line.size() + 1);
  }
}

/// Serves one request; false when the connection would end.
bool serve(Wire& wire) {
  World& here = world();
  RequestParser parser{{here.options.head_max_bytes, here.options.head_max_lines}};
  while (!parser.head_done() && !parser.failure()) {
    if (!wire.feed(parser)) return false;
  }
  if (parser.failure()) {
    check_response(*parser.failure());
    return false;
  }
  Caller caller;
  Plan plan = route(here.service, parser.request(), caller);
  if (auto* response = std::get_if<Response>(&plan)) {
    check_response(*response);
    return !parser.request().has_body();
  }
  if (auto* blocking = std::get_if<Blocking>(&plan)) {
    check_reply(blocking->run());
    return !parser.request().has_body();
  }
  if (auto* whole = std::get_if<WithBody>(&plan)) {
    serve_body(std::move(*whole), parser, wire);
  } else {
    serve_stream(std::get<Streamed>(plan), parser, wire);
  }
  return parser.done();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  Wire wire{bytes, std::size_t{data[0]} + 1};
  for (std::size_t i = 0; i < max_requests && serve(wire); ++i) {}
  return 0;
}
