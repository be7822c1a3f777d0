#include <algorithm>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "wire/answers.hpp"

namespace annals::cli {
namespace {

constexpr std::size_t page_size = 1000;
constexpr std::size_t version_width = 10;
constexpr std::size_t hash_width = 64;

Outcome<ExitCode> run(Context& context, const std::string& prefix) {
  auto log = context.access(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const bool table = context.streams().out_is_terminal && !context.json();
  const std::size_t columns = context.streams().columns;
  const std::size_t name_width =
      columns > version_width + hash_width + 24 ? columns - version_width - hash_width - 4 : 40;
  std::string after;
  for (;;) {
    auto heads = (*log)->streams(prefix, after, page_size);
    if (!heads) return failed(std::move(heads.error()));
    for (const auto& head : *heads) {
      if (table) {
        std::string version = std::to_string(head.version);
        version.insert(0, version_width - std::min(version_width, version.size()), ' ');
        context.out() << version << "  " << cell(head.stream, name_width) << "  "
                      << to_hex(head.hash) << '\n';
      } else {
        context.out() << wire::stream_answer(head) << '\n';
      }
    }
    if (heads->size() < page_size || !context.out()) return ExitCode::ok;
    after = heads->back().stream;
  }
}

}  // namespace

void add_streams(Program& program) {
  auto prefix = std::make_shared<std::string>();
  auto& command = program.command("streams", "List streams with their version and head hash",
                                  "  annals streams order-",
                                  [prefix](Context& context) { return run(context, *prefix); });
  command.add_option("PREFIX", *prefix, "Only names that begin with it");
}

}  // namespace annals::cli
