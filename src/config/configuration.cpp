#include "config/configuration.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "config/toml_file.hpp"

namespace annals::config {
namespace {

constexpr std::string_view file_suffix = "_file";

/// Applies one source after the other to the entries, and gathers what is wrong.
class Loader {
 public:
  explicit Loader(std::span<const Key> keys) : keys_(keys) {
    const Settings defaults;
    for (const auto& key : keys) {
      configuration_.entries.push_back({&key, key.get(defaults), {}});
    }
  }

  void apply_file(const std::filesystem::path& file) {
    auto values = read_toml(file);
    if (!values) {
      problems_.push_back(std::move(values.error()));
      return;
    }
    begin_source();
    for (const auto& value : *values) {
      apply_file_value(value, file.string() + ":" + std::to_string(value.line));
    }
  }

  void apply_environment(const std::vector<std::pair<std::string, std::string>>& environment) {
    begin_source();
    for (const auto& [name, value] : environment) {
      if (!name.starts_with("ANNALS_")) continue;
      const auto target = find_target([&name](const Key& key, bool file) {
        return name == key.environment_name() + (file ? "_FILE" : "");
      });
      if (target.key != nullptr) {
        apply(target, value, {Origin::Kind::environment, name});
      } else if (names_a_section(name)) {
        problems_.push_back({name, {}, "no key has this variable; see annals config --default"});
      }
    }
  }

  void apply_flags(const std::vector<Assignment>& flags) {
    for (const auto& assignment : flags) {
      begin_source();
      const auto target = find_target(assignment.key);
      if (target.key == nullptr) {
        problems_.push_back(unknown(assignment.flag, assignment.key));
        continue;
      }
      apply(target, assignment.value, {Origin::Kind::flag, assignment.flag});
    }
  }

  std::expected<Configuration, std::vector<Problem>> finish() {
    auto& settings = configuration_.settings;
    for (const auto& entry : configuration_.entries)
      entry.key->set(settings, entry.value);
    // A rule about several keys says nothing useful while one of them is wrong by itself.
    if (problems_.empty()) check_cross_rules();
    if (!problems_.empty()) return std::unexpected(std::move(problems_));
    return std::move(configuration_);
  }

 private:
  struct Target {
    const Key* key = nullptr;
    bool file = false;  ///< The value is the name of a file that holds the secret.
  };

  template <typename Matches>
  Target find_target(Matches matches) const
    requires std::predicate<Matches, const Key&, bool>
  {
    for (const auto& key : keys_) {
      if (matches(key, false)) return {&key, false};
      if (key.secret && matches(key, true)) return {&key, true};
    }
    return {};
  }

  Target find_target(std::string_view name) const {
    return find_target([name](const Key& key, bool file) {
      return name == (file ? key.name + std::string(file_suffix) : key.name);
    });
  }

  bool names_a_section(std::string_view variable) const {
    return std::ranges::any_of(keys_, [variable](const Key& key) {
      if (key.section().empty()) return false;
      const std::string name = key.environment_name();
      return variable.starts_with(
          std::string_view(name).substr(0, name.find('_', std::string_view("ANNALS_").size()) + 1));
    });
  }

  bool is_section(std::string_view name) const {
    return std::ranges::any_of(keys_, [name](const Key& key) { return key.section() == name; });
  }

  Problem unknown(std::string where, const std::string& name) const {
    const auto nearest = nearest_name(keys_, name);
    return {std::move(where), name,
            nearest.empty() ? "unknown key; annals config --default lists all of them"
                            : "unknown key; did you mean '" + nearest + "'?"};
  }

  void begin_source() { set_in_source_.clear(); }

  void apply_file_value(const FileValue& value, const std::string& where) {
    const auto target = find_target(value.name);
    if (target.key == nullptr) {
      if (value.written != Written::empty_section || !is_section(value.name)) {
        problems_.push_back(unknown(where, value.name));
      }
      return;
    }
    const auto wanted = target.file                         ? Written::text
                        : target.key->type == Type::integer ? Written::integer
                        : target.key->type == Type::flag    ? Written::flag
                                                            : Written::text;
    if (value.written != wanted) {
      problems_.push_back({where, value.name, "expected " + describe(target)});
      return;
    }
    apply(target, value.text, {Origin::Kind::file, where});
  }

  static std::string describe(const Target& target) {
    return target.file ? "the name of a file that holds the secret" : target.key->expected();
  }

  void apply(const Target& target, const std::string& text, Origin origin) {
    const Key& key = *target.key;
    if (std::ranges::find(set_in_source_, &key) != set_in_source_.end()) {
      problems_.push_back(
          {origin.text, key.name, "set twice: give the value or the file, not both"});
      return;
    }
    set_in_source_.push_back(&key);
    std::string content = text;
    if (target.file) {
      auto read = read_secret(text);
      if (!read) {
        problems_.push_back({origin.text, key.name + std::string(file_suffix),
                             "expected a readable file that holds the secret"});
        return;
      }
      content = std::move(*read);
      origin.text += " (" + text + ")";
    }
    auto value = key.parse(content);
    if (!value) {
      problems_.push_back({origin.text, key.name, "expected " + key.expected()});
      return;
    }
    auto& entry = configuration_.entries[static_cast<std::size_t>(&key - keys_.data())];
    entry.value = std::move(*value);
    entry.origin = std::move(origin);
  }

  /// The file's content without the line end that editors and `echo` leave behind.
  static std::optional<std::string> read_secret(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) return std::nullopt;
    std::string secret = std::move(text).str();
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r'))
      secret.pop_back();
    return secret;
  }

  void check_cross_rules() {
    for (const auto& rule : cross_rules()) {
      if (rule.holds(configuration_.settings)) continue;
      const auto found = std::ranges::find_if(configuration_.entries, [&rule](const Entry& entry) {
        return entry.key->name == rule.key;
      });
      const auto where =
          found == configuration_.entries.end() ? std::string("default") : found->origin.text;
      problems_.push_back({where, rule.key, "expected " + rule.expected});
    }
  }

  std::span<const Key> keys_;
  Configuration configuration_;
  std::vector<Problem> problems_;
  std::vector<const Key*> set_in_source_;
};

}  // namespace

std::string to_string(const Problem& problem) {
  std::string out = problem.where;
  if (!problem.key.empty()) out += ": " + problem.key;
  return out + ": " + problem.message;
}

std::expected<Configuration, std::vector<Problem>> load(const Sources& sources,
                                                        std::span<const Key> keys) {
  Loader loader(keys);
  std::error_code error;
  if (sources.file) {
    loader.apply_file(*sources.file);
  } else if (std::filesystem::exists(sources.default_file, error)) {
    loader.apply_file(sources.default_file);
  }
  loader.apply_environment(sources.environment);
  loader.apply_flags(sources.flags);
  return loader.finish();
}

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace annals::config
