#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace annals {

/// What is done with JSON null members of a payload. Null array elements are refused either way.
enum class NullPolicy : std::uint8_t { refuse, strip };

/// Rules for events. The names are the configuration keys `events.*`; sizes in bytes.
struct EventOptions {
  std::string type_pattern =
      R"(^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$)";          ///< ECMAScript pattern of event types.
  std::size_t payload_max_bytes = std::size_t{56} * 1024;  ///< Payload as stored.
  std::size_t envelope_max_bytes =
      std::size_t{7} * 1024;              ///< Encoded envelope without its payload.
  NullPolicy nulls = NullPolicy::refuse;  ///< What a null member of a payload means.
};

/// Bounds of the append path. The names are the configuration keys `append.*`.
struct AppendLimits {
  std::size_t queue_max_bytes = std::size_t{16} * 1024 * 1024;  ///< What may be queued.
  std::chrono::milliseconds queue_timeout{5000};  ///< Wait for room or the write lock.
  std::size_t request_max_bytes = std::size_t{8} * 1024 * 1024;  ///< All members of a request.
  std::size_t request_max_events = 10'000;                       ///< Events of a request.
  std::size_t group_max_events = 1000;  ///< A group ends at the request that reaches it.
  std::chrono::hours idempotency_window{24 *
                                        7};  ///< How long repeats are known by key or reference.
};

/// Units of work. The names are the configuration keys `unit.*`.
struct UnitOptions {
  std::chrono::milliseconds max_duration{5000};  ///< Then the unit is rolled back.
  std::chrono::milliseconds audit_timeout{500};  ///< All audit hooks of a unit together.
};

/// Everything an `EventLog` can be told. Plain value; validated by `EventLog::open`.
struct LogOptions {
  EventOptions events;                 ///< `events.*`
  AppendLimits append;                 ///< `append.*`
  UnitOptions unit;                    ///< `unit.*`
  std::size_t chain_head_cache = 200;  ///< `chain.head_cache`, streams kept in memory.
  std::size_t verify_memory = std::size_t{256} * 1024 * 1024;  ///< `verify.memory`, bytes.
};

}  // namespace annals
