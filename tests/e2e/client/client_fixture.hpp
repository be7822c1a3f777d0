#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "annals/client.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {

/// Longest wait for anything; only a fault reaches it.
inline constexpr std::chrono::seconds patience{60};

inline ClientOptions client_options(std::uint16_t port) {
  ClientOptions options;
  options.url = "http://127.0.0.1:" + std::to_string(port);
  return options;
}

inline Client connect(ClientOptions options) {
  auto client = Client::create(std::move(options));
  if (!client) throw std::runtime_error(client.error().detail);
  return std::move(*client);
}

inline Client connect(const RunningServer& server) {
  return connect(client_options(server.port()));
}

inline NewEvent event_of(std::string type, std::optional<std::string> stream = std::nullopt,
                         std::string payload = "{}") {
  NewEvent event;
  event.type = std::move(type);
  event.stream = std::move(stream);
  event.payload = std::move(payload);
  return event;
}

/// The next message of a follower, whatever it is; fails the test when none comes.
inline FollowMessage next_message(Follower& follower) {
  auto message = follower.next(patience);
  if (!message) throw std::runtime_error(message.error().detail);
  if (!*message) throw std::runtime_error("no message came");
  return std::move(**message);
}

/// The next message of one kind, past all others.
template <typename Message>
Message next_of(Follower& follower) {
  for (;;) {
    FollowMessage message = next_message(follower);
    if (auto* wanted = std::get_if<Message>(&message)) return std::move(*wanted);
  }
}

/// The error that ends a follower.
inline Error end_of(Follower& follower) {
  for (;;) {
    auto message = follower.next(patience);
    if (!message) return message.error();
    if (!*message) throw std::runtime_error("no message came");
  }
}

/// The numbers of the next `count` events.
inline std::vector<std::uint64_t> next_seqs(Follower& follower, std::size_t count) {
  std::vector<std::uint64_t> seqs;
  while (seqs.size() < count)
    seqs.push_back(next_of<Envelope>(follower).seq);
  return seqs;
}

}  // namespace annals::test
