#include "config/toml_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace annals::config {
namespace {

FileValue leaf(std::string name, const toml::node& node) {
  FileValue value{std::move(name), {}, Written::other, node.source().begin.line};
  if (const auto* text = node.as_string()) {
    value.text = text->get();
    value.written = Written::text;
  } else if (const auto* number = node.as_integer(); number != nullptr && number->get() >= 0) {
    value.text = std::to_string(number->get());
    value.written = Written::integer;
  } else if (const auto* flag = node.as_boolean()) {
    value.text = flag->get() ? "true" : "false";
    value.written = Written::flag;
  } else if (node.is_table()) {
    value.written = Written::empty_section;
  }
  return value;
}

void collect(const toml::table& table, const std::string& prefix, std::vector<FileValue>& values) {
  for (const auto& [key, node] : table) {
    std::string name = prefix + std::string(key.str());
    const auto* inner = node.as_table();
    if (inner != nullptr && !inner->empty()) {
      collect(*inner, name + ".", values);
    } else {
      values.push_back(leaf(std::move(name), node));
    }
  }
}

}  // namespace

std::expected<std::vector<FileValue>, Problem> read_toml(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return std::unexpected(Problem{name, {}, "expected a configuration file, this is a folder"});
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return std::unexpected(Problem{name, {}, "the file cannot be read"});
  try {
    std::vector<FileValue> values;
    collect(toml::parse(text.view(), name), {}, values);
    std::ranges::sort(values, {}, [](const FileValue& value) {
      return std::pair(value.line, std::string_view(value.name));
    });
    return values;
  } catch (const toml::parse_error& failure) {
    const std::string place = name + ":" + std::to_string(failure.source().begin.line);
    return std::unexpected(Problem{place, {}, std::string(failure.description())});
  }
}

}  // namespace annals::config
