#pragma once

#include <string>
#include <vector>

#include "annals/append.hpp"
#include "cli/failure.hpp"

namespace annals::cli {

/// A failure as one block for people: what happened, every detail on a line of its own, what to do.
[[nodiscard]] std::string failure_text(const Failure& failure);

/// A failure as one line of JSON: the members of a problem document, and `problems` with the lines.
[[nodiscard]] std::string failure_json(const Failure& failure);

/// The details of an error, one line each, without their indentation: violations by event, stream
/// versions, known ids. Empty when the error has none.
[[nodiscard]] std::vector<std::string> detail_lines(const Error& error);

/// The warnings about the events of a request, one line each with its end; `where` names the
/// request when there are several, such as `line 7: `.
[[nodiscard]] std::string warnings_text(const AppendResult& result, const std::string& where);

}  // namespace annals::cli
