#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

/// One dispatched frame of an event stream.
struct Frame {
  std::string type;  ///< `message` when the frame named none.
  std::string data;
  std::string id;  ///< The last id of the stream, also when this frame had none of its own.

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Reads `text/event-stream` as the HTML standard says, from bytes cut anywhere. One per
/// connection; what was begun and not ended by an empty line is never dispatched. Pure; used on one
/// thread.
class EventStreamParser {
 public:
  /// Takes the next bytes and appends the frames they complete. False when a frame is larger than
  /// any of a server can be: nothing more is taken then.
  [[nodiscard]] bool push(std::string_view bytes, std::vector<Frame>& frames);

  /// The last id that a whole frame has set.
  [[nodiscard]] const std::string& last_id() const noexcept { return last_id_; }

  /// The reconnection time the server asked for, in milliseconds.
  [[nodiscard]] std::optional<std::uint64_t> retry() const noexcept { return retry_; }

 private:
  void end_line(std::vector<Frame>& frames);
  void field(std::string_view name, std::string_view value);
  void dispatch(std::vector<Frame>& frames);

  std::string line_;
  bool first_line_ = true;  ///< A byte order mark may stand in front.
  bool after_carriage_return_ = false;
  bool has_data_ = false;
  std::string data_;
  std::string type_;
  std::string id_buffer_;
  std::string last_id_;
  std::optional<std::uint64_t> retry_;
};

}  // namespace annals::client
