#include "server/ndjson_append.hpp"

#include <utility>

#include "wire/answers.hpp"
#include "wire/checked_request.hpp"

namespace annals::server {

namespace {

/// Answers are sent in pieces of about this size while the body still arrives.
constexpr std::size_t answer_piece_bytes = std::size_t{64} * 1024;

Error line_too_long(std::size_t limit) {
  return Error{ErrorCode::too_large,
               "a line may have at most " + std::to_string(limit) + " bytes",
               LimitExceeded{"request_max_bytes", limit},
               {}};
}

}  // namespace

NdjsonAppend::NdjsonAppend(Service& service, Caller caller, std::optional<std::string> traceparent,
                           std::shared_ptr<StreamOutput> output)
    : service_(service),
      caller_(std::move(caller)),
      traceparent_(std::move(traceparent)),
      output_(std::move(output)),
      lines_(service.log.options().append.request_max_bytes) {}

bool NdjsonAppend::wants_more() const {
  const ServerOptions& options = service_.options;
  return !detached_ && !waiting_ && slots_.size() < options.ndjson_max_in_flight &&
         bytes_ < options.ndjson_max_in_flight_bytes &&
         output_->unsent() + answers_.size() < options.ndjson_max_unsent_bytes;
}

void NdjsonAppend::on_data(std::string_view piece) {
  piece_ = piece;
  lines_.feed(piece_);
  take_lines();
}

void NdjsonAppend::on_end() {
  ended_ = true;
  lines_.finish();
  take_lines();
}

void NdjsonAppend::take_lines() {
  while (auto line = waiting_ ? std::exchange(waiting_, std::nullopt) : lines_.next()) {
    if (append(*line)) continue;
    waiting_ = std::move(line);
    break;
  }
  write_answers();
}

bool NdjsonAppend::append(const wire::Line& line) {
  const std::size_t bytes = line.text.size();
  if (line.too_long) {
    const std::size_t limit = service_.log.options().append.request_max_bytes;
    answer_now(line.number, bytes, std::unexpected(line_too_long(limit)));
    return true;
  }
  if (!service_.access.state()->holds(caller_, wall_clock())) {
    answer_now(line.number, bytes,
               fail(ErrorCode::not_authenticated, "the key was revoked or has expired"));
    return true;
  }
  if (not_admitted_) {
    answer_now(line.number, bytes, std::unexpected(*std::exchange(not_admitted_, std::nullopt)));
    return true;
  }
  if (!caller_.capability) {
    // A line that is no event makes no key.
    if (auto request = wire::read_checked_line(line.text, *service_.log.rules()); !request) {
      answer_now(line.number, bytes, std::unexpected(std::move(request.error())));
      return true;
    }
    admit();
    return false;
  }
  if (!service_.limits.take_append(caller_.party, 1, bytes, Deadline::clock::now())) return false;
  auto request = wire::read_checked_line(line.text, *service_.log.rules());
  if (!request) {
    answer_now(line.number, bytes, std::unexpected(std::move(request.error())));
    return true;
  }
  const std::uint64_t place = first_ + slots_.size();
  slots_.push_back({line.number, bytes, std::nullopt});
  bytes_ += bytes;
  AppendOptions options;
  options.expected_versions = std::move(request->expected_versions);
  options.traceparent = traceparent_;
  service_.log.append_async(
      *caller_.capability, std::move(request->events), std::move(options),
      [self = shared_from_this(), place, token = service_.appends.token()](
          Result<AppendResult> result) { self->complete(place, std::move(result)); });
  return true;
}

void NdjsonAppend::admit() {
  if (std::exchange(admitting_, true)) return;
  const bool queued = service_.workers.submit([self = shared_from_this(), caller = caller_] {
    Result<Caller> admitted = caller;
    if (auto made = self->service_.access.admit(*admitted); !made) {
      admitted = std::unexpected(std::move(made).error());
    }
    self->output_->post([self, admitted = std::move(admitted)]() mutable {
      self->on_admitted(std::move(admitted));
    });
  });
  // Without a worker the server is stopping, and closes the connection itself.
  if (!queued) detached_ = true;
}

void NdjsonAppend::on_admitted(Result<Caller> caller) {
  admitting_ = false;
  if (detached_) return;
  if (caller) {
    caller_ = *std::move(caller);
  } else {
    not_admitted_ = std::move(caller).error();
  }
  take_lines();
  if (!detached_) output_->resume();
}

void NdjsonAppend::answer_now(std::uint64_t line, std::size_t bytes, Result<AppendResult> result) {
  slots_.push_back({line, bytes, wire::line_answer(line, result)});
  bytes_ += bytes;
}

void NdjsonAppend::complete(std::uint64_t place, Result<AppendResult> result) {
  {
    const std::lock_guard lock{inbox_.mutex};
    inbox_.results.emplace_back(place, std::move(result));
    if (std::exchange(inbox_.scheduled, true)) return;
  }
  output_->post([self = shared_from_this()] { self->take_results(); });
}

void NdjsonAppend::take_results() {
  std::vector<std::pair<std::uint64_t, Result<AppendResult>>> results;
  {
    const std::lock_guard lock{inbox_.mutex};
    results.swap(inbox_.results);
    inbox_.scheduled = false;
  }
  for (const auto& [place, result] : results) {
    Slot& slot = slots_[place - first_];
    slot.answer = wire::line_answer(slot.line, result);
  }
  write_answers();
  if (!detached_) output_->resume();
}

void NdjsonAppend::write_answers() {
  while (!slots_.empty() && slots_.front().answer) {
    answers_ += *slots_.front().answer;
    bytes_ -= slots_.front().bytes;
    slots_.pop_front();
    ++first_;
  }
  if (detached_) return;
  const bool complete = ended_ && slots_.empty() && !waiting_;
  // Whoever sends line by line gets each answer at once; whoever sends many, many at a time.
  if (answers_.size() >= answer_piece_bytes || (slots_.empty() && !answers_.empty())) {
    output_->write(std::exchange(answers_, {}));
  }
  if (complete) {
    detached_ = true;
    output_->end();
  }
}

void NdjsonAppend::on_drained() {
  if (!detached_) output_->resume();
}

void NdjsonAppend::on_abort() {
  detached_ = true;
}

void NdjsonAppend::on_tick() {
  if (detached_ || !waiting_) return;
  take_lines();
  if (!detached_) output_->resume();
}

}  // namespace annals::server
