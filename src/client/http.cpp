#include "client/http.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/cursor.hpp"
#include "wire/problem_reader.hpp"

namespace annals::client {

namespace {

/// More than any answer of a server but those that are streamed.
constexpr std::size_t max_body_bytes = std::size_t{256} * 1024 * 1024;

std::unexpected<Error> broke_off(const Endpoint& endpoint) {
  return fail(ErrorCode::store_unavailable,
              to_string(endpoint.url) + " broke the connection off before its answer was complete");
}

/// Reads what comes next into the answer. Fails also at its end.
Result<void> read_more(Connection& connection, ResponseReader& answer, const Endpoint& endpoint,
                       std::chrono::milliseconds silence) {
  std::string bytes;
  const auto got = connection.read(bytes, silence);
  if (!got) return std::unexpected(got.error());
  switch (*got) {
    case Connection::Got::nothing:
      return fail(ErrorCode::store_unavailable, to_string(endpoint.url) + " said nothing for " +
                                                    std::to_string(silence.count()) + " ms");
    case Connection::Got::end:
      if (answer.finish()) return {};
      return broke_off(endpoint);
    case Connection::Got::bytes:
      break;
  }
  if (!answer.feed(bytes)) return std::unexpected(not_annals(endpoint));
  return {};
}

std::chrono::milliseconds silence_of(const Request& request, const Endpoint& endpoint) {
  return request.silence.count() > 0 ? request.silence : endpoint.options.answer_timeout;
}

bool is_problem(const ResponseReader& answer) {
  return answer.header("Content-Type").starts_with("application/problem+json");
}

/// Nobody knows whether what was sent has been done.
std::unexpected<Error> unanswered(Error error) {
  if (error.code == ErrorCode::store_unavailable) error.code = ErrorCode::commit_unknown;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<void> read_head(Connection& connection, ResponseReader& answer, const Endpoint& endpoint,
                       std::chrono::milliseconds silence) {
  while (!answer.head_complete()) {
    if (auto more = read_more(connection, answer, endpoint, silence); !more) return more;
  }
  return {};
}

Result<std::string> read_body(Connection& connection, ResponseReader& answer,
                              const Endpoint& endpoint, std::chrono::milliseconds silence) {
  std::string body = answer.take_body();
  while (!answer.complete()) {
    if (auto more = read_more(connection, answer, endpoint, silence); !more) {
      return std::unexpected(std::move(more.error()));
    }
    body += answer.take_body();
    if (body.size() > max_body_bytes) return std::unexpected(not_annals(endpoint));
  }
  return body;
}

Error error_of(const ResponseReader& answer, std::string_view body, const Endpoint& endpoint) {
  std::optional<Error> error;
  if (is_problem(answer)) error = wire::read_problem(body);
  if (!error) {
    error =
        Error{wire::code_of_status(answer.status()),
              to_string(endpoint.url) + " answered with status " + std::to_string(answer.status()),
              {},
              {}};
  }
  if (const auto seconds = core::parse_cursor(answer.header("Retry-After"))) {
    constexpr std::uint64_t day = 24 * 60 * 60;
    error->retry_after = std::chrono::seconds{std::min(*seconds, day)};
  }
  return *std::move(error);
}

Error not_annals(const Endpoint& endpoint) {
  return Error{ErrorCode::invalid_request,
               to_string(endpoint.url) + " does not answer as an Annals server does",
               {},
               {}};
}

Result<bool> Http::connect() {
  if (connection_) {
    // The server may have closed it since: nothing that changes the log is sent into the void.
    std::string unexpected;
    const auto got = connection_->read(unexpected, std::chrono::milliseconds{0});
    if (got && *got == Connection::Got::nothing) return true;
  }
  connection_ = std::make_unique<Connection>(endpoint_);
  if (auto opened = connection_->open(); !opened) {
    connection_.reset();
    return std::unexpected(std::move(opened.error()));
  }
  return false;
}

Result<Http::Answer> Http::exchange(const Request& request) {
  const auto silence = silence_of(request, *endpoint_);
  const auto sent = connection_->write(head_of(*endpoint_, request) + request.body, silence);
  // Whoever refuses a large body may close before it was sent; the answer is there all the same.
  Answer answer;
  auto head = read_head(*connection_, answer.head, *endpoint_, silence);
  if (!head) return std::unexpected(sent ? head.error() : sent.error());
  auto body = read_body(*connection_, answer.head, *endpoint_, silence);
  if (!body) return std::unexpected(std::move(body.error()));
  answer.body = std::move(*body);
  if (!sent || !answer.head.keeps_alive()) connection_.reset();
  return answer;
}

Result<std::string> Http::call(const Request& request) {
  const auto reused = connect();
  if (!reused) return std::unexpected(reused.error());
  auto answer = exchange(request);
  if (!answer && *reused && request.repeatable) {
    connection_.reset();
    if (auto connected = connect(); !connected) return unanswered(std::move(answer.error()));
    answer = exchange(request);
  }
  if (!answer) {
    connection_.reset();
    return unanswered(std::move(answer.error()));
  }
  const int status = answer->head.status();
  if (status >= 200 && status <= 299) return std::move(answer->body);
  Error error = error_of(answer->head, answer->body, *endpoint_);
  // A gateway says this when it lost the server: what was sent may have arrived.
  if (status >= 500 && !is_problem(answer->head)) return unanswered(std::move(error));
  return std::unexpected(std::move(error));
}

Result<std::string> Http::get(const Request& request) {
  auto body = call(request);
  if (!body && body.error().code == ErrorCode::commit_unknown) {
    body.error().code = ErrorCode::store_unavailable;
  }
  return body;
}

}  // namespace annals::client
