#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/receipt.hpp"
#include "cli/text.hpp"
#include "wire/answers.hpp"

namespace annals::cli {
namespace {

struct Options {
  std::optional<std::string> stream;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string expect;
  std::string receipt;
};

/// Whatever keeps a verification from being made is not a failure like others: nobody may take it
/// for an answer.
Failure unchecked(Failure failure) {
  if (failure.code == ExitCode::failed) failure.code = ExitCode::unchecked;
  return failure;
}

Outcome<VerifyOptions> verify_options(const Options& options) {
  VerifyOptions out;
  out.stream = options.stream;
  out.from = options.from;
  out.to = options.to;
  if (options.to != 0 && options.from > options.to) {
    return wrong_usage("--from must not be above --to");
  }
  if (!options.expect.empty()) {
    out.expect = parse_receipt(options.expect);
    if (!out.expect) return wrong_usage("--expect needs HEAD:LOG_HASH, as an append answers it");
  }
  if (!options.receipt.empty()) {
    auto receipt = read_receipt(options.receipt);
    if (!receipt) return std::unexpected(std::move(receipt.error()));
    out.expect = *receipt;
  }
  return out;
}

ExitCode code_of(const VerifyReport& report) {
  switch (wire::verdict_of(report)) {
    case wire::Verdict::clean:
      return ExitCode::ok;
    case wire::Verdict::findings:
      return ExitCode::found;
    case wire::Verdict::could_not_verify:
      return ExitCode::unchecked;
  }
  return ExitCode::unchecked;
}

std::string finding_text(const Finding& finding) {
  std::string out = "  " + finding.verdict;
  if (!finding.what.empty()) out += " (" + printable(finding.what) + ")";
  if (finding.seq != 0) out += "  seq " + std::to_string(finding.seq);
  if (!finding.stream.empty()) out += "  stream " + printable(finding.stream);
  out += '\n';
  if (!finding.expected.empty()) out += "    expected " + printable(finding.expected) + "\n";
  if (!finding.actual.empty()) out += "    actual   " + printable(finding.actual) + "\n";
  return out;
}

std::string report_text(const VerifyReport& report, bool whole_log) {
  std::string out = counted(report.events, "event") + " looked at: " + grouped(report.chained) +
                    " in " + counted(report.streams, "stream") + ", " + grouped(report.unchained) +
                    " unchained";
  if (report.redacted > 0) out += ", " + grouped(report.redacted) + " with erased parts";
  out += '\n';
  for (const auto& finding : report.findings)
    out += finding_text(finding);
  if (report.finding_count > report.findings.size()) {
    out += "  and " + grouped(report.finding_count - report.findings.size()) + " more\n";
  }
  switch (code_of(report)) {
    case ExitCode::ok:
      out += "clean\n";
      break;
    case ExitCode::found:
      out += counted(report.finding_count, "finding") + ": the log is not what it was\n";
      break;
    default:
      out += "could not verify: neither clean nor proven tampered\n";
      break;
  }
  if (whole_log && report.clean()) {
    out += "receipt " + to_string(Receipt{report.head, report.log_hash}) + "\n";
  }
  return out;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  auto wanted = verify_options(options);
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  auto log = context.access(Place::existing);
  if (!log) return std::unexpected(unchecked(std::move(log.error())));
  Outcome<VerifyReport> report;
  {
    Progress progress(context.streams());
    report = (*log)->verify(*wanted, [&progress](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    });
  }
  if (!report) return std::unexpected(unchecked(std::move(report.error())));
  const bool whole_log = !options.stream && options.from == 0 && options.to == 0;
  context.out() << (context.json() ? wire::verify_answer(*report) + "\n"
                                   : report_text(*report, whole_log));
  return code_of(*report);
}

}  // namespace

void add_verify(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command = program.command("verify", "Prove that nothing was changed, removed or reordered",
                                  "  annals verify --receipt receipt.json\n\n"
                                  "Exit codes: 0 clean, 3 something is wrong, 4 could not verify.",
                                  [options](Context& context) { return run(context, *options); });
  auto* stream = command.add_option("--stream", options->stream, "Only the chain of this stream")
                     ->type_name("NAME");
  command.add_option("--from", options->from, "First number")->type_name("SEQ")->excludes(stream);
  command.add_option("--to", options->to, "Last number")->type_name("SEQ")->excludes(stream);
  auto* expect =
      command.add_option("--expect", options->expect, "A receipt kept elsewhere, to compare with")
          ->type_name("HEAD:LOG_HASH");
  command.add_option("--receipt", options->receipt, "The same from a file, text or JSON")
      ->type_name("FILE")
      ->excludes(expect);
}

}  // namespace annals::cli
