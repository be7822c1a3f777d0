#include "cli_test_case.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace annals::test {
namespace {

std::string program() {
  const char* binary = std::getenv("ANNALS_BINARY");
  if (binary == nullptr) throw std::runtime_error("ANNALS_BINARY is not set: run through ctest");
  return binary;
}

}  // namespace

CliTestCase::CliTestCase() {
  if (std::getenv("ANNALS_TEST_THROUGH_SERVER") == nullptr) return;
  environment["ANNALS_CLIENT_SERVER"] = serve();
}

std::string CliTestCase::serve(const Words& more) {
  Words words{
      "serve", "--json", "--store", "sqlite:annals.db", "--set", "server.listen=127.0.0.1:0"};
  words.insert(words.end(), more.begin(), more.end());
  server_ = std::make_unique<Process>(command(words));
  const auto line = server_->wait_for_line("\"listening\"", std::chrono::seconds{60});
  if (!line) throw std::runtime_error(server_->output(Process::Stream::err));
  return nlohmann::json::parse(*line)["listening"];
}

ProcessOptions CliTestCase::command(const Words& arguments) const {
  ProcessOptions options;
  options.command = {program()};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.directory = folder_.path();
  options.environment = environment;
  return options;
}

Finished CliTestCase::annals(const Words& arguments, std::string_view input) const {
  return run(command(arguments), input);
}

Finished CliTestCase::shell(const std::string& line) const {
  ProcessOptions options;
  options.command = {"bash", "-o", "pipefail", "-c", line};
  options.directory = folder_.path();
  options.environment = environment;
  const char* path = std::getenv("PATH");
  options.environment["PATH"] = std::filesystem::path(program()).parent_path().string() + ":" +
                                (path == nullptr ? "/usr/bin:/bin" : path);
  return run(std::move(options));
}

std::string CliTestCase::out_of(const Words& arguments, std::string_view input) const {
  auto finished = annals(arguments, input);
  EXPECT_EQ(code_of(finished), 0) << finished.err;
  return std::move(finished.out);
}

std::vector<nlohmann::json> CliTestCase::json_of(const Words& arguments,
                                                 std::string_view input) const {
  std::vector<nlohmann::json> values;
  for (const auto& line : lines_of(out_of(arguments, input))) {
    values.push_back(nlohmann::json::parse(line));
  }
  return values;
}

void CliTestCase::write(const std::string& name, std::string_view text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

bool CliTestCase::exists(const std::string& name) const {
  return std::filesystem::exists(path(name));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

int code_of(const Finished& finished) {
  return finished.status.code.value_or(-1);
}

}  // namespace annals::test
