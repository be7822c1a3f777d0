#include "cli/remote_log.hpp"

#include <algorithm>
#include <utility>

#include "cli/text.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "wire/json_values.hpp"

namespace annals::cli {
namespace {

/// More than one turn of a command hands on at once.
constexpr std::size_t max_batch = 1000;

LoggedEvent logged(Envelope envelope) {
  return {envelope.seq, std::move(envelope.json)};
}

class RemoteLive final : public LiveEvents {
 public:
  RemoteLive(Follower follower, Streams& streams)
      : follower_(std::move(follower)),
        streams_(streams) {}

  Result<std::vector<LoggedEvent>> next(std::chrono::milliseconds wait) override {
    std::vector<LoggedEvent> events;
    while (events.size() < max_batch) {
      auto message = follower_.next(events.empty() ? wait : std::chrono::milliseconds{0});
      if (!message) return std::unexpected(std::move(message.error()));
      if (!*message) break;
      if (auto* event = std::get_if<Envelope>(&**message)) {
        events.push_back(logged(std::move(*event)));
      } else if (auto* lost = std::get_if<Resynced>(&**message)) {
        return std::unexpected(resync_error(std::move(lost->resync)));
      } else if (const auto* gone = std::get_if<Disconnected>(&**message)) {
        remark(*gone);
      }
    }
    return events;
  }

 private:
  static Error resync_error(Resync resync) {
    Error error{ErrorCode::resync_required,
                "the log cannot be continued after this number (" + resync.reason + ")",
                {},
                {}};
    error.details = std::move(resync);
    return error;
  }

  void remark(const Disconnected& gone) const {
    if (!streams_.err_is_terminal) return;
    streams_.err << printable(gone.why.detail) << "; next attempt in " << gone.retry_in.count()
                 << " ms\n";
  }

  Follower follower_;
  Streams& streams_;
};

class RemoteEvents final : public EventReader {
 public:
  RemoteEvents(Client& client, Filters filters, Streams& streams)
      : client_(client),
        filters_(std::move(filters)),
        streams_(streams) {}

  Result<Counters> counters() override {
    auto info = client_.info();
    if (!info) return std::unexpected(std::move(info.error()));
    return Counters{info->oldest, info->head};
  }

  Result<LoggedPage> page(const PageRange& range) override {
    PageQuery query;
    query.limit = range.limit;
    query.order = range.order;
    query.filters = filters_;
    if (range.order == Order::backward) {
      if (range.before <= max_seq) query.before = range.before;
    } else if (range.after > 0) {
      // Without a number it is the oldest, which is what 0 means to a reader here.
      query.after = range.after;
    }
    auto page = client_.read(query);
    if (!page) return std::unexpected(std::move(page.error()));
    LoggedPage out;
    for (auto& event : page->events)
      out.events.push_back(logged(std::move(event)));
    out.oldest = page->oldest;
    out.caught_up = page->caught_up;
    out.scanned =
        range.order == Order::forward ? page->next_after : page->next_before.value_or(page->oldest);
    return out;
  }

  std::unique_ptr<LiveEvents> live(std::uint64_t after) override {
    FollowOptions options;
    options.after = after;
    options.filters = filters_;
    return std::make_unique<RemoteLive>(client_.follow(std::move(options)), streams_);
  }

 private:
  Client& client_;
  Filters filters_;
  Streams& streams_;
};

class RemoteSink final : public LineSink {
 public:
  explicit RemoteSink(std::unique_ptr<AppendStream> stream) : stream_(std::move(stream)) {}

  void append(std::string_view line, Done done) override {
    stream_->append_line(line, std::move(done));
  }

  /// What ended the stream early is the answer of every line it concerns.
  void finish() override { [[maybe_unused]] const auto ended = stream_->finish(); }

 private:
  std::unique_ptr<AppendStream> stream_;
};

/// The members of a header that no envelope has.
bool read_header(std::string_view json, EventDetails& out) {
  core::json::Reader reader(json);
  return wire::read_object(reader, [&](const std::string& name) {
    if (name == "receive_action") return wire::read_value(reader, out.receive_action);
    if (name == "key_id") return wire::read_value(reader, out.key_id);
    return true;
  });
}

class RemoteLog final : public LogAccess {
 public:
  RemoteLog(Client client, Streams& streams) : client_(std::move(client)), streams_(streams) {}

  Outcome<std::unique_ptr<EventReader>> events(const Filters& filters) override {
    return std::make_unique<RemoteEvents>(client_, filters, streams_);
  }

  Result<LoggedEvent> find(const EventName& name) override {
    auto envelope = this->envelope(name);
    if (!envelope) return std::unexpected(std::move(envelope.error()));
    return logged(std::move(*envelope));
  }

  Result<EventDetails> details(const EventName& name) override {
    auto envelope = this->envelope(name);
    if (!envelope) return std::unexpected(std::move(envelope.error()));
    const auto hashed = client_.form(envelope->seq, Form::header, true);
    if (!hashed) return std::unexpected(hashed.error());
    EventDetails out;
    if (envelope->stream) out.prev_hash = envelope->stream->prev_hash;
    // Of what the server shows to be hashed, not what it says the hash is.
    out.row_hash = core::blake3(*hashed);
    const std::size_t prefix = out.prev_hash ? out.prev_hash->size() : 0;
    if (hashed->size() < prefix || !read_header(std::string_view(*hashed).substr(prefix), out)) {
      return fail(ErrorCode::invalid_request, "the server's header of the event cannot be read");
    }
    if (envelope->is_private) out.audience = "self";
    out.payload_erased = payload_erased(*envelope);
    out.event = logged(std::move(*envelope));
    return out;
  }

  Result<std::string> form(const EventName& name, Form form, bool hashed) override {
    return std::visit([&](const auto& which) { return client_.form(which, form, hashed); }, name);
  }

  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
    auto list = client_.streams(prefix, after, limit);
    if (!list) return std::unexpected(std::move(list.error()));
    return std::move(list->streams);
  }

  Outcome<VerifyReport> verify(const VerifyOptions& options,
                               const VerifyProgress& /*progress*/) override {
    if (!options.stream || options.expect) {
      return wrong_usage("a server proves one stream at a time, without a receipt",
                         "add --stream NAME, or verify the store where it is");
    }
    auto report = client_.verify_stream(*options.stream);
    if (!report) return failed(std::move(report.error()));
    return std::move(*report);
  }

  Result<AppendResult> append(NewEvent event, AppendOptions options) override {
    return client_.append(std::move(event), options);
  }

  Result<DocumentResult> append_document(std::string_view json, AppendOptions options) override {
    return client_.append_document(json, options);
  }

  Result<std::unique_ptr<LineSink>> append_lines(AppendOptions options) override {
    auto stream = client_.append_stream(std::move(options.traceparent));
    if (!stream) return std::unexpected(std::move(stream.error()));
    return std::make_unique<RemoteSink>(std::move(*stream));
  }

 private:
  Result<Envelope> envelope(const EventName& name) {
    return std::visit([this](const auto& which) { return client_.find(which); }, name);
  }

  Client client_;
  Streams& streams_;
};

}  // namespace

std::unique_ptr<LogAccess> remote_access(Client client, Streams& streams) {
  return std::make_unique<RemoteLog>(std::move(client), streams);
}

}  // namespace annals::cli
