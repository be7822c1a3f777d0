// An application that appends an event in the same transaction as its own row, and follows the log.

#include <cstdint>
#include <iostream>
#include <string>

#include "annals/open.hpp"

namespace {

int fail(const annals::Error& error) {
  std::cerr << annals::to_string(error.code) << ": " << error.detail << '\n';
  return 1;
}

/// The order and its event are stored together, or neither is.
annals::Result<annals::AppendResult> pay(annals::EventLog& log, std::int64_t order) {
  auto unit = log.begin(log.local_admin());
  if (!unit) return std::unexpected(unit.error());
  auto changed = unit->execute("INSERT INTO orders (id, paid) VALUES ($1, 1)", {order});
  if (!changed) return std::unexpected(changed.error());
  annals::NewEvent event;
  event.type = "order.paid";
  event.stream = "order-" + std::to_string(order);
  event.actor = annals::Actor{annals::ActorKind::user, "alex"};
  event.payload = R"({"total":12.50})";
  if (auto id = unit->append(event); !id) return std::unexpected(id.error());
  return unit->commit();
}

annals::Result<void> make_table(annals::EventLog& log) {
  auto unit = log.begin(log.local_admin());
  if (!unit) return std::unexpected(unit.error());
  auto made =
      unit->execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, paid INTEGER)");
  if (!made) return std::unexpected(made.error());
  if (auto done = unit->commit(); !done) return std::unexpected(done.error());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string url = argc > 1 ? argv[1] : "sqlite:orders.db";
  auto log = annals::open(url);
  if (!log) return fail(log.error());
  if (auto made = make_table(**log); !made) return fail(made.error());

  const auto state = (*log)->state();
  if (!state) return fail(state.error());
  const auto order = static_cast<std::int64_t>(state->event_seq + 1);
  const auto paid = pay(**log, order);
  if (!paid) return fail(paid.error());
  std::cout << "order " << order << " paid, event " << paid->events.front().seq << ", receipt "
            << paid->receipt.head << ":" << annals::to_hex(paid->receipt.log_hash) << '\n';

  const auto page = (*log)->read({.after = 0, .limit = 100});
  if (!page) return fail(page.error());
  for (const auto& record : page->records) {
    std::cout << record.header.seq << ' ' << record.header.type << ' ' << annals::payload_of(record)
              << '\n';
  }

  const auto report = (*log)->verify({});
  if (!report) return fail(report.error());
  std::cout << (report->clean() ? "verified\n" : "not what it was\n");
  return report->clean() ? 0 : 1;
}
