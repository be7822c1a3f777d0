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

Outcome<std::uint64_t> start_of(EventReader& events, const Options& options) {
  if (!options.from.empty()) return resolve_from(events, options.from);
  if (options.after.empty()) return before_last(events, options.lines);
  return parse_after(options.after);
}

Outcome<ExitCode> follow(Context& context, EventReader& events, std::uint64_t after,
                         EventPrinter& printer) {
  const auto live = events.live(after);
  while (!context.interrupt().requested()) {
    auto next = live->next(wait_slice);
    if (!next) return failed(std::move(next.error()));
    for (const auto& event : *next) {
      auto printed = printer.print(event);
      if (!printed) return std::unexpected(std::move(printed.error()));
      if (!*printed || context.interrupt().requested()) break;
    }
    if (!context.out().flush()) break;
  }
  return ExitCode::ok;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  const auto filters = options.filters.filters();
  if (!filters) return std::unexpected(filters.error());
  auto log = context.access(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto events = (*log)->events(*filters);
  if (!events) return std::unexpected(events.error());
  const auto after = start_of(**events, options);
  if (!after) return std::unexpected(after.error());
  if (auto valid = check_after(**events, *after); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  auto counters = (*events)->counters();
  if (!counters) return failed(std::move(counters.error()));
  EventPrinter printer(context, counters->head);
  if (options.follow) {
    context.interrupt().arm();
    return follow(context, **events, *after, printer);
  }
  auto scanned =
      scan_forward(**events, {*after, counters->head}, max_seq,
                   [&printer](const LoggedEvent& event) { return printer.print(event); });
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
