#pragma once

#include <CLI/CLI.hpp>

#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "annals/append.hpp"
#include "annals/event.hpp"
#include "cli/failure.hpp"

namespace annals::cli {

/// The members of one event as options of a command. Rules of events are not checked here, only
/// what has to be read to make a value of it.
class EventOptions {
 public:
  /// Adds the options; they write into this object, which outlives the parsing.
  void add_to(CLI::App& command);

  /// An option of these was given.
  [[nodiscard]] bool given() const;

  /// The event. A payload of `-` is read from `input`, one of `@FILE` from the file.
  [[nodiscard]] Outcome<NewEvent> event(std::istream& input) const;

  /// The expectation about the event's stream; absent when none was given.
  [[nodiscard]] Outcome<std::optional<ExpectedVersion>> expected() const;

 private:
  [[nodiscard]] Outcome<void> read_identifiers(NewEvent& event) const;
  [[nodiscard]] Outcome<void> read_parties(NewEvent& event) const;
  [[nodiscard]] Outcome<void> read_labels(NewEvent& event) const;
  [[nodiscard]] Outcome<std::string> read_payload(std::istream& input) const;

  std::string type_;
  std::uint32_t schema_version_ = 1;
  std::string payload_ = "{}";
  bool truncated_ = false;
  std::vector<std::string> labels_;
  // Absent and empty are told apart: an empty text is for the event rules to refuse.
  std::optional<std::string> id_, source_, stream_, occurred_at_, actor_, space_, channel_, thread_,
      resource_, audience_, receive_action_, correlation_id_, causation_id_, client_msg_id_,
      expect_;
  std::vector<const CLI::Option*> options_;
};

/// Reads `any`, `none`, `exists` or a number.
[[nodiscard]] Outcome<ExpectedVersion> parse_expected(const std::string& text);

}  // namespace annals::cli
