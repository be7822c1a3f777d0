#include "core/payload_schema_regex.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

namespace annals::core {
namespace {

static_assert(std::numeric_limits<wchar_t>::max() >= 0x10FFFF, "a wchar_t holds a code point");

/// Code points of valid UTF-8.
std::wstring decode(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    std::size_t more = 0;
    std::uint32_t code = lead;
    if (lead >= 0xf0) {
      more = 3;
      code = lead & 0x07U;
    } else if (lead >= 0xe0) {
      more = 2;
      code = lead & 0x0fU;
    } else if (lead >= 0xc0) {
      more = 1;
      code = lead & 0x1fU;
    }
    for (; more > 0 && i < text.size(); --more) {
      code = code << 6U | (static_cast<unsigned char>(text[i++]) & 0x3fU);
    }
    out.push_back(static_cast<wchar_t>(code));
  }
  return out;
}

/// Counts the states a pattern needs: the engine copies what a `{n,m}` repeats, and a short text
/// can ask for millions. Syntax errors are left to the engine.
class CostEstimate {
 public:
  explicit CostEstimate(std::string_view pattern) : pattern_(pattern) { run(); }

  [[nodiscard]] std::size_t states() const noexcept { return worst_; }
  [[nodiscard]] std::size_t groups() const noexcept { return deepest_; }

 private:
  void run() {
    while (at_ < pattern_.size())
      step(pattern_[at_++]);
    while (sums_.size() > 1)
      close();
    worst_ = sums_.back();
  }

  void step(char c) {
    switch (c) {
      case '\\':
        ++at_;
        atom(1);
        break;
      case '[':
        skip_class();
        atom(1);
        break;
      case '(':
        sums_.push_back(1);
        deepest_ = std::max(deepest_, sums_.size() - 1);
        last_ = 0;
        break;
      case ')':
        if (sums_.size() > 1) close();
        break;
      case '{':
        repeat();
        break;
      default:
        atom(1);
        break;
    }
  }

  void atom(std::size_t cost) {
    last_ = cost;
    add(cost);
  }

  void close() {
    const std::size_t group = sums_.back();
    sums_.pop_back();
    atom(group);
  }

  void add(std::size_t cost) { sums_.back() = std::min(sums_.back() + cost, bound); }

  void skip_class() {
    while (at_ < pattern_.size() && pattern_[at_] != ']')
      at_ += pattern_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  void repeat() {
    std::size_t count = 0;
    std::size_t largest = 1;
    for (; at_ < pattern_.size() && pattern_[at_] != '}'; ++at_) {
      const char c = pattern_[at_];
      count = c >= '0' && c <= '9' ? std::min(count * 10 + static_cast<std::size_t>(c - '0'), bound)
                                   : 0;
      largest = std::max(largest, count);
    }
    ++at_;
    // A repeated repetition multiplies again.
    add(std::min(last_ * (largest - 1), bound));
    last_ = std::min(last_ * largest, bound);
  }

  static constexpr std::size_t bound = 1'000'000;

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::vector<std::size_t> sums_{0};
  std::size_t last_ = 0;
  std::size_t deepest_ = 0;
  std::size_t worst_ = 0;
};

}  // namespace

SchemaRegex::SchemaRegex(std::wregex regex, std::size_t cost)
    : regex_(std::move(regex)),
      cost_(cost) {}

std::expected<SchemaRegex, std::string> SchemaRegex::compile(std::string_view pattern) {
  if (pattern.size() > max_bytes) {
    return std::unexpected("a pattern has at most " + std::to_string(max_bytes) + " bytes");
  }
  const CostEstimate cost(pattern);
  if (cost.states() > max_cost || cost.groups() > max_groups) {
    return std::unexpected("the pattern is too large with its repetitions multiplied out (" +
                           std::to_string(max_cost) + " states, " + std::to_string(max_groups) +
                           " nested groups)");
  }
  // The default engine recurses for every character of the text and can take exponential time; the
  // polynomial one does neither. It tries each start separately in a search, so the search is
  // written into the pattern and the whole text is matched.
  constexpr auto flags = std::regex_constants::ECMAScript | std::regex_constants::nosubs |
                         std::regex_constants::__polynomial;
  try {
    const std::wstring wide = decode(pattern);
    // By itself first: inside a group it could close the group.
    static_cast<void>(std::wregex(wide, flags));
    return SchemaRegex(std::wregex(L"[\\s\\S]*(?:" + wide + L")[\\s\\S]*", flags), cost.states());
  } catch (const std::exception&) {
    return std::unexpected("not a regular expression that can be used; back references cannot");
  }
}

bool SchemaRegex::found_in(std::string_view text) const {
  return std::regex_match(decode(text), regex_);
}

}  // namespace annals::core
