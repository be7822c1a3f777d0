#include "server/jwt_claims.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/capability_mint.hpp"
#include "core/json.hpp"

namespace annals::server {

namespace {

using core::json::Reader;
using core::json::Type;

/// The end of the year 9999: later times have no text.
constexpr double max_seconds = 253'402'300'799;

/// A number of seconds since 1970, with or without a fraction.
std::optional<Timestamp> read_time(Reader& reader) {
  std::string_view text;
  if (!reader.read_number(text)) return std::nullopt;
  double seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc{} || seconds < 0 || seconds > max_seconds) return std::nullopt;
  constexpr double micros_per_second = 1e6;
  return Timestamp{
      std::chrono::microseconds{static_cast<std::int64_t>(seconds * micros_per_second)}};
}

std::optional<std::string> read_text(Reader& reader) {
  std::string text;
  if (!reader.read_string(text)) return std::nullopt;
  return text;
}

std::optional<std::vector<std::string>> read_texts(Reader& reader) {
  std::vector<std::string> texts;
  if (!reader.begin_array()) return std::nullopt;
  while (reader.next_element()) {
    auto text = read_text(reader);
    if (!text) return std::nullopt;
    texts.push_back(*std::move(text));
  }
  if (reader.problem()) return std::nullopt;
  return texts;
}

std::optional<std::vector<std::string>> read_audience(Reader& reader) {
  if (reader.peek() == Type::array) return read_texts(reader);
  auto one = read_text(reader);
  if (!one) return std::nullopt;
  return std::vector{*std::move(one)};
}

std::optional<AllowedTypes> read_types(Reader& reader) {
  const auto texts = read_texts(reader);
  if (!texts) return std::nullopt;
  AllowedTypes types;
  for (const std::string& text : *texts) {
    auto some = core::parse_allowed_types(text);
    if (!some) return std::nullopt;
    types.merge(*some);
  }
  return types;
}

std::optional<ReadGrants> read_grants(Reader& reader) {
  const auto texts = read_texts(reader);
  if (!texts || texts->size() > max_read_grants) return std::nullopt;
  ReadGrants grants;
  for (const std::string& text : *texts) {
    auto grant = parse_read_grant(text);
    if (!grant) return std::nullopt;
    grants.insert(*std::move(grant));
  }
  return grants;
}

/// Moves a value that was read to where it belongs; false when it could not be read.
template <typename Value, typename Place>
bool keep(std::optional<Value> value, Place& place) {
  if (!value) return false;
  place = *std::move(value);
  return true;
}

std::optional<JwtGrants> read_both_grants(Reader& reader) {
  JwtGrants grants;
  if (!reader.begin_object()) return std::nullopt;
  std::string name;
  while (reader.next_member(name)) {
    const bool good = name == "append" ? keep(read_types(reader), grants.append)
                      : name == "read" ? keep(read_grants(reader), grants.read)
                                       : false;
    if (!good) return std::nullopt;
  }
  if (reader.problem()) return std::nullopt;
  return grants;
}

}  // namespace

std::unexpected<Error> refuse_token(std::string_view reason) {
  return fail(ErrorCode::not_authenticated, "the token is refused: " + std::string{reason});
}

Result<JwtHeader> read_jwt_header(std::string_view json) {
  Reader reader{json};
  JwtHeader header;
  std::string name;
  bool good = reader.begin_object();
  while (good && reader.next_member(name)) {
    if (name == "alg") good = keep(read_text(reader), header.algorithm);
    if (name == "crit") header.critical = true;
  }
  if (!good || !reader.finish()) return refuse_token("its head is malformed");
  return header;
}

Result<JwtClaims> read_jwt_claims(std::string_view json, std::string_view grants_claim) {
  Reader reader{json};
  JwtClaims claims;
  std::string name;
  if (!reader.begin_object()) return refuse_token("its claims are malformed");
  while (reader.next_member(name)) {
    if (name == "sub" && !keep(read_text(reader), claims.subject)) {
      return refuse_token("sub is a text");
    }
    if (name == "exp" && !keep(read_time(reader), claims.expires)) {
      return refuse_token("exp is a number of seconds since 1970");
    }
    if (name == "nbf" && !keep(read_time(reader), claims.begins)) {
      return refuse_token("nbf is a number of seconds since 1970");
    }
    if (name == "iss" && !keep(read_text(reader), claims.issuer)) {
      return refuse_token("iss is a text");
    }
    if (name == "aud" && !keep(read_audience(reader), claims.audience)) {
      return refuse_token("aud is a text or a list of texts");
    }
    if (name == grants_claim && !keep(read_both_grants(reader), claims.grants)) {
      return refuse_token("its grants are malformed");
    }
  }
  if (!reader.finish()) return refuse_token("its claims are malformed");
  return claims;
}

}  // namespace annals::server
