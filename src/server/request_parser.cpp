#include "server/request_parser.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>

namespace annals::server {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

/// Collects the body's bytes in a string that is emptied between two pieces. The size announced by
/// the client reserves nothing.
struct PieceBody {
  using value_type = std::string;

  class reader {  // NOLINT(readability-identifier-naming): the name Beast looks for
   public:
    template <bool IsRequest, typename Fields>
    reader(http::header<IsRequest, Fields>& /*head*/, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>& /*length*/, error_code& error) { error = {}; }

    template <typename Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      std::size_t size = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        body_.append(static_cast<const char*>(piece.data()), piece.size());
        size += piece.size();
      }
      return size;
    }

    void finish(error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

Method method_of(http::verb verb) noexcept {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::post:
      return Method::post;
    case http::verb::put:
      return Method::put;
    case http::verb::patch:
      return Method::patch;
    case http::verb::delete_:
      return Method::del;
    case http::verb::options:
      return Method::options;
    default:
      return Method::other;
  }
}

std::string lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

Response refuse(std::string_view detail) {
  Response response = problem(Error{ErrorCode::invalid_request, std::string{detail}, {}, {}});
  response.close = true;
  return response;
}

Response refuse(wire::HttpCode code, std::string_view detail) {
  Response response = problem(code, detail);
  response.close = true;
  return response;
}

Response head_too_large(const HeadLimits& limits) {
  return refuse(wire::HttpCode::header_too_large,
                "the head of a request may have " + std::to_string(limits.max_lines) +
                    " lines and " + std::to_string(limits.max_bytes) + " bytes");
}

}  // namespace

struct RequestParser::Impl {
  http::request_parser<PieceBody> parser;
};

RequestParser::RequestParser(const HeadLimits& limits)
    : limits_(limits),
      impl_(std::make_unique<Impl>()) {
  impl_->parser.header_limit(static_cast<std::uint32_t>(limits.max_bytes));
  impl_->parser.body_limit(boost::none);
  impl_->parser.eager(false);
}

RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;
RequestParser::~RequestParser() = default;

std::size_t RequestParser::put(std::string_view input) {
  std::size_t used = 0;
  while (!failure_ && !done() && used < input.size()) {
    const std::string_view rest = input.substr(used);
    error_code error;
    const std::size_t step = impl_->parser.put({rest.data(), rest.size()}, error);
    used += step;
    if (error == http::error::header_limit) {
      fail(head_too_large(limits_));
    } else if (error && error != http::error::need_more) {
      fail(refuse("this is not a well-formed HTTP/1.1 request"));
    }
    if (!head_done_ && !failure_ && impl_->parser.is_header_done()) {
      finish_head();
      break;
    }
    if (error) break;
  }
  return used;
}

bool RequestParser::done() const noexcept {
  return head_done_ && impl_->parser.is_done();
}

std::string RequestParser::take_body() {
  return std::exchange(impl_->parser.get().body(), {});
}

void RequestParser::finish_head() {
  head_done_ = true;
  const auto& message = impl_->parser.get();
  request_.method = method_of(message.method());
  const std::string_view target{message.target().data(), message.target().size()};
  const std::size_t question = target.find('?');
  request_.path = target.substr(0, question);
  if (question != std::string_view::npos) request_.query = target.substr(question + 1);
  request_.http_1_1 = message.version() >= 11;
  request_.keep_alive = impl_->parser.keep_alive();
  request_.chunked = impl_->parser.chunked();
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    request_.fields.push_back(
        {lower_case({name.data(), name.size()}), std::string{value.data(), value.size()}});
  }
  if (const auto length = impl_->parser.content_length()) request_.content_length = *length;
  check_framing();
  impl_->parser.eager(true);
}

void RequestParser::check_framing() {
  if (request_.fields.size() + 1 > limits_.max_lines) {
    fail(head_too_large(limits_));
    return;
  }
  const std::size_t lengths = request_.count("content-length");
  const std::size_t encodings = request_.count("transfer-encoding");
  if (lengths > 1 || encodings > 1 || (lengths == 1 && encodings == 1)) {
    fail(refuse("the length of the body is stated twice"));
  } else if (encodings == 1 && lower_case(*request_.header("transfer-encoding")) != "chunked") {
    fail(refuse("the only transfer encoding is chunked"));
  } else if (request_.count("host") > 1 || (request_.http_1_1 && request_.count("host") == 0)) {
    fail(refuse("a request needs one Host field"));
  } else if (request_.path.empty() || request_.path.front() != '/') {
    fail(refuse("the target of a request is a path"));
  } else if (const auto expect = request_.header("expect")) {
    if (lower_case(*expect) != "100-continue") {
      fail(refuse(wire::HttpCode::expectation_failed, "the only expectation is 100-continue"));
    }
    request_.expects_continue = request_.http_1_1;
  }
}

}  // namespace annals::server
