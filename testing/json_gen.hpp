#pragma once

#include <cstddef>
#include <string>

#include "testing/random.hpp"

namespace annals::test {

/// A payload as a producer might send it, and the same tokens without insignificant whitespace: the
/// form that must be stored, byte for byte.
struct GeneratedPayload {
  std::string sent;
  std::string compact;
};

/// Appends the UTF-8 bytes of a code point that is not a surrogate.
void append_utf8(std::string& out, char32_t code_point);

/// Random well-formed text of at most `max_bytes` bytes without U+0000, in characters of one to
/// four bytes: quotes, controls, combining sequences, right-to-left, line separators,
/// non-characters. Never empty when `max_bytes` is not 0.
[[nodiscard]] std::string random_text(Random& random, std::size_t max_bytes);

/// A random JSON object that every rule for payloads accepts: no null, unique keys after
/// unescaping, at most 64 levels, well-formed Unicode. Spells numbers and escapes in every way the
/// grammar has, and adds whitespace to `sent`. `compact` is at most `max_bytes` bytes, which must
/// be 2 or more.
[[nodiscard]] GeneratedPayload random_payload(Random& random, std::size_t max_bytes);

/// Like `random_payload`, with `compact` exactly `bytes` long; `bytes` must be 16 or more.
[[nodiscard]] GeneratedPayload payload_of_size(Random& random, std::size_t bytes);

/// An object nested exactly `levels` deep, the outermost being level 1. A mix of arrays and
/// objects.
[[nodiscard]] GeneratedPayload payload_of_depth(Random& random, std::size_t levels);

}  // namespace annals::test
