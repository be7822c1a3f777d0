#pragma once

#include <string>

namespace annals::client {

/// Replaces what is no UTF-8 as the Encoding standard says: one U+FFFD for each longest beginning
/// of a character. Text that is well formed stays as it is. Pure.
void replace_malformed(std::string& text);

}  // namespace annals::client
