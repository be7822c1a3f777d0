#include "testing/append_recorder.hpp"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

namespace annals::test {

namespace {

/// A line is whole when it ends with this: a torn one may look like a shorter whole one otherwise.
constexpr std::string_view line_end = " ;";

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

/// `seq,stream_seq,hash`, with `-` for no stream_seq.
std::optional<AnsweredPlace> parse_place(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 3) return std::nullopt;
  const auto seq = parse_number(parts[0]);
  const auto hash = parse_digest(parts[2]);
  if (!seq || !hash) return std::nullopt;
  AnsweredPlace place{*seq, std::nullopt, *hash};
  if (parts[1] != "-") {
    place.stream_seq = parse_number(parts[1]);
    if (!place.stream_seq) return std::nullopt;
  }
  return place;
}

/// `head,log_hash`
std::optional<Receipt> parse_receipt(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) return std::nullopt;
  const auto head = parse_number(parts[0]);
  const auto hash = parse_digest(parts[1]);
  if (!head || !hash) return std::nullopt;
  return Receipt{*head, *hash};
}

bool read_field(char kind, std::string_view field, JournalEntry& entry) {
  if (kind == 'S') {
    const auto token = parse_uuid(field);
    if (token) entry.tokens.push_back(*token);
    return token.has_value();
  }
  if (field.starts_with('=')) {
    entry.receipt = parse_receipt(field.substr(1));
    return entry.receipt.has_value();
  }
  const auto place = parse_place(field);
  if (place) entry.places.push_back(*place);
  return place.has_value();
}

/// Fills `entries` from one whole line; false when the line is none.
bool read_line(std::string_view line, std::map<std::uint64_t, JournalEntry>& entries) {
  if (!line.ends_with(line_end)) return false;
  line.remove_suffix(line_end.size());
  const auto fields = split(line, ' ');
  if (fields.size() < 2 || fields[0].size() != 1) return false;
  const auto request = parse_number(fields[1]);
  if (!request) return false;
  const char kind = fields[0].front();
  JournalEntry& entry = entries[*request];
  for (std::size_t i = 2; i < fields.size(); ++i) {
    if (!read_field(kind, fields[i], entry)) return false;
  }
  if (kind == 'A') entry.outcome = JournalEntry::Outcome::accepted;
  if (kind == 'R') entry.outcome = JournalEntry::Outcome::refused;
  return true;
}

}  // namespace

AppendRecorder::AppendRecorder(const std::filesystem::path& file)
    : fd_(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), file.string());
}

std::uint64_t AppendRecorder::sending(std::span<const Uuid> tokens) {
  const std::uint64_t request = ++requests_;
  std::string line = "S " + std::to_string(request);
  for (const auto& token : tokens)
    line += " " + to_string(token);
  write(std::move(line));
  return request;
}

void AppendRecorder::accepted(std::uint64_t request, std::span<const AnsweredPlace> places,
                              const std::optional<Receipt>& receipt) {
  std::string line = "A " + std::to_string(request);
  for (const auto& place : places) {
    line += " " + std::to_string(place.seq) + ",";
    line += place.stream_seq ? std::to_string(*place.stream_seq) : "-";
    line += "," + to_hex(place.hash);
  }
  if (receipt) line += " =" + std::to_string(receipt->head) + "," + to_hex(receipt->log_hash);
  write(std::move(line));
}

void AppendRecorder::durable(std::uint64_t request) {
  accepted(request, {}, std::nullopt);
}

void AppendRecorder::refused(std::uint64_t request) {
  write("R " + std::to_string(request));
}

void AppendRecorder::answered(std::uint64_t request, const Result<AppendResult>& answer) {
  if (!answer) {
    if (answer.error().code != ErrorCode::commit_unknown) refused(request);
    return;
  }
  std::vector<AnsweredPlace> places;
  places.reserve(answer->events.size());
  for (const auto& event : answer->events) {
    places.push_back({event.seq, event.stream_seq, event.hash});
  }
  accepted(request, places, answer->receipt);
}

void AppendRecorder::write(std::string line) const {
  line += line_end;
  line += '\n';
  const ssize_t written = ::write(fd_.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    throw std::system_error(errno, std::generic_category(), "journal");
  }
}

bool load_journal(const std::filesystem::path& file, Journal& journal) {
  std::ifstream in(file);
  if (!in) return false;
  std::map<std::uint64_t, JournalEntry> entries;
  for (std::string line; std::getline(in, line);) {
    const bool whole = read_line(line, entries);
    if (!whole && in.peek() != std::ifstream::traits_type::eof()) return false;
  }
  for (auto& [request, entry] : entries)
    journal.push_back(std::move(entry));
  return true;
}

std::optional<Receipt> last_receipt(const Journal& journal) {
  std::optional<Receipt> last;
  for (const auto& entry : journal) {
    if (entry.receipt && (!last || entry.receipt->head > last->head)) last = entry.receipt;
  }
  return last;
}

}  // namespace annals::test
