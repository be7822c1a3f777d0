#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/message.hpp"

namespace annals::server {

/// Which pages of other origins may use the server, and what browsers are told about that. Scheme,
/// host and port are compared exactly. Immutable.
class Cors {
 public:
  /// None.
  Cors() = default;

  /// The pages of these origins, written as browsers send them.
  explicit Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  /// True when origins are listed.
  [[nodiscard]] bool on() const noexcept { return !origins_.empty(); }

  /// True when a request does not come from a page of another origin, or that origin is listed.
  [[nodiscard]] bool trusts(const Request& request) const;

  /// What the answer to `request` has beside its own fields.
  [[nodiscard]] std::vector<Field> fields(const Request& request) const;

  /// True for the question of a browser whether a page may send a request; only while `on`.
  [[nodiscard]] bool is_preflight(const Request& request) const;

  /// The answer to that question, for a path with these methods (`GET, HEAD`). Without `fields`.
  [[nodiscard]] static Response preflight(std::string methods);

 private:
  [[nodiscard]] bool lists(std::string_view origin) const;

  std::vector<std::string> origins_;
};

/// The problem of a request from a page that is not trusted.
[[nodiscard]] Error foreign_origin();

}  // namespace annals::server
