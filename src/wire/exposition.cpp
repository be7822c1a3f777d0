#include "wire/exposition.hpp"

#include <array>
#include <charconv>

namespace annals::wire {

namespace {

std::string number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

void append_label_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

void Exposition::counter(std::string_view name, std::string_view help) {
  begin(name, help, "counter");
}

void Exposition::gauge(std::string_view name, std::string_view help) {
  begin(name, help, "gauge");
}

void Exposition::sample(std::uint64_t value, std::span<const MetricLabel> labels) {
  line({}, labels, std::to_string(value));
}

void Exposition::sample(double value) {
  line({}, {}, number(value));
}

void Exposition::histogram(std::string_view name, std::string_view help,
                           const HistogramSnapshot& values) {
  begin(name, help, "histogram");
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < values.buckets.size(); ++i) {
    count += values.buckets[i];
    const std::string bound = i < values.bounds.size() ? number(values.bounds[i]) : "+Inf";
    const MetricLabel label{"le", bound};
    line("_bucket", {&label, 1}, std::to_string(count));
  }
  line("_sum", {}, number(values.sum));
  line("_count", {}, std::to_string(count));
}

void Exposition::begin(std::string_view name, std::string_view help, std::string_view type) {
  name_ = name;
  text_ += "# HELP ";
  text_ += name;
  text_ += ' ';
  text_ += help;
  text_ += "\n# TYPE ";
  text_ += name;
  text_ += ' ';
  text_ += type;
  text_ += '\n';
}

void Exposition::line(std::string_view suffix, std::span<const MetricLabel> labels,
                      std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  for (const MetricLabel& label : labels) {
    text_ += before;
    text_ += label.name;
    text_ += "=\"";
    append_label_value(text_, label.value);
    text_ += '"';
    before = ',';
  }
  if (!labels.empty()) text_ += '}';
  text_ += ' ';
  text_ += value;
  text_ += '\n';
}

}  // namespace annals::wire
