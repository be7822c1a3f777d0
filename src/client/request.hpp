#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annals/follow.hpp"
#include "client/endpoint.hpp"

namespace annals::client {

/// A request to a server. Plain value.
struct Request {
  std::string method = "GET";
  std::string target;  ///< Beginning with `/v1`, encoded.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;  ///< Of a POST.
  /// Sending it twice does the same as once.
  bool repeatable = true;
  std::chrono::milliseconds silence{0};  ///< Longest wait for a byte; 0: `answer_timeout`.
};

/// The head of the request as sent, credentials included; with `chunked`, the body follows in
/// chunks. A header that would break the request in two is left out. Pure.
[[nodiscard]] std::string head_of(const Endpoint& endpoint, const Request& request,
                                  bool chunked = false);

/// Writes the parameters of a target, encoded, in the order added. Pure.
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}

  Target& add(std::string_view name, std::string_view value);
  Target& add(std::string_view name, std::uint64_t value);
  Target& add(const Filters& filters);

  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace annals::client
