#include "wire/query.hpp"

#include <algorithm>
#include <cstddef>

namespace annals::wire {

namespace {

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

bool is_cache_buster(std::string_view name) noexcept {
  return name == "_" || name == "cb";
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[at] == '%') {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>((high << 4) | low);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string percent_encode(std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 0x0F]};
    }
  }
  return out;
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::optional<std::string>{""}
                                                  : percent_decode(pair.substr(equals + 1), true);
    if (!name || !value) {
      return fail(ErrorCode::invalid_request,
                  "the query has a percent sign without two hex digits after it");
    }
    query.parameters_.push_back({std::move(*name), std::move(*value)});
  }
  return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found == parameters_.end()) return std::nullopt;
  return std::string_view{found->value};
}

std::optional<std::string_view> Query::value(std::string_view name) const noexcept {
  const auto found = find(name);
  return found && found->empty() ? std::nullopt : found;
}

Result<void> Query::allow_only(std::span<const std::string_view> known) const {
  for (const Parameter& parameter : parameters_) {
    if (is_cache_buster(parameter.name)) continue;
    if (std::ranges::find(known, parameter.name) == known.end()) {
      return fail(ErrorCode::unknown_parameter,
                  "there is no parameter '" + parameter.name + "' here");
    }
    if (auto once = refuse_repeated(parameter.name); !once) return once;
  }
  return {};
}

Result<void> Query::refuse_repeated(std::string_view name) const {
  if (std::ranges::count(parameters_, name, &Parameter::name) <= 1) return {};
  return fail(ErrorCode::invalid_request,
              "the parameter '" + std::string{name} + "' is given twice");
}

}  // namespace annals::wire
