#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "log/ports/store.hpp"

namespace annals::test {

/// A place where one log may be stored, on one backend, with what only later parts of the program
/// do to it. Used on one thread; the stores it makes may be used on many.
class StoreFixture {
 public:
  virtual ~StoreFixture() = default;

  /// Another store of the same place, not yet open. Must not outlive this.
  virtual std::unique_ptr<log::Store> make() = 0;

  /// The file it is stored in; empty for a backend without one.
  [[nodiscard]] virtual std::filesystem::path file() const { return {}; }

  /// What a restore does: the numbers from head + 1 to `to` will never be given, and stand in a gap
  /// that the record `to + 1` explains. No store may have a transaction open.
  virtual void skip_to(std::uint64_t to) = 0;

  /// What the first half of retention does: events below `oldest` are no longer retained.
  virtual void cut(std::uint64_t oldest) = 0;
};

/// How a backend is tested. Also the parameter of the contract suite.
struct StoreBackend {
  std::string name;
  std::function<std::unique_ptr<StoreFixture>()> make;

  friend std::ostream& operator<<(std::ostream& out, const StoreBackend& backend) {
    return out << backend.name;
  }
};

/// Backends that need nothing but this machine.
StoreBackend memory_backend();
StoreBackend sqlite_backend();

/// Every different statement that stores made by `sqlite_backend` have run so far in this process,
/// sorted.
std::vector<std::string> traced_statements();

}  // namespace annals::test
