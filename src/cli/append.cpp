#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/event_input.hpp"
#include "cli/event_options.hpp"
#include "cli/line_appender.hpp"
#include "cli/program.hpp"
#include "cli/report.hpp"
#include "cli/text.hpp"
#include "wire/answers.hpp"

namespace annals::cli {
namespace {

struct Options {
  std::string file;
  std::string format = "auto";
  std::optional<std::string> idempotency_key;
  std::optional<std::string> traceparent;
  EventOptions event;
};

AppendOptions append_options(const Options& options) {
  AppendOptions out;
  out.idempotency_key = options.idempotency_key;
  out.traceparent = options.traceparent;
  return out;
}

Outcome<ExitCode> print_result(Context& context, const AppendResult& result, bool array) {
  if (context.json()) {
    context.out() << (array ? wire::batch_answer(result) : wire::append_answer(result)) << '\n';
    return ExitCode::ok;
  }
  std::uint64_t known = 0;
  for (const auto& event : result.events) {
    context.out() << event.seq << '\n';
    known += event.duplicate ? 1 : 0;
    for (const Warning& warning : event.warnings) {
      context.streams().err << "warning: event " << event.seq << "  " << warning.pointer << "  "
                            << warning.message << " (" << warning.rule << ")\n";
    }
  }
  context.streams().err << warnings_text(result, {});
  if (known > 0 && context.streams().err_is_terminal) {
    context.streams().err << counted(known, "event") << " had been appended before\n";
  }
  return ExitCode::ok;
}

Outcome<ExitCode> append_arguments(Context& context, const Options& options) {
  // Everything that can be wrong with the command line comes before the log is opened.
  auto event = options.event.event(context.streams().in);
  if (!event) return std::unexpected(std::move(event.error()));
  const auto expected = options.event.expected();
  if (!expected) return std::unexpected(expected.error());
  AppendOptions how = append_options(options);
  if (*expected) how.expected_versions.emplace(*event->stream, **expected);
  auto log = context.access(Place::create);
  if (!log) return std::unexpected(std::move(log.error()));
  auto result = (*log)->append(std::move(*event), std::move(how));
  if (!result) return failed(std::move(result.error()));
  return print_result(context, *result, false);
}

std::unexpected<Failure> too_large(std::string detail, std::size_t max_bytes) {
  return failed(
      {ErrorCode::too_large, std::move(detail), LimitExceeded{"request_max_bytes", max_bytes}, {}});
}

constexpr auto document_too_large =
    "the document is larger than one request may be; use NDJSON, one event a line";

/// What stands in `input`, behind what was read of it already.
Outcome<std::string> read_document(std::istream& input, std::string text, std::size_t max_bytes) {
  auto& buffer = *input.rdbuf();
  using Traits = std::istream::traits_type;
  for (auto next = buffer.sbumpc(); !Traits::eq_int_type(next, Traits::eof());
       next = buffer.sbumpc()) {
    if (text.size() >= max_bytes) return too_large(document_too_large, max_bytes);
    text += Traits::to_char_type(next);
  }
  return text;
}

/// Where events go.
struct Target {
  LogAccess& log;
  std::size_t request_max_bytes = 0;
};

/// One event or an array of events: one request, all or nothing.
Outcome<ExitCode> append_document(Context& context, Target target, const Options& options,
                                  std::istream& input, std::string beginning) {
  auto document = read_document(input, std::move(beginning), target.request_max_bytes);
  if (!document) return std::unexpected(std::move(document.error()));
  auto appended = target.log.append_document(*document, append_options(options));
  if (!appended) return failed(std::move(appended.error()));
  return print_result(context, appended->result, appended->array);
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

Outcome<ExitCode> append_lines(Context& context, Target target, const Options& options,
                               LineReader& reader, std::optional<std::string> first,
                               std::uint64_t number) {
  if (options.idempotency_key) {
    return wrong_usage("--idempotency-key does not go with NDJSON: give each event an id");
  }
  auto sink = target.log.append_lines(append_options(options));
  if (!sink) return failed(std::move(sink.error()));
  LineAppender appender(context.streams(), std::move(*sink), context.json());
  if (first) appender.append(number, *first);
  std::string line;
  for (auto got = reader.next(line); got != LineReader::Got::end; got = reader.next(line)) {
    ++number;
    if (got == LineReader::Got::too_long) {
      appender.refuse(
          number, too_large("the line is longer than one request may be", target.request_max_bytes)
                      .error()
                      .error);
    } else if (!is_blank(line)) {
      appender.append(number, line);
    }
  }
  const auto counts = appender.finish();
  if (context.streams().err_is_terminal) {
    context.streams().err << counted(counts.appended, "event") << " appended, "
                          << grouped(counts.refused) << " refused\n";
  }
  return counts.refused == 0 ? ExitCode::ok : ExitCode::failed;
}

/// Tells NDJSON from one document by its first line that is not blank: a whole object there means
/// that the lines stand for themselves.
Outcome<ExitCode> append_input(Context& context, Target target, const Options& options,
                               std::istream& input) {
  LineReader reader(input, target.request_max_bytes);
  if (options.format == "ndjson") {
    return append_lines(context, target, options, reader, std::nullopt, 0);
  }
  if (options.format == "json") return append_document(context, target, options, input, {});
  std::string line;
  std::uint64_t number = 0;
  for (auto got = reader.next(line); got != LineReader::Got::end; got = reader.next(line)) {
    ++number;
    if (got == LineReader::Got::too_long) {
      return too_large(document_too_large, target.request_max_bytes);
    }
    if (is_blank(line)) continue;
    if (is_whole_object(line) && !options.idempotency_key) {
      return append_lines(context, target, options, reader, std::move(line), number);
    }
    line += '\n';
    return append_document(context, target, options, input, std::move(line));
  }
  return failed({ErrorCode::invalid_request, "the input is empty", {}, {}});
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  const bool from_arguments = options.event.given();
  if (from_arguments && !options.file.empty()) {
    return wrong_usage("the event comes either from options or from a file");
  }
  if (!from_arguments && options.file.empty() && context.streams().in_is_terminal) {
    return wrong_usage("nothing to append", "give --type, a FILE, or - to type events");
  }
  if (from_arguments) return append_arguments(context, options);
  std::ifstream file;
  const bool from_file = !options.file.empty() && options.file != "-";
  if (from_file) {
    file.open(options.file, std::ios::binary);
    // A folder can be opened, and fails with the first read.
    if (!file || file.peek() == std::ifstream::traits_type::eof()) {
      return wrong_usage("the file cannot be read, or is empty: " + options.file);
    }
  }
  const auto configuration = context.configuration();
  if (!configuration) return std::unexpected(configuration.error());
  auto log = context.access(Place::create);
  if (!log) return std::unexpected(std::move(log.error()));
  const Target target{**log, (*configuration)->settings.open.log.append.request_max_bytes};
  return append_input(context, target, options, from_file ? file : context.streams().in);
}

}  // namespace

void add_append(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command = program.command(
      "append", "Append events from options, a file or standard input",
      "  annals append --type order.paid --stream order-1 --payload '{\"total\":12}'\n"
      "  annals append events.ndjson\n"
      "  my-program | annals append",
      [options](Context& context) { return run(context, *options); });
  command.add_option(
      "FILE", options->file,
      "One JSON event or an array (all or nothing), or NDJSON (each line for itself); "
      "- is standard input");
  command
      .add_option("--format", options->format,
                  "json or ndjson instead of what the first line looks like")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"auto", "json", "ndjson"}));
  command
      .add_option("--idempotency-key", options->idempotency_key,
                  "The same request under the same key gets the first answer")
      ->type_name("KEY");
  command
      .add_option("--traceparent", options->traceparent,
                  "W3C trace context: gives the correlation of events without one")
      ->type_name("TEXT");
  options->event.add_to(command);
}

}  // namespace annals::cli
