#include "server/jwt.hpp"

#include <algorithm>
#include <optional>

#include "annals/key.hpp"
#include "core/validate_names.hpp"
#include "server/base64url.hpp"

namespace annals::server {

namespace {

/// With its prefix it is the name of a key.
constexpr std::size_t max_subject_bytes = core::max_text_bytes - subject_key_prefix.size();

std::optional<JwtAlgorithm> parse_algorithm(std::string_view name) {
  for (const auto algorithm : {JwtAlgorithm::hs256, JwtAlgorithm::eddsa}) {
    if (name == to_string(algorithm)) return algorithm;
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_jwt(std::string_view credential) noexcept {
  return !credential.starts_with("annals_") && std::ranges::count(credential, '.') == 2;
}

Result<JwtVerifier> JwtVerifier::load(const JwtOptions& options) {
  const auto algorithm = parse_algorithm(options.algorithm);
  if (!algorithm) {
    return fail(ErrorCode::invalid_request, "jwt.algorithm must be HS256 or EdDSA");
  }
  auto key = JwtKey::load(*algorithm, options.key_file);
  if (!key) return std::unexpected(std::move(key).error());
  return JwtVerifier{options, *std::move(key)};
}

Result<JwtClaims> JwtVerifier::open(std::string_view token) const {
  if (token.size() > max_jwt_bytes) return refuse_token("it has more than 8192 bytes");
  if (!looks_like_jwt(token)) return refuse_token("it has not three parts");
  const std::size_t head_end = token.find('.');
  const std::size_t signed_end = token.rfind('.');
  const auto head = decode_base64url(token.substr(0, head_end));
  const auto claims = decode_base64url(token.substr(head_end + 1, signed_end - head_end - 1));
  const auto signature = decode_base64url(token.substr(signed_end + 1));
  if (!head || !claims || !signature) return refuse_token("a part of it is not base64url");
  const auto header = read_jwt_header(*head);
  if (!header) return std::unexpected(header.error());
  // The algorithm is ours, never the token's choice.
  if (header->algorithm != to_string(key_.algorithm()))
    return refuse_token("it has another algorithm");
  if (header->critical) return refuse_token("it has crit, of which nothing is understood here");
  if (!key_.signs(token.substr(0, signed_end), *signature)) {
    return refuse_token("its signature does not hold");
  }
  return read_jwt_claims(*claims, options_.claim);
}

Result<JwtIdentity> JwtVerifier::verify(std::string_view token, Timestamp now) const {
  auto claims = open(token);
  if (!claims) return std::unexpected(std::move(claims).error());
  if (!core::is_plain_text(claims->subject, max_subject_bytes)) {
    return refuse_token("sub has 1 to 196 bytes");
  }
  if (!claims->expires) return refuse_token("it has no exp");
  if (now >= *claims->expires + options_.leeway) return refuse_token("it has expired");
  if (claims->begins && now + options_.leeway < *claims->begins) {
    return refuse_token("it is not valid yet");
  }
  if (!options_.issuer.empty() && claims->issuer != options_.issuer) {
    return refuse_token("it is of another issuer");
  }
  if (!options_.audience.empty() &&
      std::ranges::find(claims->audience, options_.audience) == claims->audience.end()) {
    return refuse_token("it is for another audience");
  }
  if (!claims->grants) return refuse_token("it has no grants");
  return JwtIdentity{.subject = std::move(claims->subject),
                     .append = std::move(claims->grants->append),
                     .read = std::move(claims->grants->read),
                     .expires_at = *claims->expires + options_.leeway};
}

}  // namespace annals::server
