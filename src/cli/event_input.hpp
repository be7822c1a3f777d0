#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace annals::cli {

/// Reads lines of bounded length. The stream outlives it; used on one thread.
class LineReader {
 public:
  enum class Got : std::uint8_t { line, too_long, end };

  LineReader(std::istream& input, std::size_t max_bytes) : input_(input), max_bytes_(max_bytes) {}

  /// The next line without its end (`\n` or `\r\n`). Of one that is too long `line` has the
  /// beginning, and the rest is skipped.
  Got next(std::string& line);

 private:
  std::istream& input_;
  std::size_t max_bytes_;
};

/// True when the text is one complete JSON object: with more lines behind it, NDJSON.
[[nodiscard]] bool is_whole_object(std::string_view line);

}  // namespace annals::cli
