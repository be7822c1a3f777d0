// What one event costs in core: checking its payload, hashing its parts, placing it.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <utility>

#include "annals/options.hpp"
#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "core/placement.hpp"

namespace {

using namespace annals;

/// 300 bytes, as in the specification of the benchmarks.
const std::string payload =
    R"({"order_id":"o-8841","amount":129.90,"currency":"EUR","items":[{"sku":"A-100","quantity":2,)"
    R"("price":49.95},{"sku":"B-7","quantity":1,"price":30.00}],"shipping":{"city":"Graz","zip":)"
    R"("8010","express":true},"note":"please ring twice","tags":["new","priority","gift"],)"
    R"("created_by":"checkout","channel":"web","retries":0})";

std::string pretty() {
  std::string text;
  for (const char c : payload) {
    text += c;
    if (c == ',' || c == '{' || c == '[') text += "\n    ";
    if (c == ':') text += ' ';
  }
  return text;
}

std::string japanese() {
  std::string text = R"({"note":")";
  for (int i = 0; i < 100; ++i) {
    text += "\xe6\x97\xa5";
  }
  return text + "\"}";
}

std::string many_keys(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "\"member_" : ",\"member_") + std::to_string(i) + "\":" + std::to_string(i);
  }
  return text + "}";
}

void compact(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::json::compact_payload(text, NullPolicy::refuse));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(compact, event, payload);
BENCHMARK_CAPTURE(compact, pretty_event, pretty());
BENCHMARK_CAPTURE(compact, japanese, japanese());
BENCHMARK_CAPTURE(compact, keys_90, many_keys(90));
BENCHMARK_CAPTURE(compact, keys_10000, many_keys(10'000));

void read_raw(benchmark::State& state) {
  for (auto _ : state) {
    core::json::Reader reader(payload);
    std::string_view raw;
    benchmark::DoNotOptimize(reader.read_raw(raw) && reader.finish());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(payload.size()));
}
BENCHMARK(read_raw);

core::ValidEvent event() {
  core::ValidEvent event;
  event.type = "order.paid";
  event.source = "checkout";
  event.stream = "order-8841";
  event.scope.channel_id = "c-1";
  event.resource = {"order", "o-8841", {}};
  event.receive_action = "read";
  event.payload = payload;
  event.meta.actor = Actor{ActorKind::user, "u-1"};
  event.meta.labels = {{"status", "paid"}, {"region", "eu"}};
  return event;
}

void make_draft(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::make_draft(event(), Uuid{{1}}, Uuid{{2}}, Salt{1}, Salt{2}));
  }
}
BENCHMARK(make_draft);

/// A group of 1,000 events, time per event.
void place(benchmark::State& state) {
  const core::Draft draft = core::make_draft(event(), Uuid{{1}}, Uuid{{2}}, Salt{1}, Salt{2});
  const Timestamp now{std::chrono::seconds{1'800'000'000}};
  constexpr int group = 1000;
  while (state.KeepRunningBatch(group)) {
    core::Placer placer(LogState{}, now);
    placer.set_head("order-8841", std::nullopt);
    for (int i = 0; i < group; ++i) {
      benchmark::DoNotOptimize(placer.place(draft));
    }
    benchmark::DoNotOptimize(placer.finish());
  }
}
BENCHMARK(place);

core::Placement placed() {
  core::Placer placer(LogState{}, Timestamp{std::chrono::seconds{1'800'000'000}});
  placer.set_head("order-8841", std::nullopt);
  placer.place(core::make_draft(event(), Uuid{{1}}, Uuid{{2}}, Salt{1}, Salt{2}));
  return placer.finish();
}

void header_bytes(benchmark::State& state) {
  const Header header = placed().records.front().header;
  std::string out;
  for (auto _ : state) {
    out.clear();
    core::append_header_bytes(out, header);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(header_bytes);

void row_hash(benchmark::State& state) {
  const std::string bytes = core::header_bytes(placed().records.front().header);
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::row_hash(Digest{1}, bytes));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size() + 32));
}
BENCHMARK(row_hash);

void parse_meta(benchmark::State& state) {
  const std::string bytes = core::meta_bytes(event().meta);
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::parse_meta(bytes));
  }
}
BENCHMARK(parse_meta);

}  // namespace
