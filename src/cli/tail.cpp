#include <chrono>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/event_printer.hpp"
#include "cli/filter_options.hpp"
#include "cli/position.hpp"
#include "cli/program.hpp"
#include "cli/scan.hpp"

namespace annals::cli {
namespace {

/// How long the wish to end may go unnoticed while nothing happens.
constexpr std::chrono::milliseconds wait_slice{200};

struct Options {
  std::string after;
  std::string from;
  std::uint64_t lines = 10;
  bool follow = false;
  FilterOptions filters;
};

Outcome<std::uint64_t> start_of(const EventLog& log, const Options& options, const Filter& filter) {
  if (!options.from.empty()) return resolve_from(log, options.from);
  if (options.after.empty()) return before_last(log, filter, options.lines);
  return parse_after(options.after);
}

Outcome<ExitCode> follow(Context& context, const EventLog& log, std::uint64_t after,
                         const Filter& filter, EventPrinter& printer) {
  const auto visit = [&](const Record& record) -> Outcome<bool> {
    auto printed = printer.print(record);
    if (!printed) return printed;
    return *printed && !context.interrupt().requested();
  };
  while (!context.interrupt().requested()) {
    if (auto valid = check_after(log, after); !valid) {
      return std::unexpected(std::move(valid.error()));
    }
    auto scanned = scan_forward(log, {.after = after}, filter, visit);
    if (!scanned) return std::unexpected(std::move(scanned.error()));
    after = *scanned;
    if (!context.out().flush()) break;
    auto head = log.wait_after(after, wait_slice);
    if (!head) return failed(std::move(head.error()));
  }
  return ExitCode::ok;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto filter = options.filters.filter(*(*log)->catalogue());
  if (!filter) return std::unexpected(filter.error());
  const auto after = start_of(**log, options, *filter);
  if (!after) return std::unexpected(after.error());
  if (auto valid = check_after(**log, *after); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  auto state = (*log)->state();
  if (!state) return failed(std::move(state.error()));
  EventPrinter printer(context, state->event_seq);
  if (options.follow) {
    context.interrupt().arm();
    return follow(context, **log, *after, *filter, printer);
  }
  auto scanned = scan_forward(**log, {*after, state->event_seq}, *filter,
                              [&printer](const Record& record) { return printer.print(record); });
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  return ExitCode::ok;
}

}  // namespace

void add_tail(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command = program.command("tail", "Print the newest events, and with -f those to come",
                                  "  annals tail -f --stream order-1",
                                  [options](Context& context) { return run(context, *options); });
  command.add_flag("-f,--follow", options->follow, "Go on until interrupted");
  auto* after = command.add_option("--after", options->after, "Begin strictly after this number")
                    ->type_name("SEQ");
  auto* from = command.add_option("--from", options->from, "Begin at oldest, latest or a time")
                   ->type_name("WHERE")
                   ->excludes(after);
  command.add_option("-n,--lines", options->lines, "Begin with the newest N events (default 10)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, max_seq).description(""))
      ->excludes(after)
      ->excludes(from);
  options->filters.add_to(command);
}

}  // namespace annals::cli
