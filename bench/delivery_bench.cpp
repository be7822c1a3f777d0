// One measure of live delivery by a server that runs already: script/bench starts it. Prints one
// line of JSON. Every client checks that the events are numbered 1, 2, 3, ...
//
//   delivery_bench MEASURE annals|nchan PORT PID[,PID...] CLIENTS RATE EVENTS

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/measuring.hpp"
#include "bench/server_usage.hpp"
#include "testing/event_source_fleet.hpp"
#include "testing/http_client.hpp"

namespace {

using annals::bench::Clock;
using annals::bench::json_of;
using annals::bench::Latencies;
using annals::bench::must;
using annals::bench::Pids;
using annals::bench::report;
using annals::test::EventSourceFleet;
using annals::test::HttpClient;
using std::chrono::microseconds;

/// Longer than any measure takes.
constexpr std::chrono::minutes patience{10};

constexpr std::size_t first_clients = 20;

struct Setup {
  std::string server;  ///< `annals` or `nchan`
  std::uint16_t port = 0;
  Pids pids;
  std::size_t clients = 0;
  std::size_t rate = 0;  ///< Events a second.
  std::size_t events = 0;

  [[nodiscard]] bool annals() const { return server == "annals"; }
  [[nodiscard]] std::string path() const { return annals() ? "/v1/events/stream?after=0" : "/sub"; }
};

/// 300 bytes of JSON.
std::string payload(std::size_t number) {
  std::string out = R"({"number":)" + std::to_string(number) + R"(,"text":")";
  out.append(298 - out.size(), static_cast<char>('a' + number % 26));
  return out + "\"}";
}

/// Two labels, a channel, one of 1,000 streams.
std::string members(std::size_t number) {
  const auto in = [number](std::size_t many) { return std::to_string(number * 7919 % many); };
  return R"("type":"order.paid","scope":{"channel_id":"channel-)" + in(1000) +
         R"("},"labels":{"country":"c)" + in(100) + R"(","customer":"k)" + in(100'000) +
         R"("},"payload":)" + payload(number);
}

/// What the broker is given to pass on: as long as what Annals makes of the event.
std::string envelope(std::size_t number) {
  const std::string hash(64, 'a');
  return R"({"seq":)" + std::to_string(number) +
         R"(,"id":"0199a0f0-0000-7000-8000-000000000001","schema_version":1,)"
         R"("occurred_at":"2026-01-02T03:04:05.678901Z","recorded_at":"2026-01-02T03:04:05.678901Z",)"
         R"("permission_version":0,"resource":{"kind":"event"},"stream":{"name":"order-123","seq":1,)"
         R"("prev_hash":")" +
         hash + R"(","hash":")" + hash + "\"}," + members(number) + "}";
}

/// Appends, or publishes, one event after the other over one connection.
class Producer {
 public:
  explicit Producer(const Setup& setup) : setup_(setup), http_(setup.port) {}

  void send(std::size_t number) {
    const std::string stream =
        R"({"stream":"order-)" + std::to_string(number * 7919 % 1000) + R"(",)";
    const std::string body = setup_.annals() ? stream + members(number) + "}" : envelope(number);
    const auto answer = http_.request("POST", setup_.annals() ? "/v1/events" : "/pub",
                                      {{"Content-Type", "application/json"}}, body);
    must(answer.status / 100 == 2, "publishing (" + std::to_string(answer.status) + ")");
  }

 private:
  const Setup& setup_;
  HttpClient http_;
};

/// Many times, to 10 microseconds; what is longer than ten seconds counts as that.
class Histogram {
 public:
  void add(Clock::duration time) {
    const auto index = std::chrono::duration_cast<microseconds>(time).count() / step_us;
    ++counts_[std::min(static_cast<std::size_t>(std::max<std::int64_t>(index, 0)),
                       counts_.size() - 1)];
    ++all_;
  }

  /// Members of a JSON object.
  [[nodiscard]] std::string json() const {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  R"(,"p50_ms":%.3f,"p95_ms":%.3f,"p99_ms":%.3f,"longest_ms":%.3f)", at(0.5),
                  at(0.95), at(0.99), at(1));
    return text.data();
  }

 private:
  static constexpr std::int64_t step_us = 10;

  [[nodiscard]] double at(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return static_cast<double>(i * step_us) / 1000;
    }
    return 0;
  }

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(1'000'000);
  std::uint64_t all_ = 0;
};

void must_be_well(bool reached, const EventSourceFleet& fleet, const std::string& what) {
  must(reached, what + " (" + std::to_string(fleet.events()) + " events came) " + fleet.fault());
}

/// Memory of clients that are connected and wait; one event shows that each is.
void idle(const Setup& setup) {
  Producer producer(setup);
  {
    // What a server makes when the first clients come is not theirs.
    EventSourceFleet first(setup.port, {.clients = first_clients, .path = setup.path()});
    must_be_well(first.wait_for_streams(first_clients, patience), first, "connecting");
  }
  const auto before = annals::bench::memory_bytes(setup.pids);
  const auto begin = Clock::now();
  EventSourceFleet fleet(setup.port, {.clients = setup.clients, .path = setup.path()});
  must_be_well(fleet.wait_for_streams(setup.clients, patience), fleet, "connecting");
  const auto time = Clock::now() - begin;
  const auto after = annals::bench::memory_bytes(setup.pids);
  producer.send(1);
  must_be_well(fleet.wait_for_events(1, patience), fleet, "delivery to all");
  const auto bytes = (static_cast<double>(after) - static_cast<double>(before)) /
                     static_cast<double>(setup.clients);
  report(setup.clients, time, ",\"bytes_per_client\":" + std::to_string(bytes));
}

/// Every event to every client, at a rate that is kept whatever comes of it; each time counts from
/// the moment when the event was due.
void fan_out(const Setup& setup) {
  std::vector<std::atomic<Clock::rep>> due(setup.events + 1);
  Histogram times;
  EventSourceFleet fleet(
      setup.port,
      {.clients = setup.clients, .path = setup.path(), .on_event = [&](std::uint64_t seq) {
         const auto from = Clock::time_point(Clock::duration(due[seq].load()));
         times.add(Clock::now() - from);
       }});
  must_be_well(fleet.wait_for_streams(setup.clients, patience), fleet, "connecting");
  Producer producer(setup);
  const auto cpu_before = annals::bench::cpu_seconds(setup.pids);
  const auto interval = std::chrono::nanoseconds(std::chrono::seconds{1}) / setup.rate;
  const auto begin = Clock::now();
  for (std::size_t number = 1; number <= setup.events; ++number) {
    const auto when = begin + interval * (number - 1);
    std::this_thread::sleep_until(when);
    due[number] = when.time_since_epoch().count();
    producer.send(number);
  }
  must_be_well(fleet.wait_for_events(setup.events, patience), fleet, "delivery");
  const auto time = Clock::now() - begin;
  const auto cpu = annals::bench::cpu_seconds(setup.pids) - cpu_before;
  const auto messages = setup.events * setup.clients;
  must(fleet.events() == messages, "counting");
  report(messages, time,
         times.json() + ",\"cpu_us_per_message\":" +
             std::to_string(cpu * 1e6 / static_cast<double>(messages)) +
             ",\"cpu_cores\":" + std::to_string(cpu / annals::bench::seconds(time)));
}

/// One client, one event at a time.
void arrival(const Setup& setup) {
  std::atomic<Clock::rep> arrived = 0;
  EventSourceFleet fleet(
      setup.port, {.clients = 1, .path = setup.path(), .on_event = [&](std::uint64_t /*seq*/) {
                     arrived = Clock::now().time_since_epoch().count();
                   }});
  must_be_well(fleet.wait_for_streams(1, patience), fleet, "connecting");
  Producer producer(setup);
  Latencies times;
  const auto begin = Clock::now();
  for (std::size_t number = 1; number <= setup.events; ++number) {
    const auto sent = Clock::now();
    producer.send(number);
    must_be_well(fleet.wait_for_events(number, patience), fleet, "delivery");
    times.add(Clock::duration(arrived.load()) - sent.time_since_epoch());
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  report(setup.events, Clock::now() - begin, json_of(times.percentiles()));
}

template <typename Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  must(error == std::errc{} && end == text.data() + text.size(), "reading a number");
  return value;
}

const std::map<std::string, std::function<void(const Setup&)>>& measures() {
  static const std::map<std::string, std::function<void(const Setup&)>> all{
      {"idle", idle}, {"fan-out", fan_out}, {"arrival", arrival}};
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 8 ? measures().find(argv[1]) : measures().end();
  if (found == measures().end()) {
    std::fprintf(
        stderr,
        "usage: delivery_bench idle|fan-out|arrival annals|nchan PORT PID[,PID...] CLIENTS "
        "RATE EVENTS\n");
    return 2;
  }
  Setup setup;
  setup.server = argv[2];
  setup.port = number<std::uint16_t>(argv[3]);
  std::istringstream pids(argv[4]);
  for (std::string pid; std::getline(pids, pid, ',');)
    setup.pids.push_back(number<int>(pid));
  setup.clients = number<std::size_t>(argv[5]);
  setup.rate = number<std::size_t>(argv[6]);
  setup.events = number<std::size_t>(argv[7]);
  found->second(setup);
  return 0;
}
