#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "testing/seed.hpp"

namespace {

std::uint64_t run_seed = 0;

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What was asked for on the command line, else in the environment; empty when nothing was.
std::string_view requested_seed(int argc, char** argv) {
  constexpr std::string_view option = "--seed=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(option)) return argument.substr(option.size());
  }
  const char* variable = std::getenv("ANNALS_TEST_SEED");
  return variable == nullptr ? std::string_view{} : std::string_view{variable};
}

std::uint64_t draw_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

/// RapidCheck reads its parameters when the first property runs. A seed that is already among them
/// was chosen to reproduce one property and is kept.
void hand_seed_to_rapidcheck(std::uint64_t seed) {
  const char* variable = std::getenv("RC_PARAMS");
  std::string parameters = variable == nullptr ? "" : variable;
  if (parameters.find("seed=") != std::string::npos) return;
  if (!parameters.empty()) parameters += ' ';
  parameters += "seed=" + std::to_string(seed);
  ::setenv("RC_PARAMS", parameters.c_str(), 1);
}

}  // namespace

std::uint64_t annals::test::seed() noexcept {
  return run_seed;
}

int main(int argc, char** argv) {
  const std::string_view requested = requested_seed(argc, argv);
  const auto parsed = requested.empty() ? std::optional{draw_seed()} : parse_seed(requested);
  if (!parsed) {
    std::cerr << "The seed must be a whole number, not '" << requested << "'\n";
    return 2;
  }
  run_seed = *parsed;
  std::cout << "[   seed   ] " << run_seed << " (repeat with --seed=" << run_seed
            << " or ANNALS_TEST_SEED)" << std::endl;
  hand_seed_to_rapidcheck(run_seed);

  // GoogleTest shuffles by a seed of its own, below 100,000; its command line option still wins.
  ::testing::GTEST_FLAG(random_seed) = static_cast<int>(run_seed % 99'999) + 1;
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
