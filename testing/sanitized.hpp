#pragma once

namespace annals::test {

/// True in a build with a sanitizer, which is many times slower: a test that counts rounds does
/// fewer of them there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace annals::test
