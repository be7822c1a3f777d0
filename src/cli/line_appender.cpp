#include "cli/line_appender.hpp"

#include <utility>

#include "cli/report.hpp"
#include "cli/text.hpp"
#include "wire/answers.hpp"

namespace annals::cli {
namespace {

constexpr std::size_t max_lines_under_way = 4000;
constexpr std::size_t max_bytes_under_way = std::size_t{4} * 1024 * 1024;

}  // namespace

LineAppender::LineAppender(Streams& streams, std::unique_ptr<LineSink> sink, bool json)
    : streams_(streams),
      sink_(std::move(sink)),
      json_(json),
      printer_([this] { print_answers(); }) {}

LineAppender::~LineAppender() {
  finish();
}

std::shared_ptr<LineAppender::Slot> LineAppender::add_slot(std::uint64_t number,
                                                           std::size_t bytes) {
  auto slot = std::make_shared<Slot>();
  slot->line = number;
  slot->bytes = bytes;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, bytes] {
    return slots_.empty() ||
           (slots_.size() < max_lines_under_way && bytes_ + bytes <= max_bytes_under_way);
  });
  slots_.push_back(slot);
  bytes_ += bytes;
  return slot;
}

void LineAppender::answer(Slot& slot, Result<AppendResult> result) {
  const std::lock_guard lock(mutex_);
  slot.result = std::move(result);
  changed_.notify_all();
}

void LineAppender::append(std::uint64_t number, std::string_view line) {
  const auto slot = add_slot(number, line.size());
  sink_->append(line,
                [this, slot](Result<AppendResult> result) { answer(*slot, std::move(result)); });
}

void LineAppender::refuse(std::uint64_t number, Error error) {
  answer(*add_slot(number, 0), std::unexpected(std::move(error)));
}

void LineAppender::print_answers() {
  for (;;) {
    std::shared_ptr<Slot> slot;
    {
      std::unique_lock lock(mutex_);
      const auto ready = [this] {
        return slots_.empty() ? ended_ : slots_.front()->result.has_value();
      };
      if (!ready()) {
        // What has been answered must not wait in a buffer for what has not.
        lock.unlock();
        streams_.out.flush();
        lock.lock();
        changed_.wait(lock, ready);
      }
      if (slots_.empty()) return;
      slot = std::move(slots_.front());
      slots_.pop_front();
      bytes_ -= slot->bytes;
      changed_.notify_all();
    }
    print(slot->line, *slot->result);
  }
}

void LineAppender::print(std::uint64_t line, const Result<AppendResult>& result) {
  if (result) {
    ++counts_.appended;
    if (result->duplicate) ++counts_.duplicates;
  } else {
    ++counts_.refused;
  }
  if (json_) {
    streams_.out << wire::line_answer(line, result);
  } else if (result) {
    streams_.out << result->events.front().seq << '\n';
    streams_.err << warnings_text(*result, "line " + std::to_string(line) + ": ");
  } else {
    streams_.err << "line " << line << ": "
                 << failure_text(Failure{result.error(), ExitCode::failed, {}, {}});
  }
}

LineAppender::Counts LineAppender::finish() {
  sink_->finish();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  if (printer_.joinable()) printer_.join();
  return counts_;
}

}  // namespace annals::cli
