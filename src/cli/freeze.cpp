#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace annals::cli {
namespace {

Outcome<ExitCode> set_frozen(Context& context, bool frozen) {
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto changed = (*log)->freeze((*log)->local_admin(), frozen);
  if (!changed) return failed(changed.error());
  if (context.json()) {
    context.out() << R"({"frozen":)" << (frozen ? "true" : "false") << R"(,"changed":)"
                  << (*changed ? "true" : "false") << "}\n";
    return ExitCode::ok;
  }
  const std::string state = frozen ? "frozen" : "not frozen";
  context.out() << (*changed ? "the log is " + state + " now\n" : "the log was " + state + "\n");
  return ExitCode::ok;
}

}  // namespace

void add_freeze(Program& program) {
  program.command("freeze", "Stop appends until `annals unfreeze`; reads go on", "  annals freeze",
                  [](Context& context) { return set_frozen(context, true); });
  program.command("unfreeze", "Let appends go on", "  annals unfreeze",
                  [](Context& context) { return set_frozen(context, false); });
}

}  // namespace annals::cli
