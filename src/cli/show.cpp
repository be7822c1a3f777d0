#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/event_printer.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "core/canonical.hpp"
#include "core/cursor.hpp"
#include "wire/envelope.hpp"

namespace annals::cli {
namespace {

struct Options {
  std::string which;
  std::string form;
  bool hashed = false;
};

Outcome<Record> find(const EventLog& log, const std::string& which) {
  if (const auto seq = core::parse_cursor(which)) {
    auto record = log.find(*seq);
    if (!record) return failed(std::move(record.error()));
    return std::move(*record);
  }
  const auto id = parse_uuid(which);
  if (!id) return wrong_usage("an event is named by its number or its UUID");
  auto record = log.find(*id);
  if (!record) return failed(std::move(record.error()));
  return std::move(*record);
}

template <typename Bytes>
std::string raw(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Outcome<std::string> part_bytes(const std::optional<Part>& part, bool erased, const char* name,
                                bool hashed) {
  if (!part) {
    const std::string detail = std::string("the event has no ") + name;
    return failed({ErrorCode::not_found, erased ? detail + ": it was erased" : detail, {}, {}});
  }
  return hashed ? raw(part->salt) + part->bytes : part->bytes;
}

/// What is hashed: the previous hash or the salt, then the bytes of the form.
Outcome<std::string> form_bytes(const Record& record, const Options& options) {
  if (options.form == "payload") {
    return part_bytes(record.payload, record.redacted(), "payload", options.hashed);
  }
  if (options.form == "meta") {
    const bool erased = record.redacted() && record.header.meta_digest.has_value();
    return part_bytes(record.meta, erased, "meta", options.hashed);
  }
  const std::string header = core::header_bytes(record.header);
  return options.hashed && record.prev_hash ? raw(*record.prev_hash) + header : header;
}

/// One line a member, the payload as it is stored.
Outcome<std::string> page(const Record& record) {
  auto meta = meta_of(record);
  if (!meta) return failed(std::move(meta.error()));
  const auto& header = record.header;
  std::string out;
  const auto line = [&out](std::string name, std::string_view value) {
    name.resize(std::max<std::size_t>(16, name.size() + 1), ' ');
    out += name + printable(value) + "\n";
  };
  const auto maybe = [&line](const char* name, const std::optional<std::string>& value) {
    if (value) line(name, *value);
  };
  line("seq", std::to_string(header.seq));
  line("id", to_string(header.id));
  line("type", header.type);
  line("schema_version", std::to_string(header.schema_version));
  maybe("source", header.source);
  line("occurred_at", to_string(header.occurred_at));
  line("recorded_at", to_string(header.recorded_at));
  if (header.stream) {
    line("stream", *header.stream + "#" + std::to_string(header.stream_seq.value_or(0)));
  }
  maybe("space", header.scope.space_id);
  maybe("channel", header.scope.channel_id);
  maybe("thread", header.scope.thread_id);
  line("resource",
       header.resource.kind.value_or("") + (header.resource.id ? "/" + *header.resource.id : ""));
  line("receive_action", header.receive_action);
  if (meta->actor) {
    line("actor", std::string(to_string(meta->actor->kind)) +
                      (meta->actor->id ? "/" + *meta->actor->id : ""));
  }
  maybe("audience", meta->audience);
  for (const auto& [name, value] : meta->labels)
    line("label " + name, value);
  maybe("client_msg_id", meta->client_msg_id);
  if (meta->correlation_id) line("correlation_id", to_string(*meta->correlation_id));
  if (meta->causation_id) line("causation_id", to_string(*meta->causation_id));
  line("permission", std::to_string(header.permission_version));
  line("key_id", to_string(header.key_id));
  if (record.redacted_at) line("redacted_at", to_string(*record.redacted_at));
  if (record.prev_hash) line("prev_hash", to_hex(*record.prev_hash));
  line("row_hash", to_hex(record.row_hash));
  line("payload", record.payload ? payload_of(record) : "(erased)");
  return out;
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  if (options.hashed && options.form.empty()) return wrong_usage("--hashed needs --form");
  auto log = context.open(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  const auto record = find(**log, options.which);
  if (!record) return std::unexpected(record.error());
  if (!options.form.empty()) {
    const auto bytes = form_bytes(*record, options);
    if (!bytes) return std::unexpected(bytes.error());
    context.out() << *bytes;
    return ExitCode::ok;
  }
  if (context.streams().out_is_terminal && !context.json()) {
    const auto text = page(*record);
    if (!text) return std::unexpected(text.error());
    context.out() << *text;
    return ExitCode::ok;
  }
  std::string envelope;
  auto written = wire::append_envelope(envelope, *record, wire::Rendering::privileged);
  if (!written) return failed(std::move(written.error()));
  context.out() << envelope << '\n';
  return ExitCode::ok;
}

}  // namespace

void add_show(Program& program) {
  auto options = std::make_shared<Options>();
  auto& command =
      program.command("show", "Print one event, or the exact bytes that are hashed",
                      "  annals show 42 --form header --hashed | b3sum    # is the event's hash",
                      [options](Context& context) { return run(context, *options); });
  command.add_option("EVENT", options->which, "Number or UUID of the event")->required();
  command
      .add_option("--form", options->form,
                  "header, meta or payload: its exact bytes, without a newline")
      ->type_name("FORM")
      ->check(CLI::IsMember({"header", "meta", "payload"}));
  command.add_flag("--hashed", options->hashed,
                   "With --form: the raw previous hash or salt in front, as it is hashed");
}

}  // namespace annals::cli
