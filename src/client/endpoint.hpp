#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "annals/client.hpp"
#include "annals/result.hpp"
#include "client/server_url.hpp"

namespace annals::client {

/// The certificates trusted; heavy, so only forward declared here.
class Trust;

/// A server and how it is reached; shared by all connections to it. Immutable.
struct Endpoint {
  ServerUrl url;
  ClientOptions options;
  std::shared_ptr<Trust> trust;  ///< Null without TLS.

  /// Checks the options and loads the certificates. Errors: `invalid_request`.
  static Result<std::shared_ptr<const Endpoint>> make(ClientOptions options);
};

}  // namespace annals::client
