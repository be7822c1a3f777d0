#pragma once

#include "cli/context.hpp"

namespace annals::app {

/// SIGINT and SIGTERM of this process. Until `arm` they end it as usual. There may be one object at
/// a time, made in `main`.
class Signals final : public cli::Interrupt {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// Gives the signals their usual effect back.
  ~Signals() override;

  void arm() override;
  [[nodiscard]] bool requested() const noexcept override;
  void wait() override;
  void request() noexcept override;

 private:
  bool armed_ = false;
};

}  // namespace annals::app
