#include "cli/event_input.hpp"

#include "core/json.hpp"

namespace annals::cli {

LineReader::Got LineReader::next(std::string& line) {
  line.clear();
  auto& buffer = *input_.rdbuf();
  bool any = false;
  bool too_long = false;
  using Traits = std::istream::traits_type;
  for (auto next = buffer.sbumpc(); !Traits::eq_int_type(next, Traits::eof());
       next = buffer.sbumpc()) {
    any = true;
    const char character = Traits::to_char_type(next);
    if (character == '\n') break;
    if (line.size() < max_bytes_) {
      line += character;
    } else {
      too_long = true;
    }
  }
  if (!any) return Got::end;
  if (too_long) return Got::too_long;
  if (line.ends_with('\r')) line.pop_back();
  return Got::line;
}

bool is_whole_object(std::string_view line) {
  core::json::Reader reader(line);
  if (reader.peek() != core::json::Type::object) return false;
  std::string_view raw;
  return reader.read_raw(raw) && reader.finish();
}

}  // namespace annals::cli
