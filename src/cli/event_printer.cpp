#include "cli/event_printer.hpp"

#include <algorithm>
#include <utility>

#include "cli/text.hpp"
#include "wire/envelope.hpp"

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

std::string stream_of(const Header& header) {
  if (!header.stream) return "-";
  return *header.stream + "#" + std::to_string(header.stream_seq.value_or(0));
}

std::string actor_of(const Meta& meta) {
  if (!meta.actor) return "-";
  std::string text(to_string(meta.actor->kind));
  if (meta.actor->id) text += "/" + *meta.actor->id;
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

std::string EventPrinter::row(const Record& record, const Meta& meta) const {
  const auto& header = record.header;
  const std::string seq = right_aligned(std::to_string(header.seq), seq_width_);
  const std::string time = short_time(header.recorded_at);
  const std::string type = cell(header.type, type_width);
  const std::size_t used =
      seq_width_ + time_width + type_width + stream_width + actor_width + 5 * gap.size();
  const std::size_t left = streams_.columns > used ? streams_.columns - used : 0;
  std::string text = seq + std::string(gap);
  text += streams_.colours ? "\x1b[2m" + time + "\x1b[0m" : time;
  text += gap;
  text += streams_.colours ? "\x1b[36m" + type + "\x1b[0m" : type;
  text += gap;
  text += cell(stream_of(header), stream_width) + std::string(gap);
  text += cell(actor_of(meta), actor_width) + std::string(gap);
  text += record.redacted() && !record.payload
              ? "(erased)"
              : clipped(payload_of(record), std::max(left, least_payload_width));
  return text;
}

Outcome<bool> EventPrinter::print(const Record& record) {
  line_.clear();
  if (table_) {
    auto meta = meta_of(record);
    if (!meta) return failed(std::move(meta.error()));
    if (!heading_printed_) print_heading();
    line_ = row(record, *meta);
  } else {
    auto written = wire::append_envelope(line_, record, wire::Rendering::privileged);
    if (!written) return failed(std::move(written.error()));
  }
  line_ += '\n';
  streams_.out << line_;
  return streams_.out.good();
}

}  // namespace annals::cli
