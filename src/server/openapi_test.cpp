#include "server/openapi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/filter.hpp"
#include "server/routes.hpp"
#include "wire/format.hpp"

namespace annals::server {
namespace {

using nlohmann::json;
using testing::IsSubsetOf;

using Names = std::set<std::string>;

json document() {
  return json::parse(openapi_document("1.2.3"));
}

/// Every `$ref` of the document.
void collect_references(const json& value, Names& out) {
  if (value.is_object() && value.contains("$ref")) out.insert(value["$ref"]);
  if (!value.is_structured()) return;
  for (const json& inner : value)
    collect_references(inner, out);
}

/// The members that a schema names, those of its objects as `outer.inner`.
void collect_members(const json& all, const json& schema, const std::string& prefix, Names& out) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    collect_members(all, all["components"]["schemas"][name.substr(name.rfind('/') + 1)], prefix,
                    out);
    return;
  }
  if (!schema.contains("properties")) return;
  for (const auto& [name, inner] : schema["properties"].items()) {
    out.insert(prefix + name);
    collect_members(all, inner, prefix + name + '.', out);
  }
}

/// The members of an envelope, but for those whose names the producer chose.
void collect_members(const json& envelope, const std::string& prefix, Names& out) {
  for (const auto& [name, value] : envelope.items()) {
    out.insert(prefix + name);
    const bool open = prefix.empty() && (name == "payload" || name == "labels");
    if (value.is_object() && !open) collect_members(value, prefix + name + '.', out);
  }
}

Uuid some_id() {
  Uuid id;
  id.bytes.fill(1);
  return id;
}

Record bare() {
  Record record;
  record.header.seq = 1;
  record.header.id = some_id();
  record.header.type = "a.b";
  record.header.resource.kind = "event";
  record.header.receive_action = "read";
  record.payload = Part{"{}", {}};
  return record;
}

/// A record with every member there is.
Record rich() {
  Record record = bare();
  Header& header = record.header;
  header.source = "s";
  header.stream = "o/1";
  header.stream_seq = 2;
  header.scope = {"space", "channel", "thread"};
  header.resource = {"order", "7", 3};
  header.is_private = true;
  header.truncated = true;
  record.prev_hash = Digest{};
  Meta meta;
  meta.actor = Actor{ActorKind::user, "7"};
  meta.audience = "user/7";
  meta.labels = {{"a", "b"}};
  meta.client_msg_id = "m";
  meta.correlation_id = some_id();
  meta.causation_id = some_id();
  meta.trace_context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  record.meta = Part{core::meta_bytes(meta), {}};
  return record;
}

Record redacted() {
  Record record = bare();
  record.payload.reset();
  record.redacted_at = Timestamp{};
  return record;
}

json shown(const Record& record, wire::Rendering rendering, wire::Format format) {
  std::string out;
  EXPECT_TRUE(wire::append_event(out, record, rendering, format));
  return json::parse(out);
}

/// Holds a schema against what the codec writes.
void expect_both_ways(const char* schema_name, wire::Format format) {
  const json all = document();
  const json schema = all["components"]["schemas"][schema_name];
  Names described;
  collect_members(all, schema, "", described);
  const Names required = schema["required"];
  Names written;
  Names always = described;
  for (const Record& record : {bare(), rich(), redacted()}) {
    for (const auto rendering : {wire::Rendering::reader, wire::Rendering::privileged}) {
      Names members;
      collect_members(shown(record, rendering, format), "", members);
      EXPECT_THAT(members, IsSubsetOf(described)) << "written, but not described";
      std::erase_if(always, [&](const std::string& name) { return !members.contains(name); });
      written.insert(members.begin(), members.end());
    }
  }
  EXPECT_THAT(described, IsSubsetOf(written)) << "described, but never written";
  std::erase_if(always,
                [](const std::string& name) { return name.find('.') != std::string::npos; });
  EXPECT_EQ(always, required);
}

TEST(OpenApi, TheEnvelopeIsWhatTheCodecWritesBothWays) {
  expect_both_ways("Envelope", wire::Format::envelope);
}

TEST(OpenApi, TheCloudEventIsWhatTheCodecWritesBothWays) {
  expect_both_ways("CloudEvent", wire::Format::cloudevents);
}

TEST(OpenApi, HasEveryRouteAndNothingElse) {
  const json all = document();
  EXPECT_EQ(all["openapi"], "3.1.0");
  EXPECT_EQ(all["info"]["version"], "1.2.3");
  std::size_t operations = 0;
  for (const json& path : all["paths"])
    operations += path.size();
  EXPECT_EQ(operations, routes().size());
  Names ids;
  for (const Route& route : routes()) {
    SCOPED_TRACE(route.pattern);
    const std::string method = route.method == Method::get ? "get" : "post";
    const json& operation = all["paths"][std::string{route.pattern}][method];
    ASSERT_TRUE(operation.is_object());
    EXPECT_TRUE(ids.insert(operation["operationId"]).second) << "used twice";
    Names path;
    Names query;
    for (const json& parameter : operation.value("parameters", json::array())) {
      Names& names = parameter["in"] == "path" ? path : query;
      EXPECT_TRUE(names.insert(parameter["name"]).second) << parameter;
      EXPECT_FALSE(parameter["description"].get<std::string>().empty());
    }
    Names wanted;
    for (std::size_t at = route.pattern.find('{'); at != std::string_view::npos;
         at = route.pattern.find('{', at + 1)) {
      wanted.emplace(route.pattern.substr(at + 1, route.pattern.find('}', at) - at - 1));
    }
    EXPECT_EQ(path, wanted);
    for (const core::FilterParameter& filter : core::filter_parameters()) {
      EXPECT_EQ(query.contains(std::string{filter.name}), route.filters) << filter.name;
    }
    EXPECT_FALSE(operation["responses"].empty());
  }
}

TEST(OpenApi, RefersToSchemasThatAreThereAndUsesThemAll) {
  const json all = document();
  Names used;
  collect_references(all, used);
  Names there;
  for (const auto& [name, schema] : all["components"]["schemas"].items())
    there.insert("#/components/schemas/" + name);
  EXPECT_EQ(used, [&] {
    // Lines of NDJSON are named in the description only.
    Names out = there;
    out.erase("#/components/schemas/LineResult");
    return out;
  }());
}

TEST(Filter, NoDeclaredLabelHidesAParameter) {
  for (const Route& route : routes()) {
    if (!route.filters) continue;
    for (const Parameter& parameter : route.query) {
      const std::string name{parameter.name};
      EXPECT_FALSE(core::Catalogue::parse(R"({"types":[{"pattern":"a.*","labels":{")" + name +
                                          R"(":{"filter":true}}}]})"))
          << name;
    }
  }
  EXPECT_TRUE(core::Catalogue::parse(
      R"({"types":[{"pattern":"a.*","labels":{"status":{"filter":true}}}]})"));
}

TEST(Filter, EveryParameterOfTheTableIsUnderstood) {
  for (const core::FilterParameter& parameter : core::filter_parameters()) {
    Filter filter;
    const auto set = core::set_filter(filter, parameter.name, "\x01", core::Catalogue{});
    if (set) continue;
    EXPECT_EQ(set.error().code, ErrorCode::invalid_filter) << parameter.name;
  }
}

}  // namespace
}  // namespace annals::server
