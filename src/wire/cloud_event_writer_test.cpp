#include "wire/cloud_event_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/seed.hpp"
#include "wire/minimal_record_test.hpp"
#include "wire/query.hpp"
#include "wire/random_records_test.hpp"

namespace annals::wire {
namespace {

using nlohmann::json;
using testing::ElementsAre;

constexpr const char* trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string cloud_event(const Record& record, Rendering rendering = Rendering::reader) {
  std::string out;
  EXPECT_TRUE(append_cloud_event(out, record, rendering));
  return out;
}

/// A record with every member that a CloudEvent has an attribute for.
Record full() {
  Record record = minimal();
  record.header.source = "shop/eu 1";
  record.header.stream = "order/1";
  record.header.stream_seq = 2;
  record.header.resource = {"order", "1", 3};
  record.header.truncated = true;
  record.payload->bytes = R"({"n":1.0,"big":9007199254740993})";
  set_meta(record, Meta{.actor = Actor{ActorKind::user, "42"}, .trace_context = trace});
  return record;
}

constexpr const char* golden =
    R"({"specversion":"1.0","id":"01000000-0000-0000-0000-000000000002",)"
    R"("source":"/logs/01000000-0000-0000-0000-000000000001/shop/eu%201","type":"a.b",)"
    R"("time":"2026-01-02T03:04:05.000006Z","subject":"order/1",)"
    R"("sequence":"00000000000000000007","partitionkey":"order/1",)"
    R"("recordedtime":"2026-01-02T03:04:06.000000Z",)"
    R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)"
    R"("dataref":"/v1/events/01000000-0000-0000-0000-000000000002?form=payload",)"
    R"("datacontenttype":"application/json","data":{"n":1.0,"big":9007199254740993}})";

TEST(CloudEventWriter, OfTheLeastEventHasNothingElse) {
  EXPECT_EQ(cloud_event(minimal()),
            R"({"specversion":"1.0","id":"01000000-0000-0000-0000-000000000002",)"
            R"("source":"/logs/01000000-0000-0000-0000-000000000001","type":"a.b",)"
            R"("time":"2026-01-02T03:04:05.000006Z","sequence":"00000000000000000007",)"
            R"("recordedtime":"2026-01-02T03:04:06.000000Z",)"
            R"("datacontenttype":"application/json","data":{}})");
}

TEST(CloudEventWriter, HasEveryAttribute) {
  EXPECT_EQ(cloud_event(full(), Rendering::privileged), golden);
}

TEST(CloudEventWriter, ShowsATraceToThePrivilegedOnly) {
  json expected = json::parse(golden);
  expected.erase("traceparent");
  EXPECT_EQ(json::parse(cloud_event(full())), expected);
}

TEST(CloudEventWriter, OfARedactedEventSaysSo) {
  Record record = full();
  record.payload.reset();
  record.redacted_at = record.header.recorded_at;
  const json parsed = json::parse(cloud_event(record));
  EXPECT_EQ(parsed["redacted"], true);
  EXPECT_EQ(parsed["data"], json::object());
}

TEST(CloudEventWriter, FailsOnAMetaPartThatNobodyWrote) {
  Record record = minimal();
  record.meta = Part{R"({"x":1})", {}};
  std::string out = "before";
  const auto appended = append_cloud_event(out, record, Rendering::reader);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, ErrorCode::store_corrupt);
  EXPECT_EQ(out, "before");
  EXPECT_FALSE(cloud_event_batch(std::vector{record}, Rendering::reader));
  EXPECT_FALSE(cloud_event_fields(record, Rendering::reader));
}

TEST(CloudEventWriter, ABatchIsAnArray) {
  EXPECT_EQ(*cloud_event_batch({}, Rendering::reader), "[]");
  const std::vector<Record> two{minimal(), full()};
  EXPECT_EQ(*cloud_event_batch(two, Rendering::reader),
            "[" + cloud_event(two[0]) + "," + cloud_event(two[1]) + "]");
}

TEST(CloudEventWriter, FieldsOfBinaryModeAreTheAttributes) {
  Record record = full();
  record.header.stream = "caf\xC3\xA9 \"1\" 100%";
  record.redacted_at = record.header.recorded_at;
  const auto fields = cloud_event_fields(record, Rendering::privileged);
  ASSERT_TRUE(fields);
  EXPECT_THAT(
      *fields,
      ElementsAre(
          CloudEventField{"ce-specversion", "1.0"},
          CloudEventField{"ce-id", "01000000-0000-0000-0000-000000000002"},
          CloudEventField{"ce-source", "/logs/01000000-0000-0000-0000-000000000001/shop/eu%25201"},
          CloudEventField{"ce-type", "a.b"},
          CloudEventField{"ce-time", "2026-01-02T03:04:05.000006Z"},
          CloudEventField{"ce-subject", "order/1"},
          CloudEventField{"ce-sequence", "00000000000000000007"},
          CloudEventField{"ce-partitionkey", "caf%C3%A9%20%221%22%20100%25"},
          CloudEventField{"ce-recordedtime", "2026-01-02T03:04:06.000000Z"},
          CloudEventField{"ce-traceparent", trace},
          CloudEventField{"ce-dataref",
                          "/v1/events/01000000-0000-0000-0000-000000000002?form=payload"},
          CloudEventField{"ce-redacted", "true"}));
}

/// The rule of CloudEvents 1.0 for names of attributes, with the length it recommends.
bool is_attribute_name(const std::string& name) {
  return !name.empty() && name.size() <= 20 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

/// True for the characters of a URI reference, and two hex digits behind each percent sign.
bool is_uri_reference(const std::string& text) {
  constexpr std::string_view allowed = "-._~:/?#[]@!$&'()*+,;=%";
  return percent_decode(text, false) && std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  allowed.find(c) != std::string_view::npos;
         });
}

/// The attributes without the data, whose numbers no parser of numbers takes. Quotes are escaped in
/// texts, so that the first match is the member.
json attributes_in(const std::string& text) {
  return json::parse(text.substr(0, text.find(R"(,"data":)")) + '}');
}

TEST(CloudEventWriter, IsValidForEveryEvent) {
  for (const auto& [record, bound] : random_records(test::seed(), 500)) {
    for (const Rendering rendering : {Rendering::reader, Rendering::privileged}) {
      const std::string text = cloud_event(record, rendering);
      EXPECT_EQ(text.find('\n'), std::string::npos);
      EXPECT_TRUE(text.ends_with("\"data\":" + record.payload->bytes + "}"));
      const json parsed = attributes_in(text);
      for (const auto& [name, value] : parsed.items()) {
        EXPECT_TRUE(is_attribute_name(name)) << name;
        EXPECT_TRUE(value.is_string()) << name << ' ' << value;
        EXPECT_NE(value, "") << name;
      }
      EXPECT_EQ(parsed["specversion"], "1.0");
      const std::string source = parsed["source"];
      EXPECT_TRUE(is_uri_reference(source)) << source;
      const std::string own = "/logs/" + to_string(record.header.log_id) +
                              (record.header.source ? "/" + *record.header.source : "");
      EXPECT_EQ(percent_decode(source, false), own);
      EXPECT_EQ(parsed["sequence"].get<std::string>().size(), 20U);
      EXPECT_EQ(parsed.contains("traceparent"),
                rendering == Rendering::privileged && record.meta &&
                    record.meta->bytes.find("trace_context") != std::string::npos);
    }
  }
}

TEST(CloudEventWriter, FieldsArePrintableAsciiForEveryEvent) {
  for (const auto& [record, bound] : random_records(test::seed(), 200)) {
    const auto fields = cloud_event_fields(record, Rendering::privileged);
    ASSERT_TRUE(fields);
    const json structured = attributes_in(cloud_event(record, Rendering::privileged));
    for (const CloudEventField& field : *fields) {
      EXPECT_TRUE(std::ranges::all_of(field.value, [](char c) {
        return c > 0x20 && c < 0x7F && c != '"';
      })) << field.value;
      EXPECT_EQ(percent_decode(field.value, false).value_or(""),
                structured[field.name.substr(3)].get<std::string>())
          << field.name;
    }
  }
}

}  // namespace
}  // namespace annals::wire
