#include "server/message.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>

namespace annals::server {

namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

std::string_view trim(std::string_view text) noexcept {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// True for a `q=0`, `q=0.0`, ... among the parameters.
bool refused(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  std::string_view quality = parameters.substr(at + 2);
  quality = trim(quality.substr(0, quality.find(';')));
  return !quality.empty() && quality.find_first_not_of("0.") == std::string_view::npos;
}

template <typename Matches>
bool any_range(std::string_view accept, Matches matches) {
  while (!accept.empty()) {
    const std::string_view range = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(accept.size(), range.size() + 1));
    const std::size_t parameters = range.find(';');
    const bool no = parameters != std::string_view::npos && refused(range.substr(parameters));
    if (!no && matches(media_type(range))) return true;
  }
  return false;
}

bool may_be_repeated(ErrorKind kind) noexcept {
  return kind == ErrorKind::busy || kind == ErrorKind::unavailable;
}

/// The current time as HTTP writes it, made once a second and thread.
std::string_view http_date() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    second = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> buffer{};
    const std::size_t size =
        std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text.assign(buffer.data(), size);
  }
  return text;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

}  // namespace

std::string_view to_string(Method method) noexcept {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::del:
      return "DELETE";
    case Method::options:
      return "OPTIONS";
    case Method::other:
      return "other";
  }
  return "other";
}

std::optional<std::string_view> Request::header(std::string_view name) const noexcept {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found == fields.end()) return std::nullopt;
  return std::string_view{found->value};
}

std::size_t Request::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(fields, name, &Field::name));
}

std::string_view reason_phrase(int status) noexcept {
  static constexpr auto phrases = std::to_array<std::pair<int, std::string_view>>({
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {413, "Content Too Large"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {503, "Service Unavailable"},
      {507, "Insufficient Storage"},
  });
  const auto found = std::ranges::find(phrases, status, &std::pair<int, std::string_view>::first);
  return found == phrases.end() ? "Unknown" : found->second;
}

std::string media_type(std::string_view value) {
  std::string type{trim(value.substr(0, value.find(';')))};
  std::ranges::transform(type, type.begin(), lower);
  return type;
}

bool accepts(std::optional<std::string_view> accept, std::string_view type) {
  if (!accept || trim(*accept).empty()) return true;
  const std::string any_subtype = std::string{type.substr(0, type.find('/'))} + "/*";
  return any_range(*accept, [&](const std::string& range) {
    return range == type || range == any_subtype || range == "*/*";
  });
}

bool names(std::optional<std::string_view> accept, std::string_view type) {
  return accept && any_range(*accept, [&](const std::string& range) { return range == type; });
}

Response problem(const Error& error) {
  Response response;
  response.status = wire::http_status(error.code);
  response.content_type = wire::problem_content_type;
  response.body = wire::problem_json(error);
  if (may_be_repeated(error.kind())) {
    const auto wait = error.retry_after.value_or(std::chrono::seconds{1});
    const auto seconds =
        std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(wait).count());
    response.fields.push_back({"Retry-After", std::to_string(seconds)});
  }
  if (error.code == ErrorCode::not_authenticated) {
    response.fields.push_back({"WWW-Authenticate", "Bearer"});
  }
  return response;
}

Response problem(wire::HttpCode code, std::string_view detail) {
  Response response;
  response.status = wire::http_status(code);
  response.content_type = wire::problem_content_type;
  response.body = wire::problem_json(code, detail);
  if (code == wire::HttpCode::not_reached) response.fields.push_back({"Retry-After", "1"});
  return response;
}

std::string head_bytes(const Response& response, std::optional<std::uint64_t> length,
                       bool keep_alive) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  out.reserve(256);
  out += reason_phrase(response.status);
  out += "\r\n";
  if (!response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
  // Of a 304 it would have to be the length of what is not sent; a 204 has none.
  if (length && response.status != 304 && response.status != 204)
    append_field(out, "Content-Length", std::to_string(*length));
  append_field(out, "X-Content-Type-Options", "nosniff");
  append_field(out, "Date", http_date());
  for (const Field& field : response.fields)
    append_field(out, field.name, field.value);
  append_field(out, "Connection", keep_alive ? "keep-alive" : "close");
  out += "\r\n";
  return out;
}

}  // namespace annals::server
