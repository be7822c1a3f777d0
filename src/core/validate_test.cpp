// Every rule of an event, one row for each rule and each edge of a limit.
#include "core/validate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace annals::core {
namespace {

using namespace std::string_literals;

constexpr std::string_view catalogue_text = R"({
  "types": [
    {"pattern": "query.*", "resource_kind": "query", "receive_action": "review",
     "labels": {"status": {"values": ["ok", "error"]}, "engine": {}}},
    {"pattern": "note.sent", "receive_action": "self"},
    {"pattern": "note.filed", "receive_action": "read", "critical": true}
  ]})";

EventRules rules() {
  auto catalogue = Catalogue::parse(catalogue_text);
  auto made = EventRules::make({}, std::make_shared<const Catalogue>(std::move(*catalogue)));
  return std::move(*made);
}

NewEvent event_of(std::string type) {
  NewEvent event;
  event.type = std::move(type);
  return event;
}

std::string text(std::size_t bytes) {
  return std::string(bytes, 'x');
}

/// `type` of exactly so many bytes.
std::string type_of(std::size_t bytes) {
  return "a." + std::string(bytes - 2, 'b');
}

struct Row {
  std::string name;
  std::function<void(NewEvent&)> change;
  std::string pointer;  ///< Empty: the event is valid.
  std::string rule;
  std::string in_message;
  Origin origin = Origin::producer;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

std::string row_name(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

class EventRule : public testing::TestWithParam<Row> {};

TEST_P(EventRule, GivesExactlyItsViolation) {
  const Row& row = GetParam();
  NewEvent event = event_of("order.paid");
  row.change(event);

  std::vector<Violation> violations;
  const auto valid = validate(event, 7, rules(), row.origin, std::nullopt, violations);

  if (row.rule.empty()) {
    EXPECT_TRUE(valid);
    for (const auto& violation : violations) {
      ADD_FAILURE() << violation.pointer << " " << violation.rule << ": " << violation.message;
    }
    return;
  }
  EXPECT_FALSE(valid);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].index, 7U);
  EXPECT_EQ(violations[0].pointer, row.pointer);
  EXPECT_EQ(violations[0].rule, row.rule);
  EXPECT_NE(violations[0].message.find(row.in_message), std::string::npos) << violations[0].message;
}

/// Rows that hold for each text of 1 to 200 bytes outside the payload.
std::vector<Row> text_rows(const std::string& name, const std::string& pointer,
                           const std::function<void(NewEvent&, std::string)>& set) {
  const auto with = [&set](std::string value) {
    return [set, value = std::move(value)](NewEvent& event) { set(event, value); };
  };
  return {
      {name + "_1_byte", with("x"), "", "", ""},
      {name + "_199_bytes", with(text(199)), "", "", ""},
      {name + "_200_bytes", with(text(200)), "", "", ""},
      {name + "_201_bytes", with(text(201)), pointer, "max_bytes", "200"},
      {name + "_200_bytes_of_unicode", with(text(196) + "\xf0\x9f\x98\x80"), "", "", ""},
      {name + "_empty", with(""), pointer, "empty", "must not be empty"},
      {name + "_nul", with("a\0b"s), pointer, "nul", "U+0000"},
      {name + "_utf8", with("a\xff"), pointer, "utf8", "UTF-8"},
      {name + "_surrogate", with("\xed\xa0\x80"), pointer, "utf8", "UTF-8"},
      {name + "_other_controls", with("\x01\x1f\x7f\n"), "", "", ""},
  };
}

std::vector<Row> all_text_rows() {
  const auto actor = [](NewEvent& event, std::string value) {
    event.actor = Actor{ActorKind::user, std::move(value)};
  };
  const std::vector<std::vector<Row>> groups{
      text_rows("source", "/source",
                [](NewEvent& event, std::string value) { event.source = std::move(value); }),
      text_rows("stream", "/stream",
                [](NewEvent& event, std::string value) { event.stream = std::move(value); }),
      text_rows("actor_id", "/actor/id", actor),
      text_rows(
          "space_id", "/scope/space_id",
          [](NewEvent& event, std::string value) { event.scope.space_id = std::move(value); }),
      text_rows(
          "channel_id", "/scope/channel_id",
          [](NewEvent& event, std::string value) { event.scope.channel_id = std::move(value); }),
      text_rows(
          "thread_id", "/scope/thread_id",
          [](NewEvent& event, std::string value) { event.scope.thread_id = std::move(value); }),
      text_rows("resource_kind", "/resource/kind",
                [](NewEvent& event, std::string value) { event.resource.kind = std::move(value); }),
      text_rows("resource_id", "/resource/id",
                [](NewEvent& event, std::string value) { event.resource.id = std::move(value); }),
      text_rows("audience", "/audience",
                [](NewEvent& event, std::string value) { event.audience = std::move(value); }),
      text_rows("client_msg_id", "/client_msg_id",
                [](NewEvent& event, std::string value) { event.client_msg_id = std::move(value); }),
  };
  std::vector<Row> rows;
  for (const auto& group : groups)
    rows.insert(rows.end(), group.begin(), group.end());
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Texts, EventRule, testing::ValuesIn(all_text_rows()), row_name);

Row type_row(std::string name, std::string type, std::string rule = "", std::string message = "") {
  return {std::move(name), [type = std::move(type)](NewEvent& event) { event.type = type; },
          "/type", std::move(rule), std::move(message)};
}

Row log_type_row(std::string name, std::string type, std::string rule = "") {
  Row row = type_row(std::move(name), std::move(type), std::move(rule));
  row.origin = Origin::log;
  return row;
}

INSTANTIATE_TEST_SUITE_P(
    Types, EventRule,
    testing::Values(
        type_row("type_short", "a.b"), type_row("type_digits", "a1_.b2_.c_"),
        type_row("type_200_bytes", type_of(200)),
        type_row("type_201_bytes", type_of(201), "max_bytes", "200"),
        type_row("type_empty", "", "empty"), type_row("type_one_segment", "order", "pattern"),
        type_row("type_upper", "Order.paid", "pattern", "^[a-z]"),
        type_row("type_digit_first", "order.1", "pattern"),
        type_row("type_dot_first", ".order.paid", "pattern"),
        type_row("type_dot_last", "order.paid.", "pattern"),
        type_row("type_two_dots", "order..paid", "pattern"),
        type_row("type_space", "order.paid ", "pattern"),
        type_row("type_newline", "order.paid\n", "pattern"),
        type_row("type_pattern", "order.*", "pattern"), type_row("type_dash", "a.b-c", "pattern"),
        type_row("type_nul", "a.b\0"s, "nul"), type_row("type_utf8", "a.\xff", "utf8"),
        type_row("type_unicode", "a.\xc3\xa9", "pattern"),
        type_row("type_log", "log.redacted", "reserved", "log."),
        type_row("type_log_unknown", "log.anything.else", "reserved"),
        type_row("type_access", "access.key_created", "reserved", "access."),
        type_row("type_near_log", "logs.written"), type_row("type_near_access", "accesses.made"),
        type_row("type_log_inside", "order.log.paid"),
        log_type_row("log_writes_its_types", "log.redacted"),
        log_type_row("log_writes_access", "access.key_created"),
        log_type_row("log_has_a_closed_set", "log.redacted_twice", "reserved")),
    row_name);

Row version_row(std::string name, std::uint32_t version, std::string rule = "") {
  return {std::move(name), [version](NewEvent& event) { event.schema_version = version; },
          "/schema_version", std::move(rule), "2147483647"};
}

Row resource_version_row(std::string name, std::uint64_t version, std::string rule = "") {
  return {std::move(name), [version](NewEvent& event) { event.resource.version = version; },
          "/resource/version", std::move(rule), "9007199254740991"};
}

Row time_row(std::string name, std::int64_t microseconds, std::string rule = "") {
  return {std::move(name),
          [microseconds](NewEvent& event) {
            event.occurred_at = Timestamp(std::chrono::microseconds(microseconds));
          },
          "/occurred_at", std::move(rule), "0001 to 9999"};
}

constexpr std::int64_t first_microsecond = -62'135'596'800'000'000;
constexpr std::int64_t last_microsecond = 253'402'300'799'999'999;

INSTANTIATE_TEST_SUITE_P(
    Numbers, EventRule,
    testing::Values(version_row("schema_version_0", 0, "range"), version_row("schema_version_1", 1),
                    version_row("schema_version_max", 2'147'483'647),
                    version_row("schema_version_above", 2'147'483'648, "range"),
                    version_row("schema_version_all_bits", 0xffff'ffff, "range"),
                    resource_version_row("resource_version_0", 0),
                    resource_version_row("resource_version_max", 9'007'199'254'740'991),
                    resource_version_row("resource_version_above", 9'007'199'254'740'992, "range"),
                    time_row("occurred_at_first", first_microsecond),
                    time_row("occurred_at_before", first_microsecond - 1, "range"),
                    time_row("occurred_at_last", last_microsecond),
                    time_row("occurred_at_after", last_microsecond + 1, "range"),
                    time_row("occurred_at_lowest", INT64_MIN, "range"),
                    time_row("occurred_at_highest", INT64_MAX, "range")),
    row_name);

Row actor_row(std::string name, ActorKind kind, std::optional<std::string> id,
              std::string rule = "", std::string pointer = "/actor/id") {
  return {std::move(name),
          [kind, id = std::move(id)](NewEvent& event) { event.actor = Actor{kind, id}; },
          std::move(pointer), std::move(rule), ""};
}

Row id_row(std::string name, std::optional<Uuid> NewEvent::* member, Uuid value,
           std::string pointer = "", std::string rule = "") {
  return {std::move(name), [member, value](NewEvent& event) { event.*member = value; },
          std::move(pointer), std::move(rule), ""};
}

INSTANTIATE_TEST_SUITE_P(
    ActorsAndIds, EventRule,
    testing::Values(
        actor_row("user", ActorKind::user, "u-1"), actor_row("agent", ActorKind::agent, "a-1"),
        actor_row("app", ActorKind::app, "p-1"),
        actor_row("system", ActorKind::system, std::nullopt),
        actor_row("user_without_id", ActorKind::user, std::nullopt, "required"),
        actor_row("agent_without_id", ActorKind::agent, std::nullopt, "required"),
        actor_row("app_without_id", ActorKind::app, std::nullopt, "required"),
        actor_row("system_with_id", ActorKind::system, "s", "forbidden"),
        actor_row("unknown_kind", static_cast<ActorKind>(9), "s", "enum", "/actor/kind"),
        id_row("id", &NewEvent::id, Uuid{{1}}),
        id_row("id_nil", &NewEvent::id, Uuid{}, "/id", "nil"),
        id_row("correlation", &NewEvent::correlation_id, Uuid{{1}}),
        id_row("correlation_nil", &NewEvent::correlation_id, Uuid{}, "/correlation_id", "nil"),
        id_row("causation", &NewEvent::causation_id, Uuid{{1}}),
        id_row("causation_nil", &NewEvent::causation_id, Uuid{}, "/causation_id", "nil")),
    row_name);

Row stream_row(std::string name, Origin origin, std::string rule = "") {
  return {std::move(name),
          [](NewEvent& event) { event.stream = "$access"; },
          "/stream",
          std::move(rule),
          "",
          origin};
}

Row action_row(std::string name, const std::string& type, const std::optional<std::string>& action,
               const std::optional<std::string>& audience, std::string pointer = "",
               std::string rule = "") {
  return {std::move(name),
          [=](NewEvent& event) {
            event.type = type;
            event.receive_action = action;
            event.audience = audience;
          },
          std::move(pointer), std::move(rule), ""};
}

const std::string in = "/receive_action";

INSTANTIATE_TEST_SUITE_P(
    StreamsAndActions, EventRule,
    testing::Values(stream_row("stream_reserved", Origin::producer, "reserved"),
                    stream_row("stream_of_the_log", Origin::log),
                    action_row("action_63_bytes", "a.b", std::string(63, 'a'), {}),
                    action_row("action_64_bytes", "a.b", std::string(64, 'a'), {}, in, "pattern"),
                    action_row("action_empty", "a.b", "", {}, in, "pattern"),
                    action_row("action_upper", "a.b", "Read", {}, in, "pattern"),
                    action_row("action_digit_first", "a.b", "1read", {}, in, "pattern"),
                    action_row("action_dash", "a.b", "re-ad", {}, in, "pattern"),
                    action_row("action_nul", "a.b", "re\0ad"s, {}, in, "pattern"),
                    action_row("action_digits", "a.b", "read_2", {}),
                    action_row("action_of_the_catalogue", "query.done", "review", {}),
                    action_row("action_against_the_catalogue", "query.done", "read", {}, in,
                               "catalogue"),
                    action_row("self_with_audience", "a.b", "self", "user/7"),
                    action_row("self_without_audience", "a.b", "self", {}, "/audience", "required"),
                    action_row("self_by_catalogue_with_audience", "note.sent", {}, "user/7"),
                    action_row("self_by_catalogue", "note.sent", {}, {}, "/audience", "required")),
    row_name);

Row labels_row(std::string name, Labels labels, std::string pointer = "", std::string rule = "",
               std::string message = "", std::string type = "a.b") {
  return {std::move(name),
          [labels = std::move(labels), type = std::move(type)](NewEvent& event) {
            event.labels = labels;
            event.type = type;
          },
          std::move(pointer), std::move(rule), std::move(message)};
}

Labels many_labels(std::size_t count) {
  Labels labels;
  while (labels.size() < count)
    labels.emplace("k" + std::to_string(labels.size()), "");
  return labels;
}

INSTANTIATE_TEST_SUITE_P(
    LabelRows, EventRule,
    testing::Values(labels_row("labels_15", many_labels(15)),
                    labels_row("labels_16", many_labels(16)),
                    labels_row("labels_17", many_labels(17), "/labels", "max_count", "16"),
                    labels_row("label_key_63", {{std::string(63, 'k'), ""}}),
                    labels_row("label_key_64", {{std::string(64, 'k'), ""}},
                               "/labels/" + std::string(64, 'k'), "pattern", "{0,62}"),
                    labels_row("label_key_empty", {{"", ""}}, "/labels", "pattern"),
                    labels_row("label_key_upper", {{"Status", ""}}, "/labels/Status", "pattern"),
                    labels_row("label_key_digit", {{"1a", ""}}, "/labels/1a", "pattern"),
                    labels_row("label_key_escaped", {{"a/b~c", ""}}, "/labels/a~1b~0c", "pattern"),
                    labels_row("label_key_nul", {{"a\0"s, ""}}, "/labels", "pattern"),
                    labels_row("label_key_utf8", {{"a\xff", ""}}, "/labels", "pattern"),
                    labels_row("label_value_255", {{"k", text(255)}}),
                    labels_row("label_value_256", {{"k", text(256)}}),
                    labels_row("label_value_257", {{"k", text(257)}}, "/labels/k", "max_bytes",
                               "256"),
                    labels_row("label_value_empty", {{"k", ""}}),
                    labels_row("label_value_nul", {{"k", "a\0"s}}, "/labels/k", "nul"),
                    labels_row("label_value_utf8", {{"k", "\xc3"}}, "/labels/k", "utf8"),
                    labels_row("label_declared", {{"status", "ok"}, {"engine", "any"}}, "", "", "",
                               "query.done"),
                    labels_row("label_value_not_listed", {{"status", "maybe"}}, "/labels/status",
                               "catalogue", "lists", "query.done"),
                    labels_row("label_not_declared", {{"color", "red"}}, "/labels/color",
                               "catalogue", "declare", "query.done"),
                    labels_row("label_of_an_entry_without_labels", {{"color", "red"}}, "", "", "",
                               "note.filed")),
    row_name);

Row payload_row(std::string name, std::string payload, std::string pointer = "",
                std::string rule = "") {
  return {std::move(name),
          [payload = std::move(payload)](NewEvent& event) { event.payload = payload; },
          std::move(pointer), std::move(rule), ""};
}

/// Objects nested `levels` deep.
std::string nested(std::size_t levels) {
  std::string json;
  for (std::size_t i = 1; i < levels; ++i)
    json += R"({"a":)";
  return json + "{}" + std::string(levels - 1, '}');
}

std::string deep_pointer(std::size_t levels) {
  std::string pointer = "/payload";
  for (std::size_t i = 0; i < levels; ++i)
    pointer += "/a";
  return pointer;
}

INSTANTIATE_TEST_SUITE_P(
    Payloads, EventRule,
    testing::Values(
        payload_row("payload_empty_object", "{}"),
        payload_row("payload_empty_text", "", "/payload", "syntax"),
        payload_row("payload_array", "[]", "/payload", "type"),
        payload_row("payload_null", "null", "/payload", "type"),
        payload_row("payload_null_member", R"({"a":{"b":null}})", "/payload/a/b", "null"),
        payload_row("payload_null_element", R"({"a":[1,null]})", "/payload/a/1", "null"),
        payload_row("payload_depth_64", nested(64)),
        payload_row("payload_depth_65", nested(65), deep_pointer(64), "depth"),
        payload_row("payload_depth_10000", nested(10'000), deep_pointer(64), "depth"),
        payload_row("payload_lone_surrogate", R"({"a":["\ud800"]})", "/payload/a/0", "surrogate"),
        payload_row("payload_low_surrogate", R"({"a":"\udc00 "})", "/payload/a", "surrogate"),
        payload_row("payload_duplicate_key", R"({"a":{"k":1,"\u006b":2}})", "/payload/a/k",
                    "duplicate_key"),
        payload_row("payload_nan", R"({"a":NaN})", "/payload/a", "syntax"),
        payload_row("payload_infinity", R"({"a":-Infinity})", "/payload/a", "syntax"),
        payload_row("payload_bom", "\xef\xbb\xbf{}", "/payload", "syntax"),
        payload_row("payload_trailing", "{} {}", "/payload", "trailing"),
        payload_row("payload_utf8", "{\"a\":\"\xff\"}", "/payload/a", "utf8"),
        payload_row("payload_nul_escaped", R"({"a":"\u0000"})")),
    row_name);

TEST(Validate, CollectsEveryViolationOfAnEvent) {
  NewEvent event = event_of("Bad");
  event.schema_version = 0;
  event.source = "";
  event.stream = "$own";
  event.occurred_at = Timestamp::max();
  event.actor = Actor{ActorKind::system, ""};
  event.scope = {"", text(201), "\xff"};
  event.resource = {"", "", max_seq + 1};
  event.audience = "";
  event.receive_action = "Read";
  event.labels = {{"Bad", ""}, {"good", text(257) + "\xff"}};
  event.id = Uuid{};
  event.correlation_id = Uuid{};
  event.causation_id = Uuid{};
  event.client_msg_id = "";
  event.payload = "[";

  std::vector<Violation> violations;
  EXPECT_FALSE(validate(event, 3, rules(), Origin::producer, std::nullopt, violations));

  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& violation : violations) {
    EXPECT_EQ(violation.index, 3U);
    found.emplace_back(violation.pointer, violation.rule);
  }
  const std::vector<std::pair<std::string, std::string>> expected{
      {"/type", "pattern"},
      {"/schema_version", "range"},
      {"/source", "empty"},
      {"/stream", "reserved"},
      {"/occurred_at", "range"},
      {"/actor/id", "forbidden"},
      {"/actor/id", "empty"},
      {"/scope/space_id", "empty"},
      {"/scope/channel_id", "max_bytes"},
      {"/scope/thread_id", "utf8"},
      {"/resource/kind", "empty"},
      {"/resource/id", "empty"},
      {"/resource/version", "range"},
      {"/audience", "empty"},
      {"/receive_action", "pattern"},
      {"/labels/Bad", "pattern"},
      {"/labels/good", "max_bytes"},
      {"/labels/good", "utf8"},
      {"/id", "nil"},
      {"/correlation_id", "nil"},
      {"/causation_id", "nil"},
      {"/client_msg_id", "empty"},
      {"/payload", "type"}};
  EXPECT_EQ(found, expected);
}

TEST(Validate, MessagesNeverRepeatAValue) {
  const std::string secret = "s3cret";
  NewEvent event = event_of(secret);
  event.source = event.audience = event.client_msg_id = secret + text(200);
  event.receive_action = secret + "!";
  event.labels = {{secret + "!", secret}, {"k", secret + text(256)}};
  event.payload = R"({"s3cret":["s3cret" "s3cret"]})";
  std::vector<Violation> violations;
  EXPECT_FALSE(validate(event, 0, rules(), Origin::producer, std::nullopt, violations));
  EXPECT_EQ(violations.size(), 8U);
  for (const auto& violation : violations) {
    EXPECT_EQ(violation.message.find(secret), std::string::npos) << violation.message;
  }
}

}  // namespace
}  // namespace annals::core
