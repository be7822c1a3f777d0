#pragma once

#include <cstdint>

#include "testing/fd.hpp"

namespace annals::test {

/// A socket bound to a free port of 127.0.0.1, which it keeps also while it does not listen; `port`
/// is set to it. Throws std::system_error.
[[nodiscard]] Fd reserve_port(std::uint16_t& port);

/// Makes a bound socket listen, without blocking. Throws std::system_error.
void listen_on(const Fd& bound);

/// The next connection waiting, non-blocking; an empty Fd when there is none.
[[nodiscard]] Fd accept_from(const Fd& listener);

/// A non-blocking connection to a port of 127.0.0.1, perhaps still being made; an empty Fd when it
/// failed at once.
[[nodiscard]] Fd connect_to(std::uint16_t port);

/// Closes with RST and forgets; nothing happens when it is empty.
void reset_connection(Fd& connection);

}  // namespace annals::test
