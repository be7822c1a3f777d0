#include "cli/report.hpp"

#include <algorithm>
#include <variant>

#include "cli/text.hpp"
#include "wire/problem.hpp"
#include "wire/text.hpp"

namespace annals::cli {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::vector<std::string> lines_of(const InvalidEvent& details) {
  std::size_t pointer_width = 0;
  std::size_t index_width = 0;
  for (const auto& violation : details.violations) {
    pointer_width = std::max(pointer_width, printable(violation.pointer).size());
    index_width = std::max(index_width, std::to_string(violation.index).size());
  }
  std::vector<std::string> lines;
  for (const auto& violation : details.violations) {
    lines.push_back("event " + padded(std::to_string(violation.index), index_width) + "  " +
                    padded(printable(violation.pointer), pointer_width) + "  " +
                    printable(violation.message) + " (" + violation.rule + ")");
  }
  return lines;
}

std::vector<std::string> lines_of(const NotAllowed& details) {
  std::string allowed;
  for (const auto& type : details.allowed_types) {
    if (!allowed.empty()) allowed += ", ";
    allowed += type;
  }
  return {"refused type:  " + printable(details.refused_type), "allowed types: " + allowed};
}

std::vector<std::string> lines_of(const VersionConflict& details) {
  std::vector<std::string> lines;
  for (const auto& stream : details.streams) {
    std::string line =
        "stream " + printable(stream.stream) + " is at version " + std::to_string(stream.version);
    if (stream.head_hash) line += ", hash " + to_hex(*stream.head_hash);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> lines_of(const KnownEvents& details) {
  std::vector<std::string> lines;
  for (const auto& known : details.events) {
    std::string line = "event " + std::to_string(known.index) + "  id " + to_string(known.id);
    if (known.seq != 0) line += "  stored as seq " + std::to_string(known.seq);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> lines_of(const Resync& details) {
  std::vector<std::string> lines{"oldest kept: " + std::to_string(details.oldest),
                                 "head:        " + std::to_string(details.head)};
  if (details.lost_from != 0) {
    lines.push_back("lost:        " + std::to_string(details.lost_from) + " to " +
                    std::to_string(details.lost_to));
  }
  return lines;
}

std::vector<std::string> lines_of(const LimitExceeded& details) {
  return {"limit " + details.name + ": " + std::to_string(details.limit)};
}

std::vector<std::string> lines_of(const std::monostate& /*none*/) {
  return {};
}

}  // namespace

std::vector<std::string> detail_lines(const Error& error) {
  return std::visit([](const auto& details) { return lines_of(details); }, error.details);
}

std::string failure_text(const Failure& failure) {
  std::string out = "error: " + printable(failure.error.detail);
  // A wrong command line has no code that would help anybody.
  if (failure.code != ExitCode::usage) {
    out += " (" + std::string(to_string(failure.error.code)) + ")";
  }
  out += '\n';
  for (const auto& line : detail_lines(failure.error))
    out += "  " + line + "\n";
  for (const auto& line : failure.lines)
    out += "  " + printable(line) + "\n";
  if (!failure.hint.empty()) out += failure.hint + "\n";
  return out;
}

std::string failure_json(const Failure& failure) {
  std::string out = wire::problem_json(failure.error);
  if (!failure.lines.empty()) {
    out.pop_back();
    out += R"(,"problems":[)";
    for (std::size_t i = 0; i < failure.lines.size(); ++i) {
      if (i > 0) out += ',';
      wire::append_any_string(out, failure.lines[i]);
    }
    out += "]}";
  }
  return out + "\n";
}

std::string warnings_text(const AppendResult& result, const std::string& where) {
  std::string out;
  for (const auto& event : result.events) {
    for (const auto& warning : event.warnings) {
      out += "warning: " + where + "event " + std::to_string(event.seq) + "  " +
             printable(warning.pointer) + "  " + printable(warning.message) + " (" + warning.rule +
             ")\n";
    }
  }
  return out;
}

}  // namespace annals::cli
