#include "config/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "testing/temp_dir.hpp"

namespace annals::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string read_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

TEST(ConfigRender, TheDefaultFileReadsBackToTheDefaults) {
  const test::TempDir folder;
  const auto file = folder.path() / "default.toml";
  std::ofstream(file) << default_file();
  const auto loaded = load({.file = file});
  ASSERT_TRUE(loaded) << to_string(loaded.error().front());
  for (const auto& entry : loaded->entries) {
    // A line that sets a secret to nothing is commented out.
    const auto origin = entry.key->secret ? Origin::Kind::fallback : Origin::Kind::file;
    EXPECT_EQ(entry.origin.kind, origin) << entry.key->name;
    EXPECT_EQ(entry.value, entry.key->get(Settings{})) << entry.key->name;
  }
}

TEST(ConfigRender, TheEffectiveFileReadsBackToItself) {
  const test::TempDir folder;
  const auto first = load({.default_file = folder.path() / "none",
                           .flags = {{"append.queue_timeout", "1500ms", "--set"},
                                     {"store", "sqlite:a \"b\".db", "--store"}}});
  ASSERT_TRUE(first);
  const auto text = effective_toml(*first);
  EXPECT_THAT(text, HasSubstr("queue_timeout = \"1500ms\"  # --set\n"));
  EXPECT_THAT(text, HasSubstr("head_cache = 200  # default\n"));
  const auto file = folder.path() / "effective.toml";
  std::ofstream(file) << text;
  const auto second = load({.file = file});
  ASSERT_TRUE(second) << to_string(second.error().front());
  for (std::size_t i = 0; i < first->entries.size(); ++i) {
    EXPECT_EQ(first->entries[i].value, second->entries[i].value) << first->entries[i].key->name;
  }
}

TEST(ConfigRender, JsonHasValueAndOriginOfEveryKey) {
  const auto loaded = load(
      {.default_file = "/nonexistent/annals.toml", .flags = {{"server.threads", "3", "--set"}}});
  ASSERT_TRUE(loaded);
  const auto json = effective_json(*loaded);
  EXPECT_THAT(json, HasSubstr(R"("server.threads":{"value":3,"origin":"--set"})"));
  EXPECT_THAT(json, HasSubstr(R"("sqlite.busy_timeout":{"value":"5s","origin":"default"})"));
  for (const auto& key : schema())
    EXPECT_THAT(json, HasSubstr('"' + key.name + "\":{"));
}

TEST(ConfigRender, SecretsAreNeverShown) {
  Key key;
  key.name = "door.password";
  key.doc = "A secret.";
  key.secret = true;
  key.get = [](const Settings& settings) { return Value(settings.store); };
  key.set = [](Settings& settings, const Value& value) {
    settings.store = std::get<std::string>(value);
  };
  const std::vector<Key> keys{key};
  const auto loaded = load({.default_file = "/nonexistent/annals.toml",
                            .flags = {{"door.password", "open sesame", "--set"}}},
                           keys);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(effective_toml(*loaded), HasSubstr("password = \"***\""));
  EXPECT_THAT(effective_toml(*loaded), Not(HasSubstr("sesame")));
  EXPECT_THAT(effective_json(*loaded), Not(HasSubstr("sesame")));
  EXPECT_THAT(default_file(keys), HasSubstr("# password = "));
}

TEST(ConfigRender, TheReferencePageIsUpToDate) {
  const char* source = std::getenv("ANNALS_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run through ctest, or set ANNALS_SOURCE_DIR";
  const auto page = read_file(std::filesystem::path(source) / "docs/configuration.md");
  EXPECT_EQ(page, markdown())
      << "write it anew with: annals config --markdown > docs/configuration.md";
}

}  // namespace
}  // namespace annals::config
