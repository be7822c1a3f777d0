#include "wire/resource_subject.hpp"

#include "wire/query.hpp"

namespace annals::wire {

namespace {

/// What a resource is when neither its producer nor the catalogue says anything.
constexpr std::string_view default_kind = "event";

std::string encode_kind(std::string_view kind) {
  std::string out;
  for (const char c : kind) {
    if (c == '%') {
      out += "%25";
    } else if (c == '/') {
      out += "%2F";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> subject_of(const Resource& resource) {
  if (!resource.kind || (*resource.kind == default_kind && !resource.id)) return std::nullopt;
  return encode_kind(*resource.kind) + '/' + resource.id.value_or("");
}

std::optional<Resource> parse_subject(std::string_view subject) {
  const std::size_t slash = subject.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  Resource resource;
  resource.kind = percent_decode(subject.substr(0, slash), false);
  if (!resource.kind) return std::nullopt;
  if (slash + 1 < subject.size()) resource.id = subject.substr(slash + 1);
  return resource;
}

}  // namespace annals::wire
