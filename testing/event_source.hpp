#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace annals::test {

/// What a browser's EventSource makes of the bytes of its connections, without a socket: the head
/// of the answer, blocks, the id to ask with, how long to wait before that. Checks that the events
/// are numbered 1, 2, 3, ... by the member `seq` that their data begins with. Used on one thread.
class EventSource {
 public:
  using OnEvent = std::function<void(std::uint64_t)>;

  /// The bytes to ask for `path` with, on a new connection. What came of a block that was cut on
  /// the one before is forgotten.
  [[nodiscard]] std::string request(const std::string& path);

  /// Takes what arrived, and calls `on_event` with the number of each event that has come whole.
  /// False when this client is to stop for good: `fault` says why.
  bool take(std::string_view bytes, const OnEvent& on_event);

  /// Whether the head of an answer that is a stream has come on this connection.
  [[nodiscard]] bool open() const noexcept { return !in_head_; }

  /// The number of the last event.
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

  /// The last `retry:` that came.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  std::size_t take_head(std::string_view bytes);
  std::size_t take_lines(std::string_view bytes, const OnEvent& on_event);
  void take_field(std::string_view line);
  void end_block(const OnEvent& on_event);
  void begin_block();

  bool in_head_ = true;
  std::string rest_;  ///< A head or a line that is not whole yet.
  std::uint64_t last_ = 0;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
  std::string fault_;

  // The block under way.
  std::string id_;
  bool has_id_ = false;
  bool control_ = false;
  std::optional<std::uint64_t> seq_;
};

}  // namespace annals::test
