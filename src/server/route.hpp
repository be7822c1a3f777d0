#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "annals/error.hpp"
#include "server/message.hpp"
#include "server/plan.hpp"
#include "server/service.hpp"
#include "wire/problem.hpp"

namespace annals::server {

struct Match;

/// Decides from the head of a request what to do. Sets `caller` when somebody was authenticated.
/// Called on the connection's thread; must not block.
using Handler = Plan (*)(Service& service, const Request& request, const Match& match,
                         Caller& caller);

/// What the value of a parameter looks like.
enum class ValueForm : std::uint8_t {
  text,
  cursor,    ///< A number from 0.
  count,     ///< A number from 1.
  start,     ///< `oldest`, `latest` or an RFC 3339 time.
  duration,  ///< A whole number with `ms`, `s` or `m`.
  uuid,
  time,    ///< RFC 3339.
  choice,  ///< One of `choices`.
};

/// For which renderings of a route's answer a parameter is known.
enum class Use : std::uint8_t {
  any,
  page,    ///< All but the event stream.
  stream,  ///< The event stream only.
};

/// A parameter of the query, the path or the head. Plain value.
struct Parameter {
  std::string_view name;
  ValueForm form = ValueForm::text;
  std::string_view description;                 ///< Sentences for the reference.
  Use use = Use::any;                           ///< Queries only.
  std::span<const std::string_view> choices{};  ///< Of `ValueForm::choice`.
};

/// A body and what it holds.
struct Media {
  std::string_view type;    ///< `application/json`
  std::string_view schema;  ///< Name of the schema of the whole body, or of each line or frame.
};

/// A successful answer.
struct Answer {
  int status = 200;
  std::string_view description;
  std::span<const Media> media{};
};

/// The code of a problem document.
using ProblemCode = std::variant<ErrorCode, wire::HttpCode>;

/// Who may make a call.
enum class Audience : std::uint8_t {
  everybody,  ///< No key is looked at.
  key,        ///< Any key.
  reader,     ///< A key with a read grant.
  admin,      ///< A key that reads everything.
  appender,   ///< A key that may append.
  metrics,    ///< The token of the metrics, when there is one.
};

/// One call of the API: what is dispatched, and what the documents say of it. Immutable; its spans
/// point at constants.
struct Route {
  Method method = Method::get;
  std::string_view pattern;  ///< `/v1/events/{event}`
  Handler handler = nullptr;
  std::string_view id;           ///< Name of the operation, unique.
  std::string_view summary;      ///< One line.
  std::string_view description;  ///< Paragraphs; may be empty.
  Audience audience = Audience::everybody;
  bool tickets = true;                  ///< A ticket does instead of a key, where one is needed.
  std::span<const Parameter> path{};    ///< What the `{}` segments stand for, in order.
  std::span<const Parameter> query{};   ///< All there are, but for filters.
  bool filters = false;                 ///< Takes the filters of events as well.
  bool closed = true;                   ///< Refuses unknown parameters.
  std::span<const Parameter> fields{};  ///< Lines of the head that matter.
  std::span<const Media> body{};        ///< Of the request.
  std::span<const Answer> answers{};
  std::span<const ProblemCode> problems{};  ///< Beside those that every call may have.
};

/// A request's route and what stands in the `{}` segments of its pattern, percent-decoded, in
/// order.
struct Match {
  const Route& route;
  std::vector<std::string> path;
};

}  // namespace annals::server
