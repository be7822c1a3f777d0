#include "cli/event_printer.hpp"

#include <algorithm>
#include <utility>

#include "cli/text.hpp"
#include "wire/envelope_reader.hpp"

namespace annals::cli {
namespace {

constexpr std::size_t time_width = 19;
constexpr std::size_t type_width = 26;
constexpr std::size_t stream_width = 20;
constexpr std::size_t actor_width = 16;
constexpr std::size_t least_payload_width = 20;
constexpr std::string_view gap = "  ";

/// `2026-01-31 12:00:00`, UTC.
std::string short_time(Timestamp time) {
  std::string text = to_string(time).substr(0, time_width);
  text[10] = ' ';
  return text;
}

std::string stream_of(const Envelope& event) {
  if (!event.stream) return "-";
  return event.stream->name + "#" + std::to_string(event.stream->seq);
}

std::string actor_of(const Envelope& event) {
  if (!event.actor) return "-";
  std::string text(to_string(event.actor->kind));
  if (event.actor->id) text += "/" + *event.actor->id;
  return text;
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace

EventPrinter::EventPrinter(Context& context, std::uint64_t head)
    : streams_(context.streams()),
      table_(streams_.out_is_terminal && !context.json()),
      seq_width_(std::max<std::size_t>(5, std::to_string(head).size())) {}

void EventPrinter::print_heading() {
  std::string text = right_aligned("seq", seq_width_);
  text += std::string(gap) + cell("recorded (UTC)", time_width) + std::string(gap) +
          cell("type", type_width) + std::string(gap) + cell("stream", stream_width) +
          std::string(gap) + cell("actor", actor_width) + std::string(gap) + "payload";
  if (streams_.colours) text = "\x1b[1m" + text + "\x1b[0m";
  streams_.out << text << '\n';
  heading_printed_ = true;
}

std::string EventPrinter::row(const Envelope& event) const {
  const std::string seq = right_aligned(std::to_string(event.seq), seq_width_);
  const std::string time = short_time(event.recorded_at);
  const std::string type = cell(event.type, type_width);
  const std::size_t used =
      seq_width_ + time_width + type_width + stream_width + actor_width + 5 * gap.size();
  const std::size_t left = streams_.columns > used ? streams_.columns - used : 0;
  std::string text = seq + std::string(gap);
  text += streams_.colours ? "\x1b[2m" + time + "\x1b[0m" : time;
  text += gap;
  text += streams_.colours ? "\x1b[36m" + type + "\x1b[0m" : type;
  text += gap;
  text += cell(stream_of(event), stream_width) + std::string(gap);
  text += cell(actor_of(event), actor_width) + std::string(gap);
  text += payload_erased(event) ? "(erased)"
                                : clipped(event.payload, std::max(left, least_payload_width));
  return text;
}

Outcome<bool> EventPrinter::print(const LoggedEvent& event) {
  if (table_) {
    const auto envelope = wire::read_envelope(event.json);
    if (!envelope) {
      return failed({ErrorCode::store_corrupt, "an event is not one that can be shown", {}, {}});
    }
    if (!heading_printed_) print_heading();
    streams_.out << row(*envelope) << '\n';
  } else {
    streams_.out << event.json << '\n';
  }
  return streams_.out.good();
}

}  // namespace annals::cli
