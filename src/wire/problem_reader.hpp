#pragma once

#include <optional>
#include <string_view>

#include "annals/error.hpp"
#include "core/json.hpp"

namespace annals::wire {

/// Reads a problem document, as `problem_json` writes it, back into the error it tells of. A code
/// that only HTTP has, or that this version does not know, becomes the one that asks the same of
/// the caller, by the document's status. `nullopt` when it is no problem document. Pure.
[[nodiscard]] std::optional<Error> read_problem(std::string_view json);

/// The error that an HTTP status alone stands for, such as one answered by a proxy.
[[nodiscard]] ErrorCode code_of_status(int status) noexcept;

/// Gathers the members of a problem document one by one, for documents with others beside them.
class ProblemReader {
 public:
  /// Reads the value of a member if it belongs to a problem; false when it has another form.
  [[nodiscard]] bool read(core::json::Reader& reader, const std::string& name);

  /// The error, when there was a `code`.
  [[nodiscard]] std::optional<Error> error() &&;

 private:
  [[nodiscard]] bool read_details(core::json::Reader& reader, const std::string& name);

  std::string code_;
  std::string detail_;
  std::uint64_t status_ = 0;
  std::optional<InvalidEvent> invalid_;
  std::optional<NotAllowed> denied_;
  std::optional<VersionConflict> conflict_;
  std::optional<KnownEvents> known_;
  std::optional<Resync> resync_;
  std::optional<LimitExceeded> limit_;
};

/// Reads one of `reason`, `oldest`, `head`, `lost_from`, `lost_to`; `known` says whether it was
/// one.
[[nodiscard]] bool read_resync_member(core::json::Reader& reader, const std::string& name,
                                      Resync& out, bool& known);

}  // namespace annals::wire
