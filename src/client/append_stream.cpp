#include "client/append_stream.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/event_body.hpp"
#include "client/http.hpp"
#include "client/request.hpp"
#include "wire/answer_reader.hpp"

namespace annals {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_lines_under_way = 4000;
constexpr std::size_t max_bytes_under_way = std::size_t{4} * 1024 * 1024;

/// Far above any answer to one line.
constexpr std::size_t max_answer_bytes = std::size_t{8} * 1024 * 1024;

/// A request that makes no progress is given up by the server; blank lines mean nothing to it.
constexpr milliseconds keepalive{10'000};

Error finished() {
  return Error{ErrorCode::invalid_request, "the stream has been finished", {}, {}};
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string chunk_of(std::string_view data) {
  char size[20];
  const auto end = std::to_chars(size, size + sizeof(size), data.size(), 16).ptr;
  std::string out(size, end);
  out += "\r\n";
  out += data;
  return out + "\r\n";
}

}  // namespace

Result<std::unique_ptr<AppendStream::Impl>> AppendStream::Impl::open(
    std::shared_ptr<const client::Endpoint> endpoint, std::optional<std::string> traceparent) {
  auto connection = std::make_unique<client::Connection>(endpoint);
  if (auto opened = connection->open(); !opened) return std::unexpected(std::move(opened.error()));
  client::Request request;
  request.method = "POST";
  request.target = "/v1/events";
  request.fields = {{"Content-Type", "application/x-ndjson"}};
  if (traceparent) request.fields.emplace_back("traceparent", std::move(*traceparent));
  std::string head = client::head_of(*endpoint, request, true);
  return std::make_unique<Impl>(std::move(endpoint), std::move(connection), std::move(head));
}

AppendStream::Impl::Impl(std::shared_ptr<const client::Endpoint> endpoint,
                         std::unique_ptr<client::Connection> connection, std::string head)
    : endpoint_(std::move(endpoint)),
      connection_(std::move(connection)),
      head_(std::move(head)),
      lines_(max_answer_bytes),
      thread_([this] { run(); }) {}

AppendStream::Impl::~Impl() {
  [[maybe_unused]] const auto ended = finish();
}

void AppendStream::Impl::append(std::string_view line, Done done) {
  add({line.size(), std::move(done), std::nullopt}, line);
}

void AppendStream::Impl::refuse(Error error, Done done) {
  add({0, std::move(done), std::move(error)}, {});
}

void AppendStream::Impl::add(Slot slot, std::string_view line) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, &slot] {
      return closed_ || slots_.empty() ||
             (slots_.size() < max_lines_under_way && bytes_ + slot.bytes <= max_bytes_under_way);
    });
    if (closed_) {
      // In its turn: everything before it has been answered.
      auto error = slot.refused ? std::move(*slot.refused) : failed_.value_or(finished());
      lock.unlock();
      slot.done(std::unexpected(std::move(error)));
      return;
    }
    bytes_ += slot.bytes;
    if (!slot.refused) {
      unsent_ += line;
      unsent_ += '\n';
    }
    slots_.push_back(std::move(slot));
  }
  connection_->wake();
}

Result<void> AppendStream::Impl::finish() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  if (thread_.joinable()) {
    connection_->wake();
    thread_.join();
  }
  const std::lock_guard lock(mutex_);
  if (failed_) return std::unexpected(*failed_);
  return {};
}

void AppendStream::Impl::run() {
  const auto carried = carry();
  end(carried ? std::nullopt : std::optional(carried.error()));
}

Result<void> AppendStream::Impl::carry() {
  for (bool complete = false; !complete;) {
    auto sent = send();
    if (!sent) {
      // The server may have said why before it closed.
      while (true) {
        const auto more = receive();
        if (!more) return response_.begun() ? std::unexpected(more.error()) : sent;
        if (*more) return {};
      }
    }
    answer_refused();
    const auto received = receive();
    if (!received) return std::unexpected(received.error());
    complete = *received;
  }
  return {};
}

Result<void> AppendStream::Impl::send() {
  bool ended = false;
  {
    const std::lock_guard lock(mutex_);
    sending_.swap(unsent_);
    ended = ended_;
  }
  std::string out = std::exchange(head_, {});
  if (!sending_.empty()) out += chunk_of(sending_);
  sending_.clear();
  if (ended && !std::exchange(last_sent_, ended)) out += "0\r\n\r\n";
  return out.empty() ? Result<void>{} : connection_->write(out, endpoint_->options.answer_timeout);
}

milliseconds AppendStream::Impl::patience() {
  const std::lock_guard lock(mutex_);
  const bool awaited = !slots_.empty() || last_sent_;
  return awaited ? endpoint_->options.answer_timeout : keepalive;
}

Result<bool> AppendStream::Impl::receive() {
  std::string bytes;
  const auto wait = patience();
  const auto begun = std::chrono::steady_clock::now();
  const auto got = connection_->read(bytes, wait);
  if (!got) return std::unexpected(got.error());
  switch (*got) {
    case client::Connection::Got::nothing: {
      if (std::chrono::steady_clock::now() - begun < wait) return false;  // woken
      const std::lock_guard lock(mutex_);
      if (slots_.empty() && !last_sent_) {
        unsent_ += '\n';
        return false;
      }
      return fail(ErrorCode::store_unavailable, to_string(endpoint_->url) + " said nothing for " +
                                                    std::to_string(wait.count()) + " ms");
    }
    case client::Connection::Got::end:
      if (!response_.finish()) {
        return fail(ErrorCode::store_unavailable,
                    to_string(endpoint_->url) + " broke the connection off");
      }
      break;
    case client::Connection::Got::bytes:
      if (!response_.feed(bytes)) return std::unexpected(client::not_annals(*endpoint_));
      break;
  }
  if (!response_.head_complete()) return false;
  if (response_.status() != 200) {
    problem_ += response_.take_body();
    if (!response_.complete()) return false;
    return std::unexpected(client::error_of(response_, problem_, *endpoint_));
  }
  if (auto taken = take_answers(response_.take_body()); !taken) {
    return std::unexpected(std::move(taken.error()));
  }
  return response_.complete();
}

Result<void> AppendStream::Impl::take_answers(std::string_view body) {
  lines_.feed(body);
  while (const auto line = lines_.next()) {
    auto read = wire::read_line_answer(line->text);
    if (!read) return std::unexpected(client::not_annals(*endpoint_));
    answer(std::move(read->result));
  }
  return {};
}

void AppendStream::Impl::answer(Result<AppendResult> result) {
  answer_refused();
  std::optional<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    if (slots_.empty()) return;
    slot = std::move(slots_.front());
    slots_.pop_front();
    bytes_ -= slot->bytes;
  }
  slot->done(std::move(result));
  answer_refused();
  changed_.notify_all();
}

void AppendStream::Impl::answer_refused() {
  for (;;) {
    std::optional<Slot> slot;
    {
      const std::lock_guard lock(mutex_);
      if (slots_.empty() || !slots_.front().refused) return;
      slot = std::move(slots_.front());
      slots_.pop_front();
    }
    slot->done(std::unexpected(std::move(*slot->refused)));
    changed_.notify_all();
  }
}

void AppendStream::Impl::end(const std::optional<Error>& error) {
  answer_refused();
  for (;;) {
    std::optional<Slot> slot;
    {
      const std::lock_guard lock(mutex_);
      if (error) failed_ = error;
      if (slots_.empty()) {
        closed_ = true;
        if (!failed_ && !ended_) {
          failed_ = Error{ErrorCode::store_unavailable,
                          to_string(endpoint_->url) + " ended the request early",
                          {},
                          {}};
        }
        break;
      }
      slot = std::move(slots_.front());
      slots_.pop_front();
      bytes_ -= slot->bytes;
    }
    Error why =
        slot->refused
            ? std::move(*slot->refused)
            : error.value_or(Error{
                  ErrorCode::store_unavailable, "the answer ended before this event's", {}, {}});
    // It may have been sent and stored: nobody has said otherwise.
    if (!slot->refused && why.code == ErrorCode::store_unavailable) {
      why.code = ErrorCode::commit_unknown;
    }
    slot->done(std::unexpected(std::move(why)));
  }
  changed_.notify_all();
}

AppendStream::AppendStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AppendStream::~AppendStream() = default;

void AppendStream::append(NewEvent event, Done done) {
  append(std::move(event), ExpectedVersion{}, std::move(done));
}

void AppendStream::append(NewEvent event, const ExpectedVersion& expected, Done done) {
  std::optional<ExpectedVersion> stated;
  if (expected.kind != ExpectedVersion::Kind::any) stated = expected;
  auto line = client::event_line(event, 0, stated);
  if (!line) {
    impl_->refuse(std::move(line.error()), std::move(done));
  } else {
    impl_->append(*line, std::move(done));
  }
}

void AppendStream::append_line(std::string_view json, Done done) {
  if (is_blank(json)) {
    // The server passes over blank lines and answers none.
    impl_->refuse(Error{ErrorCode::invalid_request, "the line is empty", {}, {}}, std::move(done));
    return;
  }
  std::string line(json);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  impl_->append(line, std::move(done));
}

Result<void> AppendStream::finish() {
  return impl_->finish();
}

}  // namespace annals
