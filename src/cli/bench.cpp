#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/measures.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/scratch_folder.hpp"
#include "cli/text.hpp"

namespace annals::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> measures;
  std::string folder = ".";
  std::optional<std::uint64_t> count;
  bool keep = false;
};

std::string decimal(double number, int places) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", places, number);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string row_text(const bench::Measure& measure, const bench::Figures& figures) {
  constexpr std::size_t title_width = 44;
  constexpr std::size_t rate_width = 12;
  const std::string rate = grouped(static_cast<std::uint64_t>(figures.rate()));
  std::string row = cell(measure.title, title_width);
  row.append(rate_width - std::min(rate_width, rate.size()), ' ');
  row += rate + " " + cell(std::string(measure.unit) + "/s", 10);
  if (figures.latency) {
    row += "  p50 " + decimal(figures.latency->p50_ms, 2) + " ms, p99 " +
           decimal(figures.latency->p99_ms, 2) + " ms, longest " +
           decimal(figures.latency->longest_ms, 2) + " ms";
  }
  while (row.ends_with(' '))
    row.pop_back();
  return row + '\n';
}

std::string row_json(const bench::Measure& measure, const bench::Figures& figures) {
  std::string row = R"({"measure":")" + std::string(measure.name) + R"(","unit":")" +
                    std::string(measure.unit) + R"(","count":)" + std::to_string(figures.events) +
                    R"(,"seconds":)" + decimal(figures.seconds, 4) + R"(,"rate":)" +
                    decimal(figures.rate(), 1);
  if (figures.latency) {
    row += R"(,"p50_ms":)" + decimal(figures.latency->p50_ms, 3) + R"(,"p95_ms":)" +
           decimal(figures.latency->p95_ms, 3) + R"(,"p99_ms":)" +
           decimal(figures.latency->p99_ms, 3) + R"(,"longest_ms":)" +
           decimal(figures.latency->longest_ms, 3);
  }
  return row + "}\n";
}

/// What is asked for by name, in the order of the table.
Outcome<std::vector<const bench::Measure*>> chosen(const std::vector<std::string>& names) {
  std::set<std::string_view> wanted(names.begin(), names.end());
  std::vector<const bench::Measure*> all;
  for (const bench::Measure& measure : bench::measures()) {
    const bool named = wanted.erase(measure.name) != 0;
    if (named || (names.empty() && measure.usual)) all.push_back(&measure);
  }
  if (wanted.empty()) return all;
  std::string known;
  for (const bench::Measure& measure : bench::measures())
    known += (known.empty() ? "" : ", ") + std::string(measure.name);
  return wrong_usage("there is no measure '" + std::string(*wanted.begin()) + "'",
                     "one of: " + known);
}

/// Runs one measure in its folder below `parent`.
Result<bench::Figures> run_measure(Context& context, const bench::Measure& measure,
                                   const fs::path& parent, std::optional<std::uint64_t> count) {
  const bool writes = measure.log == bench::UseOfLog::writes;
  const fs::path folder = parent / (writes ? measure.name : "append-batch");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::store_unavailable, error.message());
  bench::Bench bench;
  bench.folder = folder;
  bench.count =
      measure.log == bench::UseOfLog::reads ? measure.count : count.value_or(measure.count);
  bench.open = [&context, file = folder / "log.db"] { return context.open_file(file); };
  auto figures = measure.run(bench);
  // The one log that others read stays until the end.
  if (writes && measure.name != "append-batch") fs::remove_all(folder, error);
  return figures;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  const auto configuration = context.configuration();
  if (!configuration) return std::unexpected(configuration.error());
  const auto measures = chosen(options.measures);
  if (!measures) return std::unexpected(measures.error());
  auto scratch =
      options.keep ? ScratchFolder::keep(options.folder) : ScratchFolder::make(options.folder);
  if (!scratch) return failed(std::move(scratch.error()));
  for (const bench::Measure* measure : *measures) {
    const auto figures = run_measure(context, *measure, scratch->path(), options.count);
    if (!figures) return failed(figures.error());
    context.out() << (context.json() ? row_json(*measure, *figures) : row_text(*measure, *figures))
                  << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace

void add_bench(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command = program.command(
      "bench", "Measure what a log does on this machine and disk",
      "  annals bench\n"
      "  annals bench --folder /var/lib/annals --measure append-in-flight --count 100000",
      [options](Context& context) { return run(context, *options); });
  command.add_option("--measure", options->measures, "Only this one; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--folder", options->folder,
                  "Where to write: the file system that is measured (default: here)")
      ->type_name("DIR");
  command
      .add_option("--count", options->count,
                  "How many events each measure appends, instead of what is usual for it")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  command.add_flag("--keep", options->keep,
                   "Write into the folder itself and leave the log of append-batch there, which "
                   "read, verify and find read");
}

}  // namespace annals::cli
