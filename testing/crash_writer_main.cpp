// Writes to a log on many threads until it is killed or has done its count. A test starts it, waits
// for the line `ready`, writes a line to its input, and kills it when it likes.
//
//   annals_crash_writer store=URL journal=FILE [seed=N] [threads=N] [streams=N] [steps=N]
//   [mixed=0|1]
//
// Exit codes: 0 done, 1 the log answered what no healthy log answers, 2 wrong usage.

#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "annals/open.hpp"
#include "testing/append_recorder.hpp"
#include "testing/crash_writer.hpp"

namespace {

using Arguments = std::map<std::string, std::string, std::less<>>;

Arguments parse(int argc, char** argv) {
  Arguments arguments{
      {"seed", "1"}, {"threads", "32"}, {"streams", "16"}, {"steps", "0"}, {"mixed", "1"}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto equals = argument.find('=');
    if (equals == std::string_view::npos) continue;
    arguments[std::string(argument.substr(0, equals))] = argument.substr(equals + 1);
  }
  return arguments;
}

/// Runs all threads to their end; false when one of them met a fault.
bool write_all(annals::EventLog& log, const Arguments& arguments) {
  using annals::test::AppendRecorder;
  using annals::test::CrashWriter;
  AppendRecorder recorder(arguments.at("journal"));
  const std::uint64_t steps = std::stoull(arguments.at("steps"));
  std::atomic<bool> healthy = true;
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 0; i < std::stoull(arguments.at("threads")); ++i) {
    threads.emplace_back([&, i] {
      try {
        CrashWriter writer(log, recorder,
                           {.seed = std::stoull(arguments.at("seed")) * 1000 + i,
                            .streams = std::stoull(arguments.at("streams")),
                            .mixed = arguments.at("mixed") == "1"});
        for (std::uint64_t done = 0; healthy && (steps == 0 || done < steps); ++done)
          writer.step();
      } catch (const std::exception& error) {
        healthy = false;
        std::cerr << error.what() << std::endl;
      }
    });
  }
  threads.clear();
  return healthy;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse(argc, argv);
    if (!arguments.contains("store") || !arguments.contains("journal")) return 2;
    auto log = annals::open(arguments.at("store"));
    if (!log) {
      std::cerr << log.error().detail << std::endl;
      return 1;
    }
    std::cout << "ready" << std::endl;
    std::string go;
    std::getline(std::cin, go);
    return write_all(**log, arguments) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
