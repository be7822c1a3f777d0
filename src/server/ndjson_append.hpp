#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "annals/event_log.hpp"
#include "server/access.hpp"
#include "server/plan.hpp"
#include "server/service.hpp"
#include "wire/line_reader.hpp"

namespace annals::server {

/// Appends the lines of an NDJSON body as they arrive, each as a request of its own, and answers
/// each in order with a result or a problem. Many are under way at a time, so that they share
/// commits; their number and bytes are bounded, and so are the answers the peer has not taken.
/// A key that has reached its rate waits with its next line, and so does a subject until it has a
/// key. Used on the connection's thread.
class NdjsonAppend final : public BodyStream, public std::enable_shared_from_this<NdjsonAppend> {
 public:
  NdjsonAppend(Service& service, Caller caller, std::optional<std::string> traceparent,
               std::shared_ptr<StreamOutput> output);

  [[nodiscard]] bool wants_more() const override;
  void on_data(std::string_view piece) override;
  void on_end() override;
  void on_drained() override;
  void on_abort() override;
  void on_tick() override;

 private:
  /// A line whose answer is not written yet.
  struct Slot {
    std::uint64_t line = 0;
    std::size_t bytes = 0;
    std::optional<std::string> answer;
  };

  /// Answers of the log, collected by the committer's thread and taken by the connection's.
  struct Inbox {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, Result<AppendResult>>> results;
    bool scheduled = false;
  };

  void take_lines();
  /// False when the key has to wait before it may append the line.
  [[nodiscard]] bool append(const wire::Line& line);
  /// Has a worker give the subject its key.
  void admit();
  void on_admitted(Result<Caller> caller);
  void answer_now(std::uint64_t line, std::size_t bytes, Result<AppendResult> result);
  void complete(std::uint64_t place, Result<AppendResult> result);
  void take_results();
  void write_answers();

  Service& service_;
  Caller caller_;
  std::optional<std::string> traceparent_;
  const std::shared_ptr<StreamOutput> output_;
  bool detached_ = false;  ///< After the end or an abort: the output only posts.
  std::string piece_;      ///< Of the body, which `lines_` reads.
  wire::LineReader lines_;
  std::optional<wire::Line> waiting_;  ///< The next one, until the key may append it.
  bool admitting_ = false;             ///< A worker gives the subject its key.
  std::optional<Error> not_admitted_;  ///< Why it has none: the answer to the line that waits.
  std::deque<Slot> slots_;
  std::uint64_t first_ = 0;  ///< Place of the first slot, counted from the first line.
  std::size_t bytes_ = 0;    ///< Of the lines under way.
  std::string answers_;      ///< Not given to the output yet.
  bool ended_ = false;       ///< The body is complete.
  Inbox inbox_;
};

}  // namespace annals::server
