#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "testing/process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {

using Words = std::vector<std::string>;

/// Runs the real program in a new empty folder, where its default store is. With
/// `ANNALS_TEST_THROUGH_SERVER` in the environment a server works on that store, and the commands
/// are told to ask it instead.
class CliTestCase : public ::testing::Test {
 public:
  CliTestCase();

  /// How `annals` with these arguments is started in the folder.
  [[nodiscard]] ProcessOptions command(const Words& arguments) const;

  /// Runs `annals` to its end.
  [[nodiscard]] Finished annals(const Words& arguments, std::string_view input = {}) const;

  /// Runs a shell command with `annals` in PATH.
  [[nodiscard]] Finished shell(const std::string& line) const;

  /// Runs `annals` and expects it to succeed; what it printed.
  std::string out_of(const Words& arguments, std::string_view input = {}) const;

  /// The same, read as one line of JSON each.
  std::vector<nlohmann::json> json_of(const Words& arguments, std::string_view input = {}) const;

  /// Starts a server on a store in the folder, with more words behind `serve`; its URL.
  std::string serve(const Words& more = {});

  /// Kills the server of `serve`.
  void stop_server() { server_.reset(); }

  /// The commands ask a server.
  [[nodiscard]] bool through_server() const { return environment.contains("ANNALS_CLIENT_SERVER"); }

  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::map<std::string, std::string> environment;  ///< Of every command.

 private:
  TempDir folder_;
  std::unique_ptr<Process> server_;
};

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// The exit code of a program that was not killed, else -1.
[[nodiscard]] int code_of(const Finished& finished);

}  // namespace annals::test
