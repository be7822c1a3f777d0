#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annals/result.hpp"

namespace annals::wire {

/// Decodes `%xx`; with `plus_is_space` also `+`, as forms and browsers write queries. `nullopt` for
/// a percent sign without two hex digits. The result may be any bytes.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// Encodes every byte but letters, digits, `-._~` and those in `kept`: by default what stands in
/// one segment of a path or a value of a query. Pure.
[[nodiscard]] std::string percent_encode(std::string_view text, std::string_view kept = {});

/// One parameter of a query string, decoded.
struct Parameter {
  std::string name;
  std::string value;  ///< Empty when there is no `=`.

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// True for `_` and `cb`, which browsers and libraries add to keep caches away: they mean nothing.
[[nodiscard]] bool is_cache_buster(std::string_view name) noexcept;

/// The parameters of a request in the order sent. Plain value.
class Query {
 public:
  /// Reads what stands after the `?`. `invalid_request` for a bad percent encoding.
  static Result<Query> parse(std::string_view text);

  /// The value of a parameter; `nullopt` when it is absent. Of a repeated one, the first.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

  /// The value of a parameter, where an empty one counts as absent.
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const noexcept;

  /// Fails with `unknown_parameter` for a name that is not in `known` and with `invalid_request`
  /// for a repeated one. `_` and `cb`, the cache busters of browsers, are always let through.
  [[nodiscard]] Result<void> allow_only(std::span<const std::string_view> known) const;

  /// Fails with `invalid_request` when the parameter is given more than once.
  [[nodiscard]] Result<void> refuse_repeated(std::string_view name) const;

  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }

 private:
  std::vector<Parameter> parameters_;
};

}  // namespace annals::wire
