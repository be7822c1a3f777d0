#include <memory>
#include <string>
#include <utility>

#include "server/append_body.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/ndjson_append.hpp"
#include "wire/answers.hpp"
#include "wire/cloud_event_reader.hpp"

namespace annals::server {

namespace {

/// Larger bodies are read on a worker, so that they hold nobody up.
constexpr std::size_t max_inline_bytes = std::size_t{64} * 1024;

constexpr std::size_t max_key_bytes = 200;

/// Who appends, and how. Shared by what handles one request, so that nothing of it is copied.
struct Appender {
  Caller caller;
  AppendOptions options;
  AppendForm form = AppendForm::events;
};

/// What the head of an append request says.
struct AppendHead {
  AppendOptions options;
  AppendForm form = AppendForm::events;
};

Result<Ack> read_ack(const wire::Query& query) {
  const auto ack = query.value("ack");
  if (!ack || *ack == "durable") return Ack::durable;
  if (*ack == "queued") return Ack::queued;
  return fail(ErrorCode::invalid_request, "ack must be durable or queued");
}

Result<void> admit_writer(Service& service, const Request& request, Caller& caller) {
  auto who = service.access.authenticate(request);
  if (!who) return std::unexpected(who.error());
  caller = std::move(*who);
  if (!caller.may_append()) return fail(ErrorCode::not_allowed, "the key may not append events");
  return service.limits.may_append(caller.party, Deadline::clock::now());
}

Result<AppendHead> read_append_head(const Request& request, const Route& route) {
  AppendHead head;
  const auto query = read_query(request, route);
  if (!query) return std::unexpected(query.error());
  const auto ack = read_ack(*query);
  if (!ack) return std::unexpected(ack.error());
  head.options.ack = *ack;
  if (const auto key = request.header("idempotency-key")) {
    if (key->empty() || key->size() > max_key_bytes || request.count("idempotency-key") > 1) {
      return fail(ErrorCode::invalid_request, "one Idempotency-Key of 1 to 200 bytes is possible");
    }
    head.options.idempotency_key = std::string{*key};
  }
  if (const auto trace = request.header("traceparent")) {
    head.options.traceparent = std::string{*trace};
  }
  head.form = append_form_of(request);
  if (head.form == AppendForm::lines && head.options.idempotency_key) {
    return fail(ErrorCode::invalid_request,
                "NDJSON takes no Idempotency-Key: each line has its id");
  }
  if (head.form == AppendForm::lines && head.options.ack == Ack::queued) {
    return fail(ErrorCode::invalid_request, "NDJSON lines are always answered when durable");
  }
  return head;
}

Reply append_reply(const Result<AppendResult>& result, bool array) {
  if (!result) return problem(result.error());
  Response response = json(array ? wire::batch_answer(*result) : wire::append_answer(*result));
  response.status = !result->durable ? 202 : result->duplicate ? 200 : 201;
  return response;
}

/// Blocks on the store when the caller is a subject without a key.
void append_body(Service& service, Appender& appender, const Request& received,
                 const Respond& respond) {
  auto request =
      read_append_body(received, appender.form, service.log.options().append.request_max_events,
                       *service.log.rules());
  if (!request) {
    respond([error = std::move(request.error())] { return problem(error); });
    return;
  }
  if (auto taken = service.limits.take_append(appender.caller.party, request->events.size(),
                                              received.body.size(), Deadline::clock::now());
      !taken) {
    respond([error = std::move(taken.error())] { return problem(error); });
    return;
  }
  if (!appender.caller.capability) {
    if (auto admitted = service.access.admit(appender.caller); !admitted) {
      respond([error = std::move(admitted.error())] { return problem(error); });
      return;
    }
  }
  appender.options.expected_versions = std::move(request->expected_versions);
  appender.options.traceparents = std::move(request->traceparents);
  service.log.append_async(
      *appender.caller.capability, std::move(request->events), std::move(appender.options),
      [respond, array = request->array, form = appender.form,
       token = service.appends.token()](Result<AppendResult> result) {
        if (is_cloud_event(form)) wire::name_attributes(result);
        respond([result = std::move(result), array] { return append_reply(result, array); });
      });
}

void handle_body(Service& service, const std::shared_ptr<Appender>& appender, Request request,
                 const Respond& respond) {
  if (request.body.size() <= max_inline_bytes && appender->caller.capability) {
    append_body(service, *appender, request, respond);
    return;
  }
  const bool queued =
      service.workers.submit([&service, appender, request = std::move(request), respond] {
        append_body(service, *appender, request, respond);
      });
  if (!queued) {
    respond([] {
      return problem(Error{ErrorCode::store_unavailable, "the server is stopping", {}, {}});
    });
  }
}

}  // namespace

Plan plan_append(Service& service, const Request& request, const Match& match, Caller& caller) {
  if (const auto admitted = admit_writer(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  auto head = read_append_head(request, match.route);
  if (!head) return problem(head.error());
  if (head->form == AppendForm::lines) {
    Response response;
    response.content_type = "application/x-ndjson";
    return Streamed{std::move(response),
                    [&service, caller, trace = head->options.traceparent](
                        std::shared_ptr<StreamOutput> output) -> std::shared_ptr<BodyStream> {
                      return std::make_shared<NdjsonAppend>(service, caller, trace,
                                                            std::move(output));
                    }};
  }
  if (head->form == AppendForm::unknown) {
    return problem(wire::HttpCode::unsupported_media_type,
                   "events are sent as application/json, application/x-ndjson, "
                   "application/cloudevents+json or application/cloudevents-batch+json");
  }
  const auto appender =
      std::make_shared<Appender>(Appender{caller, std::move(head->options), head->form});
  return WithBody{service.log.options().append.request_max_bytes,
                  [&service, appender](Request with_body, const Respond& respond) {
                    handle_body(service, appender, std::move(with_body), respond);
                  }};
}

}  // namespace annals::server
