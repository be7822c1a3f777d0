#include <algorithm>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/event_printer.hpp"
#include "cli/filter_options.hpp"
#include "cli/position.hpp"
#include "cli/program.hpp"
#include "cli/scan.hpp"
#include "cli/text.hpp"

namespace annals::cli {
namespace {

struct Options {
  std::string after;
  std::string from;
  std::uint64_t limit = 100;
  std::uint64_t last = 0;
  bool all = false;
  std::string order = "asc";
  FilterOptions filters;
};

Outcome<std::uint64_t> start_of(EventReader& events, const Options& options) {
  if (options.last > 0) return before_last(events, options.last);
  if (!options.from.empty()) return resolve_from(events, options.from);
  if (options.after.empty()) return resolve_from(events, "oldest");
  const auto after = parse_after(options.after);
  if (!after) return after;
  if (auto valid = check_after(events, *after); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  return *after;
}

Outcome<ExitCode> read_forward(Context& context, EventReader& events, std::uint64_t after,
                               const Options& options) {
  // A log that grows while it is read must not keep the command from ending.
  auto counters = events.counters();
  if (!counters) return failed(std::move(counters.error()));
  EventPrinter printer(context, counters->head);
  std::uint64_t left = options.all || options.last > 0 ? max_seq : options.limit;
  bool more = false;
  // One more than is printed says whether there is more.
  auto scanned = scan_forward(events, {after, counters->head}, left + 1,
                              [&](const LoggedEvent& event) -> Outcome<bool> {
                                more = left == 0;
                                if (more) return false;
                                --left;
                                after = event.seq;
                                return printer.print(event);
                              });
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  if (more && context.streams().out_is_terminal) {
    context.out().flush();
    context.streams().err << "there is more: add --after " << after << ", or --all\n";
  }
  return ExitCode::ok;
}

Outcome<ExitCode> read_backward(Context& context, EventReader& events, const Options& options) {
  auto counters = events.counters();
  if (!counters) return failed(std::move(counters.error()));
  EventPrinter printer(context, counters->head);
  std::uint64_t left = options.all ? max_seq : options.limit;
  auto scanned = scan_backward(events, left, [&](const LoggedEvent& event) -> Outcome<bool> {
    auto printed = printer.print(event);
    if (!printed || !*printed) return printed;
    return --left > 0;
  });
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  return ExitCode::ok;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  const auto filters = options.filters.filters();
  if (!filters) return std::unexpected(filters.error());
  auto log = context.access(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto events = (*log)->events(*filters);
  if (!events) return std::unexpected(events.error());
  if (options.order == "desc") return read_backward(context, **events, options);
  const auto after = start_of(**events, options);
  if (!after) return std::unexpected(after.error());
  return read_forward(context, **events, *after, options);
}

}  // namespace

void add_read(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command = program.command("read", "Print events: a table on a terminal, NDJSON in a pipe",
                                  "  annals read --after 100 --type 'order.*' --label status=paid",
                                  [options](Context& context) { return run(context, *options); });
  auto* after = command.add_option("--after", options->after, "Begin strictly after this number")
                    ->type_name("SEQ");
  auto* from = command.add_option("--from", options->from, "Begin at oldest, latest or a time")
                   ->type_name("WHERE")
                   ->excludes(after);
  auto* last = command.add_option("--last", options->last, "The newest N events, in order")
                   ->type_name("N")
                   ->check(CLI::Range(std::uint64_t{1}, max_seq).description(""))
                   ->excludes(after)
                   ->excludes(from);
  auto* limit = command.add_option("--limit", options->limit, "At most N events (default 100)")
                    ->type_name("N")
                    ->check(CLI::Range(std::uint64_t{1}, max_seq).description(""))
                    ->excludes(last);
  command.add_flag("--all", options->all, "Everything up to the head")->excludes(limit);
  command.add_option("--order", options->order, "asc (default), or desc for the newest first")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"asc", "desc"}))
      ->excludes(after)
      ->excludes(from)
      ->excludes(last);
  options->filters.add_to(command);
}

}  // namespace annals::cli
