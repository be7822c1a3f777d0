#include "wire/resource_subject.hpp"

#include <gtest/gtest.h>

#include <string>

namespace annals::wire {
namespace {

Resource resource(std::optional<std::string> kind, std::optional<std::string> id) {
  return {std::move(kind), std::move(id), std::nullopt};
}

TEST(ResourceSubject, IsTheKindAndTheId) {
  EXPECT_EQ(subject_of(resource("order", "1")), "order/1");
  EXPECT_EQ(subject_of(resource("order", "a/b%")), "order/a/b%");
  EXPECT_EQ(subject_of(resource("a/b%", "1")), "a%2Fb%25/1");
}

TEST(ResourceSubject, WithoutAnIdEndsWithTheSlash) {
  EXPECT_EQ(subject_of(resource("order", std::nullopt)), "order/");
}

TEST(ResourceSubject, IsAbsentWhenNothingIsNamed) {
  EXPECT_EQ(subject_of(resource("event", std::nullopt)), std::nullopt);
  EXPECT_EQ(subject_of(resource("event", "1")), "event/1");
  EXPECT_EQ(subject_of(Resource{}), std::nullopt);
}

TEST(ResourceSubject, IsReadBack) {
  for (const Resource& one : {resource("order", "1"), resource("a/b%2F", "c/d%41"),
                              resource("order", std::nullopt), resource("event", "1")}) {
    EXPECT_EQ(parse_subject(*subject_of(one)), one) << *subject_of(one);
  }
}

TEST(ResourceSubject, RefusesWhatNamesNoKind) {
  for (const char* text : {"", "picture.jpg", "/1", "/", "a%zz/1", "%/1"}) {
    EXPECT_EQ(parse_subject(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace annals::wire
