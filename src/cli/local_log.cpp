#include "cli/local_log.hpp"

#include <utility>

#include "core/canonical.hpp"
#include "core/cursor.hpp"
#include "core/filter.hpp"
#include "wire/checked_request.hpp"
#include "wire/envelope.hpp"

namespace annals::cli {
namespace {

Result<LoggedEvent> logged(const Record& record) {
  LoggedEvent event{record.header.seq, {}};
  auto written = wire::append_envelope(event.json, record, wire::Rendering::privileged);
  if (!written) return std::unexpected(std::move(written.error()));
  return event;
}

template <typename Bytes>
std::string raw(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::string> part_bytes(const std::optional<Part>& part, bool erased, const char* name,
                               bool hashed) {
  if (!part) {
    const std::string detail = std::string("the event has no ") + name;
    return fail(ErrorCode::not_found, erased ? detail + ": it was erased" : detail);
  }
  return hashed ? raw(part->salt) + part->bytes : part->bytes;
}

class LocalEvents final : public EventReader {
 public:
  LocalEvents(const EventLog& log, Filter filter) : log_(log), filter_(std::move(filter)) {}

  Result<Counters> counters() override {
    auto state = log_.state();
    if (!state) return std::unexpected(std::move(state.error()));
    return Counters{state->oldest, state->event_seq};
  }

  Result<LoggedPage> page(const PageRange& range) override {
    auto page = log_.read({.after = range.after,
                           .before = range.before,
                           .limit = range.limit,
                           .order = range.order,
                           .filter = filter_});
    if (!page) return std::unexpected(std::move(page.error()));
    LoggedPage out;
    for (const auto& record : page->records) {
      auto event = logged(record);
      if (!event) return std::unexpected(std::move(event.error()));
      out.events.push_back(std::move(*event));
    }
    out.scanned = page->scanned;
    out.oldest = page->oldest;
    out.caught_up = page->caught_up;
    return out;
  }

  std::unique_ptr<LiveEvents> live(std::uint64_t after) override;

  [[nodiscard]] const EventLog& log() const noexcept { return log_; }

 private:
  const EventLog& log_;
  Filter filter_;
};

class LocalLive final : public LiveEvents {
 public:
  LocalLive(LocalEvents& events, std::uint64_t after) : events_(events), after_(after) {}

  Result<std::vector<LoggedEvent>> next(std::chrono::milliseconds wait) override {
    const auto counters = events_.counters();
    if (!counters) return std::unexpected(counters.error());
    auto valid = core::check_cursor(after_, counters->oldest, counters->head);
    if (!valid) return std::unexpected(std::move(valid.error()));
    auto page = events_.page({.after = after_, .limit = page_size});
    if (!page) return std::unexpected(std::move(page.error()));
    // At the end of a damaged log nothing follows, and yet it is not the head.
    const bool ended = page->caught_up || page->scanned == after_;
    after_ = page->scanned;
    if (ended && page->events.empty()) {
      auto head = events_.log().wait_after(after_, wait);
      if (!head) return std::unexpected(std::move(head.error()));
    }
    return std::move(page->events);
  }

 private:
  static constexpr std::size_t page_size = 1000;

  LocalEvents& events_;
  std::uint64_t after_;
};

std::unique_ptr<LiveEvents> LocalEvents::live(std::uint64_t after) {
  return std::make_unique<LocalLive>(*this, after);
}

class LocalSink final : public LineSink {
 public:
  LocalSink(EventLog& log, AppendOptions options)
      : log_(log),
        options_(std::move(options)),
        capability_(log.local_admin()) {}

  void append(std::string_view line, Done done) override {
    auto request = wire::read_checked_line(line, *log_.rules());
    if (!request) {
      done(std::unexpected(std::move(request.error())));
      return;
    }
    AppendOptions options = options_;
    options.expected_versions = std::move(request->expected_versions);
    log_.append_async(capability_, std::move(request->events), std::move(options), std::move(done));
  }

  /// Whoever gave the lines counts their answers.
  void finish() override {}

 private:
  EventLog& log_;
  AppendOptions options_;
  WriteCapability capability_;
};

class LocalLog final : public LogAccess {
 public:
  explicit LocalLog(std::unique_ptr<EventLog> log) : log_(std::move(log)) {}

  Outcome<std::unique_ptr<EventReader>> events(const Filters& filters) override {
    Filter filter;
    for (const auto& [name, value] : filters) {
      auto set = core::set_filter(filter, name, value, *log_->catalogue());
      if (!set) return failed(std::move(set.error()));
    }
    return std::make_unique<LocalEvents>(*log_, std::move(filter));
  }

  Result<LoggedEvent> find(const EventName& name) override {
    const auto record = this->record(name);
    if (!record) return std::unexpected(record.error());
    return logged(*record);
  }

  Result<EventDetails> details(const EventName& name) override {
    const auto record = this->record(name);
    if (!record) return std::unexpected(record.error());
    auto event = logged(*record);
    auto meta = meta_of(*record);
    if (!event) return std::unexpected(std::move(event.error()));
    if (!meta) return std::unexpected(std::move(meta.error()));
    return EventDetails{.event = std::move(*event),
                        .receive_action = record->header.receive_action,
                        .key_id = record->header.key_id,
                        .audience = std::move(meta->audience),
                        .redacted_at = record->redacted_at,
                        .prev_hash = record->prev_hash,
                        .row_hash = record->row_hash,
                        .payload_erased = !record->payload};
  }

  Result<std::string> form(const EventName& name, Form form, bool hashed) override {
    const auto record = this->record(name);
    if (!record) return std::unexpected(record.error());
    if (form == Form::payload) {
      return part_bytes(record->payload, record->redacted(), "payload", hashed);
    }
    if (form == Form::meta) {
      const bool erased = record->redacted() && record->header.meta_digest.has_value();
      return part_bytes(record->meta, erased, "meta", hashed);
    }
    std::string header = core::header_bytes(record->header);
    return hashed && record->prev_hash ? raw(*record->prev_hash) + header : std::move(header);
  }

  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
    return log_->streams(prefix, after, limit);
  }

  Outcome<VerifyReport> verify(const VerifyOptions& options,
                               const VerifyProgress& progress) override {
    auto report = log_->verify(options, progress);
    if (!report) return failed(std::move(report.error()));
    return std::move(*report);
  }

  Result<AppendResult> append(NewEvent event, AppendOptions options) override {
    return log_->append(log_->local_admin(), std::move(event), std::move(options));
  }

  Result<DocumentResult> append_document(std::string_view json, AppendOptions options) override {
    auto request =
        wire::read_checked_request(json, log_->options().append.request_max_events, *log_->rules());
    if (!request) return std::unexpected(std::move(request.error()));
    options.expected_versions = std::move(request->expected_versions);
    auto result = log_->append(log_->local_admin(), std::move(request->events), std::move(options));
    if (!result) return std::unexpected(std::move(result.error()));
    return DocumentResult{std::move(*result), request->array};
  }

  Result<std::unique_ptr<LineSink>> append_lines(AppendOptions options) override {
    return std::make_unique<LocalSink>(*log_, std::move(options));
  }

 private:
  [[nodiscard]] Result<Record> record(const EventName& name) const {
    return std::visit([this](const auto& which) { return log_->find(which); }, name);
  }

  std::unique_ptr<EventLog> log_;
};

}  // namespace

std::unique_ptr<LogAccess> local_access(std::unique_ptr<EventLog> log) {
  return std::make_unique<LocalLog>(std::move(log));
}

}  // namespace annals::cli
