#include "core/capability_mint.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/canonical.hpp"
#include "core/json.hpp"
#include "core/validate_names.hpp"

namespace annals {
namespace {

constexpr std::string_view every_type = "*";

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::invalid_request, std::move(detail));
}

/// Why `pattern` cannot be allowed, or null.
const char* pattern_fault(std::string_view pattern) {
  if (pattern == every_type) return nullptr;
  if (!core::is_type_pattern(pattern)) {
    return "An allowed type is a type name, a prefix ending in .*, or * alone; at most 200 bytes";
  }
  if (core::is_reserved_type(pattern)) {
    return "Types of log. and access. are appended by the log itself and cannot be allowed";
  }
  return nullptr;
}

}  // namespace

Result<WriteCapability> CapabilityMint::mint(Uuid holder, AllowedTypes allowed, Timestamp now) {
  if (holder.is_nil()) return refuse("A capability needs a holder; the nil UUID is none");
  if (allowed.empty()) return refuse("A capability must allow at least one type");
  for (const auto& pattern : allowed) {
    if (const char* fault = pattern_fault(pattern)) return refuse(fault);
  }
  return WriteCapability(holder, std::move(allowed), now);
}

namespace core {
namespace {

using json::Reader;

/// Why a text is not a capability: the reader's problem, or `fallback`.
std::unexpected<Error> malformed(const Reader& reader, std::string_view fallback) {
  std::string detail = "Malformed capability: ";
  if (const auto& problem = reader.problem()) {
    detail += problem->message;
    if (!problem->pointer.empty()) detail += " at " + problem->pointer;
  } else {
    detail += fallback;
  }
  return refuse(std::move(detail));
}

std::optional<std::string> read_text(Reader& reader) {
  std::string text;
  if (reader.peek() != json::Type::string || !reader.read_string(text)) return std::nullopt;
  return text;
}

/// Reads the array of allowed types; the error says what is wrong with it.
Result<AllowedTypes> read_types(Reader& reader) {
  AllowedTypes types;
  if (reader.peek() != json::Type::array || !reader.begin_array()) {
    return malformed(reader, "allowed_types must be an array of texts");
  }
  while (reader.next_element()) {
    auto type = read_text(reader);
    if (!type) return malformed(reader, "allowed_types must be an array of texts");
    if (!types.insert(std::move(*type)).second) {
      return malformed(reader, "allowed_types names a type twice");
    }
  }
  if (reader.problem()) return malformed(reader, {});
  return types;
}

/// The members of the text form; all are required.
struct Members {
  std::optional<AllowedTypes> types;
  std::optional<Uuid> holder;
  std::optional<Timestamp> minted_at;
};

Result<void> read_member(Reader& reader, std::string_view name, Members& members) {
  if (name == "allowed_types") {
    auto types = read_types(reader);
    if (!types) return std::unexpected(std::move(types.error()));
    members.types = std::move(*types);
    return {};
  }
  if (name == "holder") {
    const auto text = read_text(reader);
    members.holder = text ? parse_uuid(*text) : std::nullopt;
    if (!members.holder) return malformed(reader, "holder must be a UUID");
    return {};
  }
  if (name == "minted_at") {
    const auto text = read_text(reader);
    members.minted_at = text ? parse_timestamp(*text) : std::nullopt;
    if (!members.minted_at) return malformed(reader, "minted_at must be an RFC 3339 time");
    return {};
  }
  return malformed(reader, "it has an unknown member");
}

}  // namespace

Result<AllowedTypes> parse_allowed_types(std::string_view text) {
  AllowedTypes types;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view pattern = text.substr(0, comma);
    if (const char* fault = pattern_fault(pattern)) return refuse(fault);
    if (!types.emplace(pattern).second) return refuse("A type is named twice");
    if (comma == std::string_view::npos) return types;
    text.remove_prefix(comma + 1);
  }
}

std::string to_string(const AllowedTypes& types) {
  std::string text;
  for (const auto& type : types) {
    if (!text.empty()) text += ',';
    text += type;
  }
  return text;
}

std::string to_json(const WriteCapability& capability) {
  std::string text = R"({"allowed_types":[)";
  for (const auto& type : capability.allowed_types()) {
    if (text.back() != '[') text += ',';
    append_json_string(text, type);
  }
  text += R"(],"holder":)";
  append_json_string(text, annals::to_string(capability.holder()));
  text += R"(,"minted_at":)";
  append_json_string(text, annals::to_string(capability.minted_at()));
  text += '}';
  return text;
}

Result<WriteCapability> capability_from_json(std::string_view json) {
  Reader reader(json);
  if (reader.peek() != json::Type::object || !reader.begin_object()) {
    return malformed(reader, "it must be an object");
  }
  Members members;
  std::string name;
  while (reader.next_member(name)) {
    if (auto read = read_member(reader, name, members); !read) {
      return std::unexpected(std::move(read.error()));
    }
  }
  if (reader.problem() || !reader.finish()) return malformed(reader, "text after the object");
  if (!members.types || !members.holder || !members.minted_at) {
    return malformed(reader, "it needs allowed_types, holder and minted_at");
  }
  return CapabilityMint::mint(*members.holder, std::move(*members.types), *members.minted_at);
}

}  // namespace core
}  // namespace annals
