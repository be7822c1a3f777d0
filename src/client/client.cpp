#include "annals/client.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "client/append_stream.hpp"
#include "client/backoff.hpp"
#include "client/event_body.hpp"
#include "client/follower.hpp"
#include "client/http.hpp"
#include "wire/answer_reader.hpp"
#include "wire/envelope_reader.hpp"
#include "wire/json_split.hpp"
#include "wire/query.hpp"

namespace annals {

namespace {

using client::Request;
using client::Target;
using std::chrono::milliseconds;

constexpr milliseconds first_retry{100};
constexpr milliseconds last_retry{2000};

std::unexpected<Error> invalid(std::string detail) {
  return fail(ErrorCode::invalid_request, std::move(detail));
}

Result<Request> append_request(std::string body, const AppendOptions& options) {
  if (!options.traceparents.empty()) {
    return invalid(
        "a request has one trace: traces of single events are for a log in this process");
  }
  Request request;
  request.method = "POST";
  Target target("/v1/events");
  if (options.ack == Ack::queued) {
    if (options.overflow == Overflow::drop) {
      return invalid("a server drops nothing: Overflow::drop is for a log in this process");
    }
    target.add("ack", "queued");
  }
  request.target = target.text();
  request.fields = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  if (options.idempotency_key) {
    request.fields.emplace_back("Idempotency-Key", *options.idempotency_key);
  }
  if (options.traceparent) request.fields.emplace_back("traceparent", *options.traceparent);
  request.body = std::move(body);
  return request;
}

Target page_target(const PageQuery& query) {
  Target target("/v1/events");
  if (query.after) target.add("after", *query.after);
  if (!query.from.empty()) target.add("from", std::string_view{query.from});
  if (query.order == Order::backward) {
    target.add("order", "desc");
    if (query.before) target.add("before", *query.before);
  }
  target.add("limit", query.limit);
  if (query.wait.count() > 0) {
    target.add("wait", std::string_view{std::to_string(query.wait.count()) + "ms"});
  }
  if (query.min_seq) target.add("min_seq", *query.min_seq);
  target.add(query.filters);
  return target;
}

std::string stream_path(std::string_view name) {
  return "/v1/streams/" + wire::percent_encode(name);
}

std::string_view name_of(Form form) {
  switch (form) {
    case Form::header:
      return "header";
    case Form::meta:
      return "meta";
    case Form::payload:
      return "payload";
  }
  return "header";
}

std::string form_target(const std::string& event, Form form, bool hashed) {
  Target target("/v1/events/" + event);
  target.add("form", name_of(form));
  if (hashed) target.add("hashed", "1");
  return target.text();
}

}  // namespace

class Client::Impl {
 public:
  explicit Impl(std::shared_ptr<const client::Endpoint> endpoint)
      : endpoint_(std::move(endpoint)),
        http_(endpoint_) {}

  [[nodiscard]] const std::shared_ptr<const client::Endpoint>& endpoint() const {
    return endpoint_;
  }

  /// Gets `target` and reads its body with `read`.
  template <typename Read>
  auto get(std::string target, Read read, milliseconds silence = milliseconds{0})
      -> Result<typename std::invoke_result_t<Read, std::string_view>::value_type> {
    auto body = http_.get({.target = std::move(target), .silence = silence});
    if (!body) return std::unexpected(std::move(body.error()));
    auto value = read(*body);
    if (!value) return std::unexpected(client::not_annals(*endpoint_));
    return std::move(*value);
  }

  Result<std::string> bytes(std::string target) { return http_.get({.target = std::move(target)}); }

  /// Sends an append that has ids; again when the answer was lost, while patience lasts.
  Result<std::string> append(const Request& request) {
    client::Backoff backoff(first_retry, last_retry);
    const auto until = std::chrono::steady_clock::now() + endpoint_->options.append_patience;
    bool maybe_stored = false;
    for (;;) {
      auto body = http_.call(request);
      const bool unknown = !body && body.error().code == ErrorCode::commit_unknown;
      maybe_stored = maybe_stored || unknown;
      const bool lost = unknown || (!body && body.error().kind() == ErrorKind::unavailable);
      if (!lost || !maybe_stored) return body;
      body.error().code = ErrorCode::commit_unknown;
      const auto wait = backoff.next(milliseconds{0});
      if (std::chrono::steady_clock::now() + wait >= until) return body;
      std::this_thread::sleep_for(wait);
    }
  }

  Result<std::string> append_once(const Request& request) { return http_.call(request); }

 private:
  std::shared_ptr<const client::Endpoint> endpoint_;
  client::Http http_;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::create(ClientOptions options) {
  auto endpoint = client::Endpoint::make(std::move(options));
  if (!endpoint) return std::unexpected(std::move(endpoint.error()));
  return Client(std::make_unique<Impl>(std::move(*endpoint)));
}

Result<AppendResult> Client::append(std::vector<NewEvent> events, const AppendOptions& options) {
  // Under a key the request is the same only without ids of its own, and needs none.
  const auto ids = options.idempotency_key ? client::Ids::keep : client::Ids::make;
  auto body = client::events_body(events, options.expected_versions, ids);
  if (!body) return std::unexpected(std::move(body.error()));
  const auto request = append_request(std::move(*body), options);
  if (!request) return std::unexpected(request.error());
  const auto answer = impl_->append(*request);
  if (!answer) return std::unexpected(answer.error());
  auto result = wire::read_batch_answer(*answer);
  if (!result || result->events.size() != events.size()) {
    return std::unexpected(client::not_annals(*impl_->endpoint()));
  }
  return std::move(*result);
}

Result<AppendResult> Client::append(NewEvent event, const AppendOptions& options) {
  std::vector<NewEvent> events;
  events.push_back(std::move(event));
  return append(std::move(events), options);
}

Result<DocumentResult> Client::append_document(std::string_view json,
                                               const AppendOptions& options) {
  if (!options.expected_versions.empty()) {
    return invalid("expected versions stand in the document itself");
  }
  auto request = append_request(std::string{json}, options);
  if (!request) return std::unexpected(std::move(request.error()));
  request->repeatable = options.idempotency_key.has_value();
  const auto answer = request->repeatable ? impl_->append(*request) : impl_->append_once(*request);
  if (!answer) return std::unexpected(answer.error());
  const bool array = wire::is_array(json);
  auto result = array ? wire::read_batch_answer(*answer) : wire::read_append_answer(*answer);
  if (!result) return std::unexpected(client::not_annals(*impl_->endpoint()));
  return DocumentResult{std::move(*result), array};
}

Result<std::unique_ptr<AppendStream>> Client::append_stream(
    std::optional<std::string> traceparent) {
  auto stream = AppendStream::Impl::open(impl_->endpoint(), std::move(traceparent));
  if (!stream) return std::unexpected(std::move(stream.error()));
  return std::unique_ptr<AppendStream>(new AppendStream(std::move(*stream)));
}

Result<EnvelopePage> Client::read(const PageQuery& query) {
  return impl_->get(page_target(query).text(), wire::read_page_answer,
                    query.wait.count() > 0 ? query.wait + impl_->endpoint()->options.answer_timeout
                                           : milliseconds{0});
}

Result<Envelope> Client::find(std::uint64_t seq) {
  return impl_->get("/v1/events/" + std::to_string(seq),
                    [](std::string_view json) { return wire::read_envelope(json); });
}

Result<Envelope> Client::find(const Uuid& id) {
  return impl_->get("/v1/events/" + to_string(id),
                    [](std::string_view json) { return wire::read_envelope(json); });
}

Result<std::string> Client::form(std::uint64_t seq, Form form, bool hashed) {
  return impl_->bytes(form_target(std::to_string(seq), form, hashed));
}

Result<std::string> Client::form(const Uuid& id, Form form, bool hashed) {
  return impl_->bytes(form_target(to_string(id), form, hashed));
}

Result<StreamList> Client::streams(std::string_view prefix, std::string_view after,
                                   std::size_t limit) {
  Target target("/v1/streams");
  if (!prefix.empty()) target.add("prefix", prefix);
  if (!after.empty()) target.add("after", after);
  return impl_->get(target.add("limit", limit).text(), wire::read_streams_answer);
}

Result<StreamHead> Client::stream(std::string_view name) {
  return impl_->get(stream_path(name), wire::read_stream_answer);
}

Result<StreamEnvelopes> Client::stream_events(std::string_view name,
                                              const StreamReadOptions& options) {
  Target target(stream_path(name) + "/events");
  if (options.order == Order::backward) {
    target.add("order", "desc");
    if (options.before <= max_seq) target.add("before", options.before);
  } else {
    target.add("after", options.after);
  }
  return impl_->get(target.add("limit", options.limit).text(), wire::read_stream_page_answer);
}

Result<VerifyReport> Client::verify_stream(std::string_view name) {
  return impl_->get(stream_path(name) + "/verify", wire::read_verify_answer,
                    impl_->endpoint()->options.verify_timeout);
}

Result<ServerInfo> Client::info() {
  return impl_->get("/v1/log", wire::read_log_answer);
}

Follower Client::follow(FollowOptions options) const {
  return Follower(std::make_unique<Follower::Impl>(impl_->endpoint(), std::move(options)));
}

}  // namespace annals
