#include "testing/http_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>

#include "testing/loopback.hpp"

namespace annals::test {

namespace {

void wait_for(int fd, short events, std::chrono::milliseconds patience) {
  pollfd entry{fd, events, 0};
  const int ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
  if (ready <= 0) throw std::runtime_error("the server did not react in time");
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return text;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  return text;
}

std::uint64_t number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("not a number: " + std::string{text});
  }
  return value;
}

}  // namespace

std::string HttpResponse::header(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return {};
}

HttpClient::HttpClient(std::uint16_t port, std::chrono::milliseconds patience)
    : patience_(patience),
      socket_(connect_to(port)) {
  if (!socket_) throw std::runtime_error("cannot connect");
  wait_for(socket_.get(), POLLOUT, patience_);
}

std::size_t HttpClient::send_some(std::string_view bytes) {
  const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EINTR) throw std::runtime_error("the connection is broken");
  return 0;
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    wait_for(socket_.get(), POLLOUT, patience_);
    bytes.remove_prefix(send_some(bytes));
  }
}

void HttpClient::send_request(std::string_view method, std::string_view target,
                              const Fields& fields, std::string_view body) {
  std::string out{method};
  out += ' ';
  out += target;
  out += " HTTP/1.1\r\n";
  const bool has_host = std::ranges::any_of(
      fields, [](const auto& field) { return lower_case(field.first) == "host"; });
  if (!has_host) out += "Host: localhost\r\n";
  for (const auto& [name, value] : fields)
    out += name + ": " + value + "\r\n";
  if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  out += "\r\n";
  out += body;
  send(out);
}

bool HttpClient::fill() {
  wait_for(socket_.get(), POLLIN, patience_);
  std::array<char, 65536> piece{};
  const auto got = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return true;
    throw std::runtime_error("the connection is broken");
  }
  buffer_.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::optional<std::string> HttpClient::read_line() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    searched = buffer_.size();
    if (!fill()) {
      if (buffer_.empty()) return std::nullopt;
      return std::exchange(buffer_, {});
    }
  }
}

std::string HttpClient::read_exactly(std::size_t size) {
  while (buffer_.size() < size) {
    if (!fill()) throw std::runtime_error("the connection ended early");
  }
  std::string out = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return out;
}

std::string HttpClient::read_to_end() {
  while (fill()) {}
  return std::exchange(buffer_, {});
}

bool HttpClient::at_end() {
  return buffer_.empty() && !fill() && buffer_.empty();
}

HttpResponse HttpClient::read_head() {
  HttpResponse response;
  auto line = read_line();
  if (!line || !line->starts_with("HTTP/1.1 ") || line->size() < 12) {
    throw std::runtime_error("not an HTTP answer");
  }
  response.status = static_cast<int>(number(std::string_view{*line}.substr(9, 3)));
  while ((line = read_line()) && *line != "\r") {
    if (!line->ends_with('\r')) throw std::runtime_error("a field without CR");
    line->pop_back();
    const std::size_t colon = line->find(':');
    response.fields.emplace_back(lower_case(line->substr(0, colon)),
                                 std::string{trim(std::string_view{*line}.substr(colon + 1))});
  }
  return response;
}

std::string HttpClient::read_chunked() {
  std::string body;
  while (true) {
    auto line = read_line();
    if (!line) throw std::runtime_error("the chunks ended early");
    const std::uint64_t size = number(std::string_view{*line}.substr(0, line->size() - 1), 16);
    body += read_exactly(size);
    if (read_exactly(2) != "\r\n") throw std::runtime_error("a chunk without an end");
    if (size == 0) return body;
  }
}

HttpResponse HttpClient::read_response(bool to_head) {
  HttpResponse response = read_head();
  while (response.status == 100)
    response = read_head();
  if (to_head || response.status == 204 || response.status == 304) return response;
  if (response.header("transfer-encoding") == "chunked") {
    response.body = read_chunked();
  } else if (const std::string length = response.header("content-length"); !length.empty()) {
    response.body = read_exactly(number(length));
  } else {
    response.body = read_to_end();
  }
  return response;
}

HttpResponse HttpClient::request(std::string_view method, std::string_view target,
                                 const Fields& fields, std::string_view body) {
  send_request(method, target, fields, body);
  return read_response(method == "HEAD");
}

void HttpClient::finish_sending() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void HttpClient::close(bool reset) {
  if (reset) {
    reset_connection(socket_);
  } else {
    socket_.reset();
  }
}

std::uint64_t SseBlock::seq() const {
  return id ? number(*id) : 0;
}

SseClient::SseClient(std::uint16_t port, std::string_view target, const HttpClient::Fields& fields,
                     std::chrono::milliseconds patience)
    : http_(port, patience) {
  http_.send_request("GET", target, fields);
  head_ = http_.read_head();
}

std::optional<SseBlock> SseClient::next() {
  SseBlock block;
  while (auto line = http_.read_line()) {
    if (line->empty()) return block;
    const std::size_t colon = line->find(':');
    const std::string name = line->substr(0, colon);
    const std::string value{trim(std::string_view{*line}.substr(colon + 1))};
    if (name == "event") {
      block.event = value;
    } else if (name == "id") {
      block.id = value;
    } else if (name == "data") {
      block.data += value;
    } else if (name == "retry") {
      block.retry = number(value);
    } else if (name.empty()) {
      block.comment = value;
    } else {
      throw std::runtime_error("not a field of an event stream");
    }
  }
  return std::nullopt;
}

std::optional<SseBlock> SseClient::next_frame() {
  while (auto block = next()) {
    if (!block->data.empty()) return block;
  }
  return std::nullopt;
}

}  // namespace annals::test
