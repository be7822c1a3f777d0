#include "cli/receipt.hpp"

#include <fstream>
#include <iterator>

#include "core/cursor.hpp"
#include "core/json.hpp"

namespace annals::cli {
namespace {

/// Far above any receipt; the answer to a large array holds all its events.
constexpr std::size_t max_file_bytes = std::size_t{64} * 1024 * 1024;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<Receipt> from_json(std::string_view text) {
  core::json::Reader reader(text);
  if (!reader.begin_object()) return std::nullopt;
  std::optional<std::uint64_t> head;
  std::optional<Digest> hash;
  std::string name;
  while (reader.next_member(name)) {
    std::string_view raw;
    if (!reader.read_raw(raw)) return std::nullopt;
    if (name == "head") {
      if (const auto number = core::parse_cursor(raw)) head = *number;
    } else if (name == "log_hash" && raw.size() > 2) {
      hash = parse_digest(raw.substr(1, raw.size() - 2));
    }
  }
  if (!reader.finish() || !head || !hash) return std::nullopt;
  return Receipt{*head, *hash};
}

}  // namespace

std::optional<Receipt> parse_receipt(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto head = core::parse_cursor(text.substr(0, colon));
  const auto hash = parse_digest(text.substr(colon + 1));
  if (!head || !hash) return std::nullopt;
  return Receipt{*head, *hash};
}

Outcome<Receipt> read_receipt(const std::filesystem::path& file) {
  const auto cannot = [&file](const char* why) {
    return failed({ErrorCode::invalid_request, "the receipt " + file.string() + " " + why, {}, {}},
                  ExitCode::unchecked);
  };
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return cannot("cannot be read");
  std::string text;
  for (std::istreambuf_iterator<char> next(stream), end; next != end; ++next) {
    if (text.size() == max_file_bytes) return cannot("is too large");
    text += *next;
  }
  const auto content = trimmed(text);
  const auto receipt = content.starts_with('{') ? from_json(content) : parse_receipt(content);
  if (!receipt) return cannot("holds neither HEAD:LOG_HASH nor JSON with head and log_hash");
  return *receipt;
}

std::string to_string(const Receipt& receipt) {
  return std::to_string(receipt.head) + ":" + to_hex(receipt.log_hash);
}

}  // namespace annals::cli
