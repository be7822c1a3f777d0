#include "annals/read_grant.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/validate_names.hpp"

namespace annals {
namespace {

constexpr std::string_view default_action = "read";
constexpr std::string_view audience_action = "self";

/// In the order of `ReadArea`.
constexpr std::array<std::string_view, 6> area_names{"all",     "own",    "space",
                                                     "channel", "stream", "type"};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::invalid_request, "A read grant " + std::move(detail));
}

std::optional<ReadArea> area_named(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(area_names, name);
  if (found == area_names.end()) return std::nullopt;
  return static_cast<ReadArea>(found - area_names.begin());
}

bool has_value(ReadArea area) noexcept {
  return area != ReadArea::all && area != ReadArea::own;
}

bool is_value(ReadArea area, std::string_view value) noexcept {
  return area == ReadArea::type ? core::is_type_pattern(value) : core::is_plain_text(value);
}

/// Reads `<name>` or `<name>=<value>`.
Result<void> read_area(ReadGrant& grant, std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto area = area_named(text.substr(0, equals));
  if (!area) {
    return refuse("names an area: all, own, space=ID, channel=ID, stream=PREFIX or type=PATTERN");
  }
  grant.area = *area;
  const std::string name(text.substr(0, equals));
  if (!has_value(*area)) {
    if (equals == std::string_view::npos) return {};
    return refuse("for " + name + " has no value");
  }
  if (equals == std::string_view::npos)
    return refuse("for " + name + " needs a value: " + name + "=...");
  grant.value = text.substr(equals + 1);
  if (is_value(*area, grant.value)) return {};
  return refuse(*area == ReadArea::type
                    ? "for type needs a type name or a prefix ending in .*; at most 200 bytes"
                    : "for " + name + " needs 1 to 200 bytes of UTF-8 without U+0000");
}

Result<void> read_actions(ReadGrant& grant, std::string_view text) {
  grant.actions.clear();
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view action = text.substr(0, comma);
    if (!core::is_name(action)) {
      return refuse(
          "has its actions behind the last colon: names of small letters, digits and _, separated "
          "by commas; a value with a colon in it needs them written out");
    }
    if (action == audience_action) {
      return refuse("cannot give the action self: being the audience alone satisfies it");
    }
    if (!grant.actions.emplace(action).second) return refuse("names an action twice");
    if (grant.actions.size() > max_grant_actions) return refuse("has at most 16 actions");
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

ReadGrant ReadGrant::all() {
  return {ReadArea::all, {}, {}};
}

ReadGrant ReadGrant::own() {
  return {};
}

bool reads_all(const ReadGrants& grants) noexcept {
  // `all` is the least of the areas.
  return !grants.empty() && grants.begin()->area == ReadArea::all;
}

std::string to_string(const ReadGrant& grant) {
  std::string text(area_names.at(static_cast<std::size_t>(grant.area)));
  if (has_value(grant.area)) text += '=' + grant.value;
  if (grant.area == ReadArea::all) return text;
  const bool is_default = grant.actions.size() == 1 && *grant.actions.begin() == default_action;
  if (is_default && grant.value.find(':') == std::string::npos) return text;
  char separator = ':';
  for (const std::string& action : grant.actions) {
    text += std::exchange(separator, ',');
    text += action;
  }
  return text;
}

Result<ReadGrant> parse_read_grant(std::string_view text) {
  ReadGrant grant;
  const std::size_t colon = text.rfind(':');
  if (auto read = read_area(grant, text.substr(0, colon)); !read) {
    return std::unexpected(std::move(read).error());
  }
  if (grant.area == ReadArea::all) {
    grant.actions.clear();
    if (colon != std::string_view::npos) return refuse("for all takes every action; name none");
    return grant;
  }
  if (colon == std::string_view::npos) return grant;
  if (auto read = read_actions(grant, text.substr(colon + 1)); !read) {
    return std::unexpected(std::move(read).error());
  }
  return grant;
}

}  // namespace annals
