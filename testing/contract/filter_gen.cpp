#include "testing/contract/filter_gen.hpp"

#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace annals::test {
namespace {

constexpr std::uint64_t words = 6;

std::string word(Random& random) {
  return "w" + std::to_string(random.below(words));
}

std::string actor_text(const Actor& actor) {
  auto text = std::string(to_string(actor.kind));
  if (actor.id) text += "/" + *actor.id;
  return text;
}

}  // namespace

std::vector<NewEvent> FilterGen::shape(std::vector<NewEvent> events) {
  for (auto& event : events) {
    if (random_.chance(60)) event.type = "shape." + word(random_);
    if (random_.chance(60)) event.source = word(random_);
    if (random_.chance(60)) event.scope = {word(random_), word(random_), word(random_)};
    if (random_.chance(60)) event.resource = {word(random_), word(random_), std::nullopt};
    if (random_.chance(60)) event.actor = Actor{ActorKind::user, word(random_)};
    if (random_.chance(60)) event.labels = {{"a", word(random_)}, {"b", word(random_)}};
    if (random_.chance(60))
      event.correlation_id = Uuid{{static_cast<std::uint8_t>(1 + random_.below(words))}};
  }
  return events;
}

Filter FilterGen::filter(const Record& like) {
  Filter filter;
  for (auto members = random_.between(1, 3); members > 0; --members)
    set_member(filter, like);
  return filter;
}

void FilterGen::set_member(Filter& filter, const Record& like) {
  const auto& header = like.header;
  const auto meta = meta_of(like).value_or(Meta{});
  const auto or_word = [&](const std::optional<std::string>& text) {
    return text && random_.chance(90) ? *text : word(random_);
  };
  switch (random_.below(12)) {
    case 0:
      filter.type = header.type;
      if (random_.chance(50)) *filter.type = header.type.substr(0, header.type.find('.')) + ".*";
      break;
    case 1:
      filter.source = or_word(header.source);
      break;
    case 2:
      filter.stream = or_word(header.stream);
      break;
    case 3:
      filter.space = or_word(header.scope.space_id);
      break;
    case 4:
      filter.channel = or_word(header.scope.channel_id);
      break;
    case 5:
      filter.thread = or_word(header.scope.thread_id);
      break;
    case 6:
      filter.resource_kind = or_word(header.resource.kind);
      break;
    case 7:
      filter.resource_id = or_word(header.resource.id);
      break;
    case 8:
      filter.actor = meta.actor ? actor_text(*meta.actor) : "user/" + word(random_);
      break;
    case 9:
      filter.correlation_id = meta.correlation_id.value_or(Uuid{{9}});
      break;
    case 10:
      (random_.chance(50) ? filter.since : filter.until) = header.recorded_at;
      break;
    default:
      if (meta.labels.empty()) {
        filter.labels["a"] = word(random_);
      } else {
        filter.labels.insert(*std::next(
            meta.labels.begin(), static_cast<std::ptrdiff_t>(random_.below(meta.labels.size()))));
      }
  }
}

std::vector<std::uint64_t> walk(log::EventReader& events, const Filter& filter, Order order,
                                Random& random) {
  std::vector<std::uint64_t> found;
  ReadOptions options{.order = order, .filter = filter};
  const bool forward = order == Order::forward;
  for (;;) {
    options.limit = random.between(1, 40);
    options.max_scan = random.chance(30) ? random.between(1, 60) : 100'000;
    const auto page = events.page(options);
    if (!page) throw std::runtime_error(page.error().detail);
    for (const auto& record : page->records)
      found.push_back(record.header.seq);
    if (forward ? page->caught_up : page->scanned <= page->oldest) return found;
    const bool on = forward ? page->scanned > options.after : page->scanned < options.before;
    if (!on) throw std::runtime_error("stuck at " + std::to_string(page->scanned));
    options.after = options.before = page->scanned;
  }
}

}  // namespace annals::test
