#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace annals::client {

/// Reads one HTTP answer out of bytes cut anywhere; its body is taken piece by piece. Pure; used on
/// one thread.
class ResponseReader {
 public:
  ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(const ResponseReader&) = delete;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  /// Takes the next bytes; false when they are no HTTP.
  [[nodiscard]] bool feed(std::string_view bytes);

  /// The connection has ended; false when the answer was not complete.
  [[nodiscard]] bool finish();

  /// Any byte has come.
  [[nodiscard]] bool begun() const noexcept;
  /// Status and headers are there.
  [[nodiscard]] bool head_complete() const;
  /// Everything is there.
  [[nodiscard]] bool complete() const;

  [[nodiscard]] int status() const;
  /// The value of a header; empty when there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
  /// The connection can carry another request.
  [[nodiscard]] bool keeps_alive() const;

  /// What of the body has come since the last call.
  [[nodiscard]] std::string take_body();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annals::client
