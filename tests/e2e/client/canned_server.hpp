#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "testing/fd.hpp"

namespace annals::test {

/// Something that listens and is no Annals server: answers the head of every request with the same
/// bytes and closes. Works on its own thread.
class CannedServer {
 public:
  explicit CannedServer(std::string answer);
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;
  ~CannedServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void serve();
  void answer(const Fd& connection) const;

  std::string answer_;
  std::uint16_t port_ = 0;
  Fd listener_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace annals::test
