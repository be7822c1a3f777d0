#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/log_access.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"
#include "core/cursor.hpp"
#include "wire/envelope_reader.hpp"

namespace annals::cli {
namespace {

struct Options {
  std::string which;
  std::string form;
  bool hashed = false;
};

Outcome<EventName> name_of(const std::string& which) {
  if (const auto seq = core::parse_cursor(which)) return EventName(*seq);
  if (const auto id = parse_uuid(which)) return EventName(*id);
  return wrong_usage("an event is named by its number or its UUID");
}

Form form_of(const std::string& form) {
  return form == "payload" ? Form::payload : form == "meta" ? Form::meta : Form::header;
}

/// Writes `name   value` lines; the value cannot steer a terminal.
class Lines {
 public:
  void add(std::string name, std::string_view value) {
    name.resize(std::max<std::size_t>(16, name.size() + 1), ' ');
    text_ += name + printable(value) + "\n";
  }
  void add(const char* name, const std::optional<std::string>& value) {
    if (value) add(std::string(name), std::string_view(*value));
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

void add_place(Lines& lines, const Envelope& event) {
  lines.add("seq", std::to_string(event.seq));
  lines.add("id", to_string(event.id));
  lines.add("type", std::string_view(event.type));
  lines.add("schema_version", std::to_string(event.schema_version));
  lines.add("source", event.source);
  lines.add("occurred_at", to_string(event.occurred_at));
  lines.add("recorded_at", to_string(event.recorded_at));
  if (event.stream) {
    lines.add("stream", event.stream->name + "#" + std::to_string(event.stream->seq));
  }
  lines.add("space", event.scope.space_id);
  lines.add("channel", event.scope.channel_id);
  lines.add("thread", event.scope.thread_id);
  lines.add("resource",
            event.resource.kind.value_or("") + (event.resource.id ? "/" + *event.resource.id : ""));
}

void add_context(Lines& lines, const Envelope& event) {
  for (const auto& [name, value] : event.labels)
    lines.add("label " + name, std::string_view(value));
  lines.add("client_msg_id", event.client_msg_id);
  if (event.correlation_id) lines.add("correlation_id", to_string(*event.correlation_id));
  if (event.causation_id) lines.add("causation_id", to_string(*event.causation_id));
}

/// One line a member, the payload as it is stored.
Outcome<std::string> page(const EventDetails& details) {
  const auto event = wire::read_envelope(details.event.json);
  if (!event) {
    return failed({ErrorCode::store_corrupt, "the event is not one that can be shown", {}, {}});
  }
  Lines lines;
  add_place(lines, *event);
  lines.add("receive_action", std::string_view(details.receive_action));
  if (event->actor) {
    lines.add("actor", std::string(to_string(event->actor->kind)) +
                           (event->actor->id ? "/" + *event->actor->id : ""));
  }
  lines.add("audience", details.audience);
  add_context(lines, *event);
  lines.add("permission", std::to_string(event->permission_version));
  lines.add("key_id", to_string(details.key_id));
  if (details.redacted_at) lines.add("redacted_at", to_string(*details.redacted_at));
  if (details.prev_hash) lines.add("prev_hash", to_hex(*details.prev_hash));
  lines.add("row_hash", to_hex(details.row_hash));
  lines.add("payload", details.payload_erased ? std::string_view("(erased)")
                                              : std::string_view(event->payload));
  return lines.text();
}

Outcome<ExitCode> run(Context& context, const Options& options) {
  if (options.hashed && options.form.empty()) return wrong_usage("--hashed needs --form");
  const auto name = name_of(options.which);
  if (!name) return std::unexpected(name.error());
  auto log = context.access(Place::existing);
  if (!log) return std::unexpected(std::move(log.error()));
  if (!options.form.empty()) {
    auto bytes = (*log)->form(*name, form_of(options.form), options.hashed);
    if (!bytes) return failed(std::move(bytes.error()));
    context.out() << *bytes;
    return ExitCode::ok;
  }
  if (context.streams().out_is_terminal && !context.json()) {
    auto details = (*log)->details(*name);
    if (!details) return failed(std::move(details.error()));
    const auto text = page(*details);
    if (!text) return std::unexpected(text.error());
    context.out() << *text;
    return ExitCode::ok;
  }
  auto event = (*log)->find(*name);
  if (!event) return failed(std::move(event.error()));
  context.out() << event->json << '\n';
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
