#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/cursor.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/page_query.hpp"
#include "wire/answers.hpp"

namespace annals::server {

namespace {

/// Which events of a stream are asked for, in the stream's own numbers.
struct ChainScope {
  std::string stream;
  std::uint64_t after = 0;
  PageRange range;
};

Result<Response> streams(const Service& service, const std::string& prefix,
                         const std::string& after, std::size_t limit) {
  const auto heads = service.log.streams(prefix, after, limit);
  if (!heads) return std::unexpected(heads.error());
  return json(wire::streams_answer(*heads, heads->size() < limit));
}

/// The counters of a page of a stream, whose records have not been filtered yet.
wire::PageEnd chain_end(const ChainScope& scope, const StreamPage& page) {
  const auto number = [](const Record& record) { return record.header.stream_seq.value_or(0); };
  wire::PageEnd end;
  end.head = page.version;
  if (scope.range.order == Order::forward) {
    end.next_after = page.records.empty() ? scope.after : number(page.records.back());
    return end;
  }
  end.next_after = std::min(page.version, scope.range.before == 0 ? 0 : scope.range.before - 1);
  const bool full = page.records.size() == scope.range.limit;
  if (full && number(page.records.back()) > scope.after + 1) {
    end.next_before = number(page.records.back());
  }
  return end;
}

Result<Response> chain_events(const Service& service, Viewer viewer, const ChainScope& scope) {
  auto page = service.log.read_stream(scope.stream, {.after = scope.after,
                                                     .before = scope.range.before,
                                                     .limit = scope.range.limit,
                                                     .order = scope.range.order});
  if (!page) return std::unexpected(page.error());
  if (page->version == 0) return fail(ErrorCode::not_found, "there is no such stream");
  if (scope.after > page->version) {
    return std::unexpected(wire::resync_error(Resync{"ahead", 1, page->version, 0, 0}));
  }
  std::erase_if(page->records, [&](const Record& record) {
    return record.header.stream_seq.value_or(0) <= scope.after;
  });
  const wire::PageEnd end = chain_end(scope, *page);
  if (const auto learnt = service.access.learn_key(viewer); !learnt) {
    return std::unexpected(learnt.error());
  }
  std::erase_if(page->records, [&](const Record& record) { return !viewer.sees(record); });
  auto body = wire::stream_page_answer(scope.stream, page->records, viewer.rendering(), end);
  if (!body) return std::unexpected(body.error());
  return json(std::move(*body));
}

Result<Response> chain_verified(const Service& service, const std::string& stream) {
  VerifyOptions options;
  options.stream = stream;
  const auto report = service.log.verify(options);
  if (!report) return std::unexpected(report.error());
  return json(wire::verify_answer(*report));
}

}  // namespace

Plan plan_streams(Service& service, const Request& request, const Match& match, Caller& caller) {
  if (const auto admitted = admit_admin(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  const auto query = read_query(request, match.route);
  if (!query) return problem(query.error());
  const auto limit = read_count(*query, "limit", service.options.page_default_events,
                                service.options.page_max_events);
  if (!limit) return problem(limit.error());
  return Blocking{[&service, prefix = std::string{query->value("prefix").value_or("")},
                   after = std::string{query->value("after").value_or("")},
                   limit = *limit] { return reply(streams(service, prefix, after, limit)); }};
}

Plan plan_stream_head(Service& service, const Request& request, const Match& match,
                      Caller& caller) {
  if (const auto admitted = admit_admin(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  return Blocking{[&service, name = match.path.front()]() -> Reply {
    const auto head = service.log.stream(name);
    return head ? json(wire::stream_answer(*head)) : problem(head.error());
  }};
}

Plan plan_stream_events(Service& service, const Request& request, const Match& match,
                        Caller& caller) {
  if (const auto admitted = admit_reader(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  const auto query = read_query(request, match.route);
  if (!query) return problem(query.error());
  const auto after = core::parse_cursor(query->value("after").value_or("0"));
  if (!after) return problem(after.error());
  const auto range = read_page_range(*query, page_bounds(service.options));
  if (!range) return problem(range.error());
  return Blocking{
      [&service, viewer = caller.viewer(), scope = ChainScope{match.path.front(), *after, *range}] {
        return reply(chain_events(service, viewer, scope));
      }};
}

Plan plan_stream_verify(Service& service, const Request& request, const Match& match,
                        Caller& caller) {
  if (const auto admitted = admit_admin(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  auto slot = service.verifications.take();
  if (!slot) {
    return problem(
        Error{ErrorCode::busy, "another chain is being verified", {}, std::chrono::seconds{5}});
  }
  return Blocking{[&service, name = match.path.front(), slot = std::move(slot)]() mutable {
    auto answer = reply(chain_verified(service, name));
    // Free before the answer leaves: its reader may ask for the next chain at once.
    slot.reset();
    return answer;
  }};
}

}  // namespace annals::server
