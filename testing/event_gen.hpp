#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annals/event.hpp"
#include "annals/uuid.hpp"
#include "testing/json_gen.hpp"
#include "testing/random.hpp"

namespace annals::test {

/// What kind of events are generated. Plain value.
struct EventGenOptions {
  std::size_t streams = 8;           ///< Size of the pool of stream names; 0: all are unchained.
  unsigned unchained_percent = 25;   ///< Share of events without a stream.
  unsigned id_percent = 50;          ///< Share of events that bring their own id.
  std::size_t payload_bytes = 1024;  ///< Bound of ordinary payloads.
  unsigned edge_percent = 3;   ///< Share of payloads at a limit (56 KiB, 64 levels), and of events
                               ///< with every text as long as it may be.
  bool client_msg_ids = true;  ///< Whether some events bring one; unique in a generator.
};

/// Endless random events that every rule of the default configuration and of an empty catalogue
/// accepts. They use every member, Unicode of all lengths, and lengths at the limits. The same seed
/// and options give the same events. Used on one thread.
class EventGen {
 public:
  explicit EventGen(std::uint64_t seed, EventGenOptions options = {});

  /// The next event.
  NewEvent event();

  /// The next `count` events.
  std::vector<NewEvent> batch(std::size_t count);

  /// `compact` of the payload of the event made last: what the log must have stored of it.
  [[nodiscard]] const std::string& compact_payload() const noexcept { return compact_payload_; }

  /// A random UUID (version 4), never nil.
  Uuid uuid();

  /// The pool of stream names: distinct, 1 to 200 bytes, none begins with `$`.
  [[nodiscard]] const std::vector<std::string>& streams() const noexcept { return streams_; }

  /// The source of choices, for tests that need more of the same seed.
  Random& random() noexcept { return random_; }

 private:
  std::string text(std::size_t max_bytes);
  std::string type();
  std::string label_key();
  Timestamp time();
  void fill_who(NewEvent& event);
  void fill_where(NewEvent& event);
  void fill_labels(NewEvent& event);
  std::string payload();

  Random random_;
  EventGenOptions options_;
  std::vector<std::string> streams_;
  std::string compact_payload_;
  std::uint64_t made_ = 0;
  std::size_t text_left_ = 0;  ///< What the event's texts may still cost in the envelope.
  bool full_ = false;          ///< This event's texts are as long as they may be.
};

}  // namespace annals::test
