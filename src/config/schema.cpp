#include "config/schema.hpp"

#include <algorithm>
#include <numeric>

namespace annals::config {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += ", ";
    out += '"' + word + '"';
  }
  return out;
}

template <typename T>
std::string range_of(const Key& key, T (*make)(std::uint64_t)) {
  std::string out = "from " + to_text(make(key.min)) + " to " + to_text(make(key.max));
  if (key.step > 1) out += ", a multiple of " + to_text(make(key.step));
  return out;
}

std::uint64_t as_integer(std::uint64_t number) {
  return number;
}
std::chrono::milliseconds as_duration(std::uint64_t number) {
  return std::chrono::milliseconds(number);
}
Size as_size(std::uint64_t number) {
  return Size{number};
}

/// Number of insertions, deletions and replacements between two names.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view Key::section() const noexcept {
  const std::string_view text = name;
  const auto dot = text.find('.');
  return dot == std::string_view::npos ? std::string_view{} : text.substr(0, dot);
}

std::string Key::environment_name() const {
  std::string out = "ANNALS_";
  for (const char c : name) {
    if (c == '.') {
      out += '_';
    } else if (c >= 'a' && c <= 'z') {
      out += static_cast<char>(c - 'a' + 'A');
    } else {
      out += c;
    }
  }
  return out;
}

std::string Key::expected() const {
  switch (type) {
    case Type::text:
      return shape.empty() ? "a text" : shape;
    case Type::choice:
      return "one of " + joined(choices);
    case Type::integer:
      return "a whole number " + range_of(*this, as_integer);
    case Type::duration:
      return "a duration with a unit (ms, s, m, h, d) " + range_of(*this, as_duration) +
             R"(, such as "5s")";
    case Type::size:
      return "a size with a unit (B, KiB, MiB, GiB, TiB) " + range_of(*this, as_size) +
             R"(, such as "8MiB")";
    case Type::flag:
      return "true or false";
  }
  return {};
}

std::optional<Value> Key::parse(const std::string& text) const {
  const auto in_bounds = [this](std::uint64_t number) {
    return number >= min && number <= max && number % step == 0;
  };
  switch (type) {
    case Type::text:
      if (accepts && !accepts(text)) return std::nullopt;
      return Value(text);
    case Type::choice:
      if (std::ranges::find(choices, text) == choices.end()) return std::nullopt;
      return Value(text);
    case Type::integer: {
      const auto number = parse_integer(text);
      if (!number || !in_bounds(*number)) return std::nullopt;
      return Value(*number);
    }
    case Type::duration: {
      const auto duration = parse_duration(text);
      if (!duration || !in_bounds(static_cast<std::uint64_t>(duration->count()))) {
        return std::nullopt;
      }
      return Value(*duration);
    }
    case Type::size: {
      const auto size = parse_size(text);
      if (!size || !in_bounds(size->bytes)) return std::nullopt;
      return Value(*size);
    }
    case Type::flag:
      if (text == "true") return Value(true);
      if (text == "false") return Value(false);
      return std::nullopt;
  }
  return std::nullopt;
}

const Key* find_key(std::span<const Key> keys, std::string_view name) noexcept {
  const auto found =
      std::ranges::find_if(keys, [name](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::string nearest_name(std::span<const Key> keys, std::string_view name) {
  std::string nearest;
  std::size_t best = std::max<std::size_t>(2, name.size() / 4) + 1;
  for (const auto& key : keys) {
    const std::size_t apart = distance(key.name, name);
    if (apart < best) {
      best = apart;
      nearest = key.name;
    }
  }
  return nearest;
}

}  // namespace annals::config
