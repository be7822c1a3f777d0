#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

const std::string event = R"({"type":"a.b"})";  // 0xe bytes
const std::string post =
    "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";

class Chunks : public testing::Test {
 public:
  RunningServer server{Backend::memory};

  /// The status of the answer to these bytes; the server has to live on, and to close the
  /// connection when it could not tell where the next request begins.
  int status(const std::string& bytes) const {
    HttpClient client{server.port()};
    client.send(bytes);
    const auto answer = client.read_response();
    if (answer.status == 400) {
      EXPECT_EQ(answer.header("connection"), "close");
      EXPECT_EQ(client.read_to_end(), "") << "nothing behind a malformed body is answered";
    }
    EXPECT_EQ(server.get("/healthz").status, 200);
    return answer.status;
  }
};

TEST_F(Chunks, OfEveryLawfulFormAreRead) {
  const std::vector<std::string> bodies{
      "e\r\n" + event + "\r\n0\r\n\r\n",
      "E\r\n" + event + "\r\n0\r\n\r\n",
      "0000000000000000000000e\r\n" + event + "\r\n000\r\n\r\n",
      "e;name=value;other=\"quoted\"\r\n" + event + "\r\n0;last\r\n\r\n",
      "e\r\n" + event + "\r\n0\r\nX-Trailer: y\r\n\r\n",
  };
  for (const std::string& body : bodies)
    EXPECT_EQ(status(chunked + body), 201) << body;
  std::string tiny;
  for (const char c : event)
    tiny += std::string("1\r\n") + c + "\r\n";
  EXPECT_EQ(status(chunked + tiny + "0\r\n\r\n"), 201);
  EXPECT_EQ(status(post + "TRANSFER-ENCODING: Chunked\r\n\r\n" + bodies.front()), 201);
}

TEST_F(Chunks, OfEveryOtherFormAreRefused) {
  const std::string rest = "\r\n" + event + "\r\n0\r\n\r\n";
  for (const char* size :
       {"-e", "+e", "0xe", " e", "e ", "", "g", "1000000000000000e", "ffffffffffffffffffff"}) {
    EXPECT_EQ(status(chunked + size + rest), 400) << size;
  }
  EXPECT_EQ(status(chunked + "e\r\n" + event + "0\r\n\r\n"), 400) << "no line end behind it";
  EXPECT_EQ(status(chunked + "d\r\n" + event + "\r\n0\r\n\r\n"), 400) << "longer than it says";
  EXPECT_EQ(status(chunked + "e;x=" + std::string(200'000, 'y') + rest), 400)
      << "endless extension";
  std::string trailers;
  for (int i = 0; i < 50'000; ++i)
    trailers += "X: y\r\n";
  EXPECT_EQ(status(chunked + "e\r\n" + event + "\r\n0\r\n" + trailers + "\r\n"), 400);
}

TEST_F(Chunks, OtherEncodingsAreRefused) {
  const std::string body = "e\r\n" + event + "\r\n0\r\n\r\n";
  for (const char* fields :
       {"Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding:\vchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding : chunked", "Content-Length: 14, 15",
        "Content-Length: +14", "Content-Length: 0xe",
        "Content-Length: 14\r\nTransfer-Encoding: chunked"}) {
    EXPECT_EQ(status(post + fields + "\r\n\r\n" + body), 400) << fields;
  }
}

TEST_F(Chunks, ARequestBehindABodyIsItsOwn) {
  HttpClient client{server.port()};
  client.send(chunked + "e\r\n" + event +
              "\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 201);
  EXPECT_EQ(client.read_response().body, R"({"status":"ok"})");
}

TEST_F(Chunks, ABodyThatIsTooLargeIsAnsweredWhileItArrives) {
  HttpClient client{server.port()};
  client.send(chunked);
  const std::string piece = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
  for (int i = 0; i < 10; ++i)
    client.send(piece);
  EXPECT_EQ(client.read_response().status, 413);
}

TEST_F(Chunks, AnOldClientIsAnsweredAndLetGo) {
  HttpClient client{server.port()};
  std::string old = chunked;
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  client.send(old + "e\r\n" + event + "\r\n0\r\n\r\n");
  const auto answer = client.read_response();
  EXPECT_EQ(answer.status, 201);
  EXPECT_TRUE(client.at_end()) << "HTTP/1.0 knows no chunks: what follows is not trusted";
}

TEST(ChunkTimes, AChunkThatNeverEndsIsGivenUp) {
  server::ServerOptions options;
  options.body_timeout = std::chrono::milliseconds{100};
  const RunningServer server{Backend::memory, options};
  for (const std::string& bytes : {"e\n" + event + "\n0\n\n", std::string("e\r\n{\"type\""),
                                   "e\r\n" + event + "\r\n0\r\n", std::string("e")}) {
    HttpClient client{server.port()};
    client.send(chunked + bytes);
    EXPECT_EQ(client.read_response().status, 408) << bytes;
    EXPECT_TRUE(client.at_end());
  }
}

}  // namespace
}  // namespace annals::test
