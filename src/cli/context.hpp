#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "annals/event_log.hpp"
#include "annals/open.hpp"
#include "cli/failure.hpp"
#include "cli/log_access.hpp"
#include "cli/streams.hpp"
#include "config/configuration.hpp"

namespace annals::cli {

/// Opens the log behind a URL: `annals::open`, injected so that no command sees a concrete store.
using Opener =
    std::function<Result<std::unique_ptr<EventLog>>(std::string_view url, OpenOptions options)>;

/// The wish of the user to end a command that would go on (SIGINT, SIGTERM). Thread-safe.
class Interrupt {
 public:
  virtual ~Interrupt() = default;

  /// From now on the signals are noted instead of ending the process. Idempotent.
  virtual void arm() = 0;

  /// One of them has arrived.
  [[nodiscard]] virtual bool requested() const noexcept = 0;

  /// Blocks until one arrives. Needs `arm`.
  virtual void wait() = 0;

  /// As if one had arrived: for a command that has to end by itself.
  virtual void request() noexcept = 0;
};

/// Whether a command may make a log where there is none.
enum class Place : std::uint8_t { existing, create };

/// What a command works with. Lives as long as the command runs; used on its thread.
class Context {
 public:
  Context(Streams& streams, const Opener& opener, Interrupt& interrupt, config::Sources sources,
          bool json);

  [[nodiscard]] Streams& streams() const noexcept { return streams_; }
  [[nodiscard]] std::ostream& out() const noexcept { return streams_.out; }
  [[nodiscard]] Interrupt& interrupt() const noexcept { return interrupt_; }

  /// `--json` was given.
  [[nodiscard]] bool json() const noexcept { return json_; }

  /// What is in force, read at the first call. Fails with every problem (exit code 2).
  Outcome<const config::Configuration*> configuration();

  /// Opens the configured store. With `Place::existing` a missing one is `not_found`, nothing is
  /// created, and the hint says how to make one. A server instead of a store is wrong usage.
  Outcome<std::unique_ptr<EventLog>> open(Place place);

  /// The configured log: the store, opened like that, or the server, which is not asked yet.
  Outcome<std::unique_ptr<LogAccess>> access(Place place);

  /// Opens, or makes, a log in another file than the configured one, with the options that are in
  /// force. Needs a configuration that was read.
  Result<std::unique_ptr<EventLog>> open_file(const std::filesystem::path& file);

 private:
  /// Whether a server is asked instead of a store.
  Outcome<bool> remote();
  Outcome<std::unique_ptr<EventLog>> open_store(Place place);
  Outcome<std::unique_ptr<LogAccess>> ask_server();

  Streams& streams_;
  const Opener& opener_;
  Interrupt& interrupt_;
  config::Sources sources_;
  bool json_;
  std::optional<config::Configuration> configuration_;
};

}  // namespace annals::cli
