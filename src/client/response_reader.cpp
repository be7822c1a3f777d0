#include "client/response_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

namespace annals::client {

namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t max_head_bytes = std::uint32_t{64} * 1024;

/// True when the text may be how an answer begins.
bool is_beginning(std::string_view text) {
  constexpr std::string_view version = "HTTP/1.";
  return version.starts_with(text.substr(0, version.size()));
}

}  // namespace

class ResponseReader::Impl {
 public:
  Impl() {
    parser_.eager(true);
    parser_.header_limit(max_head_bytes);
    // Whoever takes the body piece by piece bounds it.
    parser_.body_limit(boost::none);
  }

  bool feed(std::string_view bytes) {
    begun_ = begun_ || !bytes.empty();
    unread_ += bytes;
    // The parser would wait for more of what can become no answer any more.
    if (!parser_.got_some() && !is_beginning(unread_)) return false;
    std::size_t used = 0;
    while (used < unread_.size() && !parser_.is_done()) {
      boost::system::error_code error;
      const std::size_t taken =
          parser_.put(boost::asio::buffer(unread_.data() + used, unread_.size() - used), error);
      used += taken;
      if (error == http::error::need_more) break;
      if (error) return false;
      if (taken == 0) break;
    }
    unread_.erase(0, used);
    return true;
  }

  bool finish() {
    if (parser_.is_done()) return true;
    boost::system::error_code error;
    if (parser_.got_some()) parser_.put_eof(error);
    return !error && parser_.is_done();
  }

  [[nodiscard]] bool begun() const noexcept { return begun_; }
  [[nodiscard]] const http::response_parser<http::string_body>& parser() const { return parser_; }

  std::string take_body() { return std::exchange(parser_.get().body(), {}); }

 private:
  http::response_parser<http::string_body> parser_;
  std::string unread_;
  bool begun_ = false;
};

ResponseReader::ResponseReader() : impl_(std::make_unique<Impl>()) {}
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;
ResponseReader::~ResponseReader() = default;

bool ResponseReader::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}

bool ResponseReader::finish() {
  return impl_->finish();
}

bool ResponseReader::begun() const noexcept {
  return impl_->begun();
}

bool ResponseReader::head_complete() const {
  return impl_->parser().is_header_done();
}

bool ResponseReader::complete() const {
  return impl_->parser().is_done();
}

int ResponseReader::status() const {
  return static_cast<int>(impl_->parser().get().result_int());
}

std::string ResponseReader::header(std::string_view name) const {
  const auto& fields = impl_->parser().get();
  const auto found = fields.find(boost::beast::string_view(name.data(), name.size()));
  if (found == fields.end()) return {};
  return {found->value().data(), found->value().size()};
}

bool ResponseReader::keeps_alive() const {
  return impl_->parser().keep_alive();
}

std::string ResponseReader::take_body() {
  return impl_->take_body();
}

}  // namespace annals::client
