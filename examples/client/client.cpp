// An application that appends to a log behind a server, and follows it.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <variant>

#include "annals/client.hpp"

namespace {

int fail(const annals::Error& error) {
  std::cerr << annals::to_string(error.code) << ": " << error.detail << '\n';
  return 1;
}

/// Prints every event after `after` up to the head.
int print_from(const annals::Client& client, std::uint64_t after) {
  annals::FollowOptions options;
  options.after = after;
  auto follower = client.follow(options);
  for (;;) {
    const auto message = follower.next(std::chrono::seconds{1});
    if (!message) return fail(message.error());
    if (!*message) continue;
    if (const auto* event = std::get_if<annals::Envelope>(&**message)) {
      std::cout << event->seq << ' ' << event->type << ' ' << event->payload << '\n';
    }
    // A real follower would go on here.
    if (std::holds_alternative<annals::CaughtUp>(**message)) return 0;
    if (const auto* lost = std::get_if<annals::Disconnected>(&**message)) return fail(lost->why);
  }
}

}  // namespace

int main(int argc, char** argv) {
  annals::ClientOptions options;
  if (argc > 1) options.url = argv[1];
  if (const char* key = std::getenv("SHOP_API_KEY")) options.api_key = key;
  auto client = annals::Client::create(options);
  if (!client) return fail(client.error());

  annals::NewEvent event;
  event.type = "order.paid";
  event.stream = "order/1";
  event.payload = R"({"total":12.50})";
  const auto paid = client->append(event);
  if (!paid) return fail(paid.error());
  std::cout << "event " << paid->events.front().seq << ", receipt " << paid->receipt.head << ":"
            << annals::to_hex(paid->receipt.log_hash) << '\n';
  return print_from(*client, paid->events.front().seq - 1);
}
