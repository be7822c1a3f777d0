#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "annals/error.hpp"

namespace annals::cli {

/// How the program ends. The numbers are part of its interface.
enum class ExitCode : std::uint8_t {
  ok = 0,
  failed = 1,     ///< It was tried and did not work.
  usage = 2,      ///< The command line or the configuration is wrong; nothing was tried.
  found = 3,      ///< A check found something.
  unchecked = 4,  ///< A check could not be made.
};

/// Why a command did not do what it was asked. Plain value.
struct Failure {
  Error error;
  ExitCode code = ExitCode::failed;
  std::vector<std::string> lines;  ///< More of the same, one line each (configuration problems).
  std::string hint;                ///< What to do next; for people only.
};

/// A value, or why there is none.
template <typename T>
using Outcome = std::expected<T, Failure>;

/// Passes an error of the log on. A filter that the log does not take is wrong usage.
[[nodiscard]] inline std::unexpected<Failure> failed(Error error,
                                                     ExitCode code = ExitCode::failed) {
  const bool filter =
      error.code == ErrorCode::invalid_filter || error.code == ErrorCode::unknown_parameter;
  if (filter) code = ExitCode::usage;
  return std::unexpected(Failure{std::move(error), code, {}, {}});
}

/// The command line is wrong; `detail` says how.
[[nodiscard]] inline std::unexpected<Failure> wrong_usage(std::string detail,
                                                          std::string hint = {}) {
  return std::unexpected(Failure{{ErrorCode::invalid_request, std::move(detail), {}, {}},
                                 ExitCode::usage,
                                 {},
                                 std::move(hint)});
}

}  // namespace annals::cli
