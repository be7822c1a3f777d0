#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace annals::wire {

/// A label of a sample. The value may be any text.
struct MetricLabel {
  std::string_view name;
  std::string_view value;
};

/// A histogram as it is written: what fell at or below each bound, not summed up.
struct HistogramSnapshot {
  std::span<const double> bounds;          ///< Ascending, in the metric's unit.
  std::span<const std::uint64_t> buckets;  ///< One more than `bounds`: the last has no bound.
  double sum = 0;
};

/// Writes the text format of Prometheus, version 0.0.4. Used on one thread.
class Exposition {
 public:
  /// Begins a metric; its samples follow. `help` is one line.
  void counter(std::string_view name, std::string_view help);
  void gauge(std::string_view name, std::string_view help);

  /// A value of the metric begun last.
  void sample(std::uint64_t value, std::span<const MetricLabel> labels = {});
  void sample(double value);

  /// A metric that is a histogram, whole.
  void histogram(std::string_view name, std::string_view help, const HistogramSnapshot& values);

  /// The text so far.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void begin(std::string_view name, std::string_view help, std::string_view type);
  void line(std::string_view suffix, std::span<const MetricLabel> labels, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace annals::wire
