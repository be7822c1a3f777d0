#include "server/request_parser.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::server {
namespace {

constexpr HeadLimits limits{1024, 10};

/// Feeds `text` in pieces of `piece` bytes, as a connection does; the body, or the status of the
/// refusal.
std::string parse(const std::string& text, std::size_t piece = 1, std::size_t* left = nullptr) {
  RequestParser parser{limits};
  std::string buffer;
  std::string body;
  std::size_t at = 0;
  while (!parser.done() && !parser.failure()) {
    const std::size_t used = parser.put(buffer);
    buffer.erase(0, used);
    body += parser.take_body();
    if (parser.done() || parser.failure()) break;
    if (used != 0 && !buffer.empty()) continue;
    if (at >= text.size()) return "unfinished";
    buffer += text.substr(at, piece);
    at += piece;
  }
  if (left != nullptr) *left = buffer.size() + text.size() - std::min(at, text.size());
  return parser.failure() ? std::to_string(parser.failure()->status) : "body:" + body;
}

const std::string post = "POST /v1/events?a=b HTTP/1.1\r\nHost: x\r\n";

TEST(RequestParser, IsTheSameForEveryPieceSize) {
  const std::string chunked = post +
                              "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;n=v\r\nde\r\n"
                              "0\r\nTrailer: x\r\n\r\n";
  const std::string sized = post + "Content-Length: 5\r\n\r\nabcde";
  for (std::size_t piece = 1; piece <= chunked.size(); ++piece) {
    EXPECT_EQ(parse(chunked, piece), "body:abcde") << piece;
    EXPECT_EQ(parse(sized, piece), "body:abcde") << piece;
  }
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
  std::size_t left = 0;
  EXPECT_EQ(parse(post + "Content-Length: 2\r\n\r\nabGET /", 1000, &left), "body:ab");
  EXPECT_EQ(left, 5U);
}

TEST(RequestParser, GivesTheHead) {
  RequestParser parser{limits};
  parser.put(post + "X-Api-Key:  k  \r\nContent-Length: 7\r\nExpect: 100-Continue\r\n\r\n");
  ASSERT_TRUE(parser.head_done());
  const Request& request = parser.request();
  EXPECT_EQ(request.method, Method::post);
  EXPECT_EQ(request.path, "/v1/events");
  EXPECT_EQ(request.query, "a=b");
  EXPECT_EQ(request.header("x-api-key"), "k");
  EXPECT_EQ(request.content_length, 7U);
  EXPECT_TRUE(request.expects_continue);
  EXPECT_TRUE(request.keep_alive);
  EXPECT_TRUE(request.has_body());
}

TEST(RequestParser, AnAnnouncedLengthReservesNothing) {
  EXPECT_EQ(parse(post + "Content-Length: 9007199254740992\r\n\r\nabc"), "unfinished");
}

TEST(RequestParser, RefusesWhatIsAmbiguousOrMalformed) {
  EXPECT_EQ(parse(post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na"), "400");
  EXPECT_EQ(parse(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na"), "400");
  EXPECT_EQ(parse(post + "Transfer-Encoding: identity\r\n\r\n"), "400");
  EXPECT_EQ(parse(post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), "400");
  EXPECT_EQ(parse(post + "Host: y\r\n\r\n"), "400");
  EXPECT_EQ(parse("GET / HTTP/1.1\r\n\r\n"), "400");
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n"), "body:");
  EXPECT_EQ(parse("GET * HTTP/1.1\r\nHost: x\r\n\r\n"), "400");
  EXPECT_EQ(parse("GET / HTTP/1.1\nHost: x\n\n"), "unfinished") << "lines end with CR LF";
  EXPECT_EQ(parse(post + "Expect: x\r\n\r\n"), "417");
  EXPECT_EQ(parse(post + "A: " + std::string(1024, 'a') + "\r\n\r\n"), "431");
  std::string lines;
  for (int i = 0; i < 9; ++i)
    lines += "A: b\r\n";
  EXPECT_EQ(parse(post + lines + "\r\n"), "431");
}

}  // namespace
}  // namespace annals::server
