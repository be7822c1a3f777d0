#include "annals/digest.hpp"

#include "core/text_forms.hpp"

namespace annals {

std::string to_hex(const Digest& digest) {
  std::string text;
  core::append_hex(text, digest);
  return text;
}

std::string to_hex(const Salt& salt) {
  std::string text;
  core::append_hex(text, salt);
  return text;
}

std::optional<Digest> parse_digest(std::string_view text) noexcept {
  Digest digest;
  if (!core::parse_hex(text, digest)) return std::nullopt;
  return digest;
}

}  // namespace annals
