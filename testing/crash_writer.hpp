#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annals/capability.hpp"
#include "annals/event.hpp"
#include "annals/event_log.hpp"
#include "annals/uuid.hpp"
#include "testing/append_recorder.hpp"
#include "testing/event_gen.hpp"

namespace annals::test {

/// How a crash writer writes. Plain value.
struct CrashWriterOptions {
  std::uint64_t seed = 1;
  std::size_t streams = 16;  ///< Streams `stream-0` and so on, shared by all writers of a log.
  bool mixed = true;         ///< false: every step is one append to one of the streams.
};

/// One thread's endless work on a log, everything recorded: single appends, batches, expected
/// versions that hold or do not, events that must be refused, repeats of acknowledged requests,
/// units of work committed and rolled back, queued events with a flush. An event carries its token
/// as `source`. Used on one thread.
class CrashWriter {
 public:
  /// All three must outlive it.
  CrashWriter(EventLog& log, AppendRecorder& recorder, CrashWriterOptions options);

  /// One random request. Throws std::runtime_error on an error that no healthy log answers.
  void step();

 private:
  struct Request {
    std::vector<NewEvent> events;
    std::vector<Uuid> tokens;
  };

  Request make_request(std::size_t count);
  std::string some_stream();
  void append(Request request, AppendOptions options = {});
  void append_expecting();
  void append_invalid();
  void repeat();
  void unit_of_work();
  void enqueue();
  void record(std::uint64_t number, const Result<AppendResult>& answer);

  EventLog& log_;
  AppendRecorder& recorder_;
  CrashWriterOptions options_;
  WriteCapability capability_;
  EventGen generator_;
  Request last_accepted_;
};

}  // namespace annals::test
