#include "wire/json_split.hpp"

#include <string>

namespace annals::wire {

namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

/// The position after the string that begins at `at`, or the end of the text.
std::size_t skip_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

/// The position of the comma or bracket that ends the element at `at`, or the end of the text.
std::size_t end_of_element(std::string_view text, std::size_t at) noexcept {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        continue;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (depth == 0) return at;
        --depth;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
    ++at;
  }
  return at;
}

Error too_many(std::size_t limit) {
  return Error{ErrorCode::too_large,
               "a request may hold at most " + std::to_string(limit) + " events",
               LimitExceeded{"request_max_events", limit},
               {}};
}

}  // namespace

bool is_array(std::string_view text) noexcept {
  const std::string_view trimmed = trim(text);
  return !trimmed.empty() && trimmed.front() == '[';
}

Result<std::vector<std::string_view>> split_array(std::string_view text, std::size_t max_elements) {
  text = trim(text);
  std::vector<std::string_view> elements;
  std::size_t at = 1;
  while (true) {
    const std::size_t end = end_of_element(text, at);
    if (end == text.size()) return fail(ErrorCode::invalid_request, "the array is not closed");
    const std::string_view element = trim(text.substr(at, end - at));
    const bool last = text[end] != ',';
    if (!(last && elements.empty() && element.empty())) elements.push_back(element);
    if (elements.size() > max_elements) return std::unexpected(too_many(max_elements));
    at = end + 1;
    if (!last) continue;
    if (text[end] != ']') return fail(ErrorCode::invalid_request, "the array is not closed");
    if (at != text.size()) {
      return fail(ErrorCode::invalid_request, "something follows the end of the array");
    }
    return elements;
  }
}

}  // namespace annals::wire
