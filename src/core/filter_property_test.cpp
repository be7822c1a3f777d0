// The filter against a naive model, on random records.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/canonical.hpp"
#include "core/filter.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"

namespace annals::core {
namespace {

const std::vector<std::string> words{"a", "b", "a.b", "a.b.c", "aa", "a/b"};
const std::vector<std::string> types{"a", "a.b", "a.b.c", "a.bb", "b.a", "aa.b"};

std::optional<std::string> maybe_word(test::Random& random) {
  if (random.chance(30)) return std::nullopt;
  return random.pick(words);
}

Timestamp time_of(std::uint64_t step) {
  return Timestamp(std::chrono::seconds(step));
}

/// A record as the store has it, and its meta as the model sees it.
struct Subject {
  Record record;
  Meta meta;
};

Subject random_subject(test::Random& random) {
  Subject subject;
  Header& header = subject.record.header;
  header.type = random.pick(types);
  header.source = maybe_word(random);
  header.stream = maybe_word(random);
  header.scope = {maybe_word(random), maybe_word(random), maybe_word(random)};
  header.resource = {random.pick(words), maybe_word(random), std::nullopt};
  header.recorded_at = time_of(random.below(4));
  Meta& meta = subject.meta;
  if (random.chance(60)) {
    const auto kind = static_cast<ActorKind>(random.below(4));
    meta.actor = Actor{kind, std::nullopt};
    if (kind != ActorKind::system) meta.actor->id = random.pick(words);
  }
  if (random.chance(60))
    meta.correlation_id = Uuid{{static_cast<std::uint8_t>(1 + random.below(2))}};
  for (const char* name : {"x", "y"}) {
    if (random.chance(50)) meta.labels[name] = random.chance(30) ? "" : random.pick(words);
  }
  if (!meta.empty()) subject.record.meta = Part{meta_bytes(meta), {}};
  if (random.chance(10)) {
    subject.record.meta.reset();
    meta = {};
  }
  return subject;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters random_parameters(test::Random& random) {
  Parameters parameters;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (random.chance(12)) parameters.emplace_back(name, value);
  };
  for (const char* name : {"source", "stream", "space", "channel", "thread", "resource_kind",
                           "resource_id", "label.x", "label.y"}) {
    add(name, random.pick(words));
  }
  add("type", random.pick(types) + (random.chance(50) ? ".*" : ""));
  const auto kind = to_string(static_cast<ActorKind>(random.below(3)));
  add("actor", random.chance(30) ? "system" : std::string(kind) + "/" + random.pick(words));
  add("correlation_id", to_string(Uuid{{static_cast<std::uint8_t>(1 + random.below(2))}}));
  add("since", to_string(time_of(random.below(4))));
  add("until", to_string(time_of(random.below(4))));
  return parameters;
}

std::string text(const std::optional<std::string>& value) {
  return value.value_or("(absent)");
}

/// One parameter at a time, straight from the text of the query.
bool model(const Parameters& parameters, const Subject& subject) {
  const Header& header = subject.record.header;
  const Meta& meta = subject.meta;
  for (const auto& [name, value] : parameters) {
    bool same = false;
    if (name == "type") {
      same = value.ends_with(".*") ? header.type.starts_with(value.substr(0, value.size() - 1))
                                   : header.type == value;
    } else if (name == "source") {
      same = text(header.source) == value;
    } else if (name == "stream") {
      same = text(header.stream) == value;
    } else if (name == "space") {
      same = text(header.scope.space_id) == value;
    } else if (name == "channel") {
      same = text(header.scope.channel_id) == value;
    } else if (name == "thread") {
      same = text(header.scope.thread_id) == value;
    } else if (name == "resource_kind") {
      same = text(header.resource.kind) == value;
    } else if (name == "resource_id") {
      same = text(header.resource.id) == value;
    } else if (name == "correlation_id") {
      same = meta.correlation_id && to_string(*meta.correlation_id) == value;
    } else if (name == "since") {
      same = to_string(header.recorded_at) >= value;
    } else if (name == "until") {
      same = to_string(header.recorded_at) < value;
    } else if (name == "actor") {
      std::string actor;
      if (meta.actor) actor = to_string(meta.actor->kind);
      if (meta.actor && meta.actor->id) actor += "/" + *meta.actor->id;
      same = actor == value;
    } else {
      const auto label = meta.labels.find(name.substr(6));
      same = label != meta.labels.end() && label->second == value;
    }
    if (!same) return false;
  }
  return true;
}

TEST(FilterProperty, AgreesWithTheModel) {
  test::Random random(test::seed());
  int matched = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Parameters parameters = random_parameters(random);
    Filter filter;
    for (const auto& [name, value] : parameters) {
      ASSERT_TRUE(set_filter(filter, name, value, Catalogue{})) << name << "=" << value;
    }
    const Subject subject = random_subject(random);
    const bool expected = model(parameters, subject);
    matched += expected && !parameters.empty() ? 1 : 0;
    ASSERT_EQ(matches(filter, subject.record), expected)
        << "round " << i << ": " << (parameters.empty() ? "" : parameters[0].first);
  }
  EXPECT_GT(matched, 1000) << "the rounds must not all be misses";
}

}  // namespace
}  // namespace annals::core
