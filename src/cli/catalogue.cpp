#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "core/catalogue.hpp"

namespace annals::cli {
namespace {

Outcome<std::string> read_document(Context& context, const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(context.streams().in), {});
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream || text.empty()) return wrong_usage("the file cannot be read, or is empty: " + file);
  return text;
}

Outcome<ExitCode> apply_file(Context& context, const std::string& file) {
  const auto document = read_document(context, file);
  if (!document) return std::unexpected(document.error());
  auto log = context.open(Place::create);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto changed = (*log)->apply_catalogue((*log)->local_admin(), *document);
  if (!changed) return failed(changed.error());
  const auto entries = (*log)->catalogue()->entries().size();
  if (context.json()) {
    context.out() << R"({"changed":)" << (*changed ? "true" : "false") << R"(,"entries":)"
                  << entries << "}\n";
  } else {
    context.out() << (*changed ? "applied" : "unchanged") << ", " << entries
                  << (entries == 1 ? " entry\n" : " entries\n");
  }
  return ExitCode::ok;
}

Outcome<ExitCode> show(Context& context) {
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  context.out() << (*log)->catalogue()->document() << '\n';
  return ExitCode::ok;
}

}  // namespace

void add_catalogue(Program& program) {
  auto& group = program.group("catalogue", "The event types that the log declares",
                              "  annals catalogue apply catalogue.json");
  auto file = std::make_shared<std::string>();
  auto& apply_command =
      program.command(group, "apply", "Replace the catalogue; it becomes part of the log",
                      "  annals catalogue apply catalogue.json",
                      [file](Context& context) { return apply_file(context, *file); });
  apply_command.add_option("FILE", *file, "The JSON document; - is standard input")->required();
  program.command(group, "show", "Print the catalogue in force", "  annals catalogue show",
                  [](Context& context) { return show(context); });
}

}  // namespace annals::cli
