#include "server/metrics.hpp"

#include <utility>

namespace annals::server {

namespace {

constexpr double ns_per_second = 1e9;

constexpr auto append_bounds = std::to_array<double>(
    {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
constexpr auto lag_bounds = std::to_array<double>(
    {0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 30});
constexpr auto wait_bounds =
    std::to_array<double>({0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5});
constexpr auto batch_bounds =
    std::to_array<double>({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384});

constexpr std::string_view other = "other";

void write_counts(wire::Exposition& out, std::string_view label,
                  const std::map<std::string, std::uint64_t, std::less<>>& counts) {
  for (const auto& [value, count] : counts) {
    const wire::MetricLabel labelled{label, value};
    out.sample(count, {&labelled, 1});
  }
}

}  // namespace

void Histogram::observe(std::uint64_t value, std::uint64_t count) noexcept {
  const auto bound = std::ranges::lower_bound(bounds_, static_cast<double>(value) / unit_);
  const auto bucket = static_cast<std::size_t>(bound - bounds_.begin());
  buckets_[bucket].fetch_add(count, std::memory_order_relaxed);
  sum_.fetch_add(value * count, std::memory_order_relaxed);
}

void Histogram::write(wire::Exposition& out, std::string_view name, std::string_view help) const {
  std::array<std::uint64_t, max_bounds + 1> buckets{};
  std::ranges::transform(buckets_, buckets.begin(),
                         [](const auto& bucket) { return bucket.load(std::memory_order_relaxed); });
  const double sum = static_cast<double>(sum_.load(std::memory_order_relaxed)) / unit_;
  out.histogram(name, help, {bounds_, std::span{buckets}.first(bounds_.size() + 1), sum});
}

void TypeCounters::add(const core::Catalogue& catalogue, std::string_view type) {
  const core::TypeEntry* entry = catalogue.find(type);
  const std::string_view label = entry == nullptr ? other : std::string_view{entry->pattern};
  const auto found = group_.find(label);
  if (found != group_.end()) {
    ++found->second;
  } else {
    group_.emplace(label, 1);
  }
}

void TypeCounters::end_group() {
  const std::lock_guard lock{mutex_};
  for (const auto& [label, count] : group_)
    counts_[label] += count;
  group_.clear();
}

void TypeCounters::write(wire::Exposition& out, std::string_view name,
                         std::string_view help) const {
  out.counter(name, help);
  const std::lock_guard lock{mutex_};
  write_counts(out, "type", counts_);
}

Metrics::Metrics(CatalogueNow catalogue)
    : append_seconds(append_bounds, ns_per_second),
      delivery_lag_seconds(lag_bounds, ns_per_second),
      catalogue_now_(std::move(catalogue)),
      batch_events_(batch_bounds, 1),
      lock_wait_seconds_(wait_bounds, ns_per_second) {}

void Metrics::on_lock(std::chrono::nanoseconds waited) noexcept {
  lock_wait_seconds_.observe(waited);
  catalogue_ = catalogue_now_();
}

void Metrics::on_event(std::string_view type) noexcept {
  appended_.add(*catalogue_, type);
}

void Metrics::on_commit(std::size_t events) noexcept {
  batch_events_.observe(std::uint64_t{events});
  appended_.end_group();
}

void Metrics::on_answer(int status) noexcept {
  if (status >= 100 && static_cast<std::size_t>(status) < status_codes) {
    answers_[static_cast<std::size_t>(status)].add();
  }
}

void Metrics::on_disconnect(std::string_view reason) {
  const std::lock_guard lock{mutex_};
  ++disconnects_[std::string{reason}];
}

void Metrics::write(wire::Exposition& out) const {
  appended_.write(out, "annals_events_appended_total",
                  "New events committed by this process, by the type of the catalogue.");
  append_seconds.write(out, "annals_append_seconds", "From the head of an append to its answer.");
  batch_events_.write(out, "annals_commit_batch_events", "New events of one commit.");
  lock_wait_seconds_.write(out, "annals_seq_lock_wait_seconds",
                           "Wait of the committer for the lock of the sequence.");
  out.counter("annals_events_delivered_total", "Events written to subscribers.");
  out.sample(events_delivered.value());
  out.counter("annals_events_replayed_total",
              "Of those delivered, events that were in the log before the subscriber came.");
  out.sample(events_replayed.value());
  delivery_lag_seconds.write(out, "annals_delivery_lag_seconds",
                             "From recorded_at to the write to a subscriber, of live events.");
  out.counter("annals_http_requests_total", "Requests answered, by status.");
  for (std::size_t status = 0; status < status_codes; ++status) {
    if (answers_[status].value() == 0) continue;
    const std::string text = std::to_string(status);
    const wire::MetricLabel label{"code", text};
    out.sample(answers_[status].value(), {&label, 1});
  }
  out.counter("annals_subscriber_disconnects_total", "Streams ended, by reason.");
  const std::lock_guard lock{mutex_};
  write_counts(out, "reason", disconnects_);
}

}  // namespace annals::server
