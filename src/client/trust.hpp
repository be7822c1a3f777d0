#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "annals/result.hpp"

namespace annals::client {

/// The certificates a client trusts. Immutable once made; shared between threads.
class Trust {
 public:
  /// Those of a PEM file, or of the system when it is empty. Errors: `invalid_request`.
  static Result<std::shared_ptr<Trust>> load(const std::string& ca_file);

  boost::asio::ssl::context& context() noexcept { return context_; }

 private:
  Trust();

  boost::asio::ssl::context context_;
};

}  // namespace annals::client
