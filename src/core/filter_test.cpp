#include "core/filter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/canonical.hpp"

namespace annals::core {
namespace {

using namespace std::string_literals;

const Catalogue& catalogue() {
  static const Catalogue parsed = *Catalogue::parse(R"({"types": [
      {"pattern": "query.*", "labels": {"status": {"values": ["ok", "error"], "filter": true},
                                        "engine": {"filter": true},
                                        "node": {"values": ["a"]}}},
      {"pattern": "job.*", "labels": {"status": {"values": ["queued"]}, "engine": {"values": ["x"]}}}
    ]})");
  return parsed;
}

Result<Filter> filter_of(const std::vector<std::pair<std::string, std::string>>& parameters) {
  Filter filter;
  for (const auto& [name, value] : parameters) {
    if (auto set = set_filter(filter, name, value, catalogue()); !set) {
      return std::unexpected(set.error());
    }
  }
  return filter;
}

TEST(SetFilter, SetsEachParameter) {
  const auto filter = filter_of({{"type", "query.*"},
                                 {"source", "web"},
                                 {"stream", "$access"},
                                 {"space", "s"},
                                 {"channel", "c"},
                                 {"thread", "t"},
                                 {"actor", "user/a/b"},
                                 {"resource_kind", "query"},
                                 {"resource_id", "q-1"},
                                 {"correlation_id", "4BF92F35-77B3-4DA6-A3CE-929D0E0E4736"},
                                 {"since", "2026-11-30T08:00:00Z"},
                                 {"until", "2026-11-30T09:00:00+01:00"},
                                 {"status", "ok"},
                                 {"engine", "anything"},
                                 {"label.color", ""}});
  ASSERT_TRUE(filter);
  Filter expected;
  expected.type = "query.*";
  expected.source = "web";
  expected.stream = "$access";
  expected.space = "s";
  expected.channel = "c";
  expected.thread = "t";
  expected.actor = "user/a/b";
  expected.resource_kind = "query";
  expected.resource_id = "q-1";
  expected.correlation_id = parse_uuid("4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  expected.since = parse_timestamp("2026-11-30T08:00:00Z");
  expected.until = parse_timestamp("2026-11-30T08:00:00Z");
  expected.labels = {{"status", "ok"}, {"engine", "anything"}, {"color", ""}};
  EXPECT_EQ(*filter, expected);
  EXPECT_FALSE(filter->empty());
  EXPECT_TRUE(Filter{}.empty());
}

TEST(SetFilter, AcceptsTheEdges) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"type", "a"},
      {"type", "log.redacted"},
      {"type", std::string(200, 'a')},
      {"source", std::string(200, 'x')},
      {"actor", "system"},
      {"actor", "agent/" + std::string(200, 'x')},
      {"label.k", std::string(256, 'v')},
      {"status", "queued"},
      {"label.status", "values of undeclared types"},
      {"label.node", "b"}};
  for (const auto& parameter : cases) {
    EXPECT_TRUE(filter_of({parameter})) << parameter.first << "=" << parameter.second.substr(0, 30);
  }
}

TEST(SetFilter, NamesTheParameterOfAMalformedValue) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"type", ""},
      {"type", "*"},
      {"type", "a.*.b"},
      {"type", "a*"},
      {"type", "a,b"},
      {"type", std::string(201, 'a')},
      {"source", ""},
      {"source", std::string(201, 'x')},
      {"stream", "a\0b"s},
      {"space", "\xff"},
      {"channel", ""},
      {"thread", ""},
      {"actor", ""},
      {"actor", "alex"},
      {"actor", "user"},
      {"actor", "user/"},
      {"actor", "User/1"},
      {"actor", "system/1"},
      {"actor", "user/" + std::string(201, 'x')},
      {"resource_kind", ""},
      {"resource_id", ""},
      {"correlation_id", ""},
      {"correlation_id", "4bf92f3577b34da6a3ce929d0e0e4736"},
      {"correlation_id", "00000000-0000-0000-0000-000000000000"},
      {"since", "yesterday"},
      {"since", "2026-11-30"},
      {"until", "2026-11-30T08:00:60Z"},
      {"until", ""},
      {"status", "oops"},
      {"status", ""},
      {"label.", "x"},
      {"label.Color", "x"},
      {"label.k", std::string(257, 'v')},
      {"label.k", "\xc0\x80"},
      {"engine", "\xff"}};
  for (const auto& parameter : cases) {
    const auto filter = filter_of({parameter});
    ASSERT_FALSE(filter) << parameter.first << "=" << parameter.second.substr(0, 30);
    EXPECT_EQ(filter.error().code, ErrorCode::invalid_filter);
    EXPECT_NE(filter.error().detail.find('"' + parameter.first + '"'), std::string::npos)
        << filter.error().detail;
  }
}

TEST(SetFilter, RefusesARepeatedParameter) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> cases{
      {{"type", "a.b"}, {"type", "a.b"}},
      {{"source", "a"}, {"source", "b"}},
      {{"since", "2026-11-30T08:00:00Z"}, {"since", "2026-11-30T08:00:00Z"}},
      {{"status", "ok"}, {"status", "error"}},
      {{"status", "ok"}, {"label.status", "ok"}}};
  for (const auto& parameters : cases) {
    const auto filter = filter_of(parameters);
    ASSERT_FALSE(filter) << parameters[1].first;
    EXPECT_EQ(filter.error().code, ErrorCode::invalid_filter);
    EXPECT_NE(filter.error().detail.find("twice"), std::string::npos);
  }
}

TEST(SetFilter, AnUnknownParameterIsItsOwnError) {
  for (const std::string& name : {"staus"s, "node"s, "labels"s, "Type"s, ""s, "color"s}) {
    const auto filter = filter_of({{name, "x"}});
    ASSERT_FALSE(filter) << name;
    EXPECT_EQ(filter.error().code, ErrorCode::unknown_parameter) << name;
    EXPECT_NE(filter.error().detail.find('"' + name + '"'), std::string::npos);
  }
}

TEST(SetFilter, HostileNamesAreNotRepeated) {
  for (const std::string& name : {std::string(1000, 'x'), "a\nb"s, "a\"b"s, "\xff"s}) {
    const auto filter = filter_of({{name, "x"}});
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().detail.find(name), std::string::npos);
  }
}

TEST(SetFilter, WithoutCatalogueOnlyTheFixedNamesExist) {
  Filter filter;
  const auto set = set_filter(filter, "status", "ok", Catalogue{});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::unknown_parameter);
  EXPECT_TRUE(set_filter(filter, "label.status", "ok", Catalogue{}));
}

Record record_of(const Meta& meta) {
  Record record;
  record.header.type = "query.done";
  record.header.source = "web";
  record.header.stream = "s-1";
  record.header.scope = {"space", "channel", "thread"};
  record.header.resource = {"query", "q-1", std::nullopt};
  record.header.recorded_at = *parse_timestamp("2026-11-30T08:00:00Z");
  if (!meta.empty()) record.meta = Part{meta_bytes(meta), {}};
  return record;
}

Meta full_meta() {
  Meta meta;
  meta.actor = Actor{ActorKind::user, "u-1"};
  meta.labels = {{"status", "ok"}, {"empty", ""}};
  meta.correlation_id = Uuid{{1}};
  return meta;
}

struct MatchCase {
  std::vector<std::pair<std::string, std::string>> parameters;
  bool matches;
};

TEST(Matches, EachMember) {
  const std::string trace = to_string(Uuid{{1}});
  const MatchCase cases[] = {{{}, true},
                             {{{"type", "query.done"}}, true},
                             {{{"type", "query.*"}}, true},
                             {{{"type", "query.done.*"}}, false},
                             {{{"type", "query"}}, false},
                             {{{"type", "que.*"}}, false},
                             {{{"source", "web"}}, true},
                             {{{"source", "Web"}}, false},
                             {{{"stream", "s-1"}}, true},
                             {{{"stream", "s"}}, false},
                             {{{"space", "space"}, {"channel", "channel"}}, true},
                             {{{"space", "space"}, {"channel", "other"}}, false},
                             {{{"thread", "thread"}}, true},
                             {{{"resource_kind", "query"}, {"resource_id", "q-1"}}, true},
                             {{{"resource_id", "q-2"}}, false},
                             {{{"since", "2026-11-30T08:00:00Z"}}, true},
                             {{{"since", "2026-11-30T08:00:00.000001Z"}}, false},
                             {{{"until", "2026-11-30T08:00:00Z"}}, false},
                             {{{"until", "2026-11-30T08:00:00.000001Z"}}, true},
                             {{{"actor", "user/u-1"}}, true},
                             {{{"actor", "agent/u-1"}}, false},
                             {{{"actor", "user/u"}}, false},
                             {{{"actor", "system"}}, false},
                             {{{"correlation_id", trace}}, true},
                             {{{"correlation_id", to_string(Uuid{{2}})}}, false},
                             {{{"status", "ok"}}, true},
                             {{{"status", "error"}}, false},
                             {{{"label.empty", ""}}, true},
                             {{{"label.absent", ""}}, false},
                             {{{"status", "ok"}, {"label.empty", "x"}}, false}};
  const Record record = record_of(full_meta());
  for (const auto& [parameters, expected] : cases) {
    const auto filter = filter_of(parameters);
    ASSERT_TRUE(filter);
    EXPECT_EQ(matches(*filter, record), expected)
        << (parameters.empty() ? "" : parameters[0].first + "=" + parameters[0].second);
  }
}

TEST(Matches, SystemActorHasNoId) {
  Meta meta;
  meta.actor = Actor{ActorKind::system, std::nullopt};
  EXPECT_TRUE(matches(*filter_of({{"actor", "system"}}), record_of(meta)));
  EXPECT_FALSE(matches(*filter_of({{"actor", "user/system"}}), record_of(meta)));
}

TEST(Matches, ErasedMembersNeverMatch) {
  Record record = record_of(full_meta());
  record.meta.reset();
  record.redacted_at = record.header.recorded_at;
  for (const auto& parameter : std::vector<std::pair<std::string, std::string>>{
           {"actor", "user/u-1"}, {"status", "ok"}, {"correlation_id", to_string(Uuid{{1}})}}) {
    EXPECT_FALSE(matches(*filter_of({parameter}), record)) << parameter.first;
  }
  EXPECT_TRUE(matches(*filter_of({{"stream", "s-1"}}), record)) << "the header stays";
}

TEST(Matches, MetaIsNotReadWhenItIsNotNeeded) {
  Record record = record_of(full_meta());
  record.meta->bytes = "damaged";
  EXPECT_TRUE(matches(*filter_of({{"type", "query.*"}, {"stream", "s-1"}}), record));
  EXPECT_FALSE(matches(*filter_of({{"status", "ok"}}), record));
}

}  // namespace
}  // namespace annals::core
