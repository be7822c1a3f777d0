#include "client/response_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::client {
namespace {

const std::string counted = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA-b: c\r\n\r\nhello";
const std::string chunked =
    "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\n";

std::string body_in_pieces(ResponseReader& reader, const std::string& bytes, std::size_t size) {
  std::string body;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    EXPECT_TRUE(reader.feed(std::string_view(bytes).substr(at, size)));
    body += reader.take_body();
  }
  return body;
}

TEST(ResponseReader, ReadsBodiesOfEitherFramingCutAnywhere) {
  for (const std::string& bytes : {counted, chunked}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
      ResponseReader reader;
      EXPECT_EQ(body_in_pieces(reader, bytes, size), "hello") << size;
      EXPECT_TRUE(reader.complete());
      EXPECT_TRUE(reader.keeps_alive());
    }
  }
}

TEST(ResponseReader, TheHeadIsThereBeforeTheBody) {
  ResponseReader reader;
  EXPECT_FALSE(reader.begun());
  ASSERT_TRUE(reader.feed(counted.substr(0, 20)));
  EXPECT_TRUE(reader.begun());
  EXPECT_FALSE(reader.head_complete());
  ASSERT_TRUE(reader.feed(counted.substr(20, counted.size() - 25)));
  ASSERT_TRUE(reader.head_complete());
  EXPECT_EQ(reader.status(), 200);
  EXPECT_EQ(reader.header("a-B"), "c");
  EXPECT_EQ(reader.header("absent"), "");
  EXPECT_FALSE(reader.complete());
}

TEST(ResponseReader, ABodyThatBreaksOffIsNotComplete) {
  for (const std::string& bytes : {counted, chunked}) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ResponseReader reader;
      ASSERT_TRUE(reader.feed(bytes.substr(0, size)));
      EXPECT_FALSE(reader.finish()) << size;
    }
  }
}

TEST(ResponseReader, ABodyMayEndWithTheConnection) {
  ResponseReader reader;
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"));
  EXPECT_FALSE(reader.complete());
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(reader.take_body(), "hello");
  EXPECT_FALSE(reader.keeps_alive());
}

TEST(ResponseReader, WhatIsNoHttpIsTold) {
  for (const std::string& bytes :
       {std::string("SSH-2.0-x\r\n\r\n"), std::string("\x15\x03\x01\r\n\r\n"),
        "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n"}) {
    ResponseReader reader;
    EXPECT_FALSE(reader.feed(bytes));
  }
}

}  // namespace
}  // namespace annals::client
