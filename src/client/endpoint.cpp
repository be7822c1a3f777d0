#include "client/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "client/trust.hpp"

namespace annals::client {

Trust::Trust() : context_(boost::asio::ssl::context::tls_client) {}

Result<std::shared_ptr<Trust>> Trust::load(const std::string& ca_file) {
  namespace ssl = boost::asio::ssl;
  std::shared_ptr<Trust> trust(new Trust);
  boost::system::error_code error;
  trust->context_.set_options(
      ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  trust->context_.set_verify_mode(ssl::verify_peer, error);
  if (ca_file.empty()) {
    trust->context_.set_default_verify_paths(error);
  } else {
    trust->context_.load_verify_file(ca_file, error);
  }
  if (error) {
    return fail(ErrorCode::invalid_request,
                "no certificate can be read from the CA file '" + ca_file + "'");
  }
  return trust;
}

Result<std::shared_ptr<const Endpoint>> Endpoint::make(ClientOptions options) {
  auto url = parse_server_url(options.url);
  if (!url) return std::unexpected(std::move(url.error()));
  // Anything else would end the header, and what followed would be one of the key's making.
  if (!std::ranges::all_of(options.api_key, [](char c) { return c > ' ' && c <= '~'; })) {
    return fail(ErrorCode::invalid_request, "the API key has characters that no key has");
  }
  auto endpoint = std::make_shared<Endpoint>();
  if (url->tls) {
    auto trust = Trust::load(options.ca_file);
    if (!trust) return std::unexpected(std::move(trust.error()));
    endpoint->trust = std::move(*trust);
  }
  endpoint->url = std::move(*url);
  endpoint->options = std::move(options);
  return endpoint;
}

}  // namespace annals::client
