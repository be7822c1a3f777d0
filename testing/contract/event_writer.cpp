#include "testing/contract/event_writer.hpp"

#include <set>
#include <stdexcept>

#include "core/catalogue.hpp"

namespace annals::test {
namespace {

template <typename T>
T must(Result<T> result, const char* what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + result.error().detail);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

EventWriter::EventWriter(std::uint64_t seed)
    : ids_(seed),
      rules_(must(core::EventRules::make({}, std::make_shared<core::Catalogue>()), "rules")) {
  clock_.tick(std::chrono::microseconds(1));
}

NewEvent EventWriter::event(std::string stream) {
  NewEvent event;
  event.type = "order.paid";
  if (!stream.empty()) event.stream = std::move(stream);
  event.payload = R"({"amount":1.0})";
  event.labels = {{"status", "new"}};
  return event;
}

std::vector<NewEvent> EventWriter::events(std::size_t count, const std::string& stream) {
  return std::vector<NewEvent>(count, event(stream));
}

core::Placement EventWriter::place(log::WriteTransaction& transaction,
                                   const std::vector<NewEvent>& events) {
  const auto state = must(transaction.lock_state(), "state");
  core::Placer placer(state, clock_.now());
  std::set<std::string> names;
  for (const auto& event : events) {
    if (event.stream) names.insert(*event.stream);
  }
  const std::vector<std::string> streams(names.begin(), names.end());
  auto heads = must(transaction.heads(streams), "heads");
  for (std::size_t i = 0; i < streams.size(); ++i)
    placer.set_head(streams[i], heads.at(i));
  for (const auto& event : events) {
    std::vector<Violation> violations;
    auto valid = core::validate(event, 0, rules_, core::Origin::producer, std::nullopt, violations);
    if (!valid) throw std::runtime_error("invalid event: " + violations.front().message);
    Salt payload_salt;
    Salt meta_salt;
    ids_.random_bytes(payload_salt);
    ids_.random_bytes(meta_salt);
    const auto id = event.id ? *event.id : ids_.event_id(clock_.now());
    placer.place(
        core::make_draft(std::move(*valid), id, state.local_key_id, payload_salt, meta_salt));
  }
  return placer.finish();
}

core::Placement EventWriter::append(log::Store& store, const std::vector<NewEvent>& events) {
  const auto transaction = must(store.begin_write(std::chrono::seconds(10)), "begin");
  auto placement = place(*transaction, events);
  must(transaction->append(placement), "append");
  must(transaction->commit(), "commit");
  return placement;
}

log::NewLog EventWriter::new_log() {
  return {ids_.event_id(clock_.now()), ids_.random_id(), clock_.now(), true};
}

}  // namespace annals::test
