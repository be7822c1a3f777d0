#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "testing/process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {

using Words = std::vector<std::string>;

/// Runs the real program in a new empty folder, where its default store is.
class CliTestCase : public ::testing::Test {
 public:
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

  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::map<std::string, std::string> environment;  ///< Of every command.

 private:
  TempDir folder_;
};

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

/// The exit code of a program that was not killed, else -1.
[[nodiscard]] int code_of(const Finished& finished);

}  // namespace annals::test
