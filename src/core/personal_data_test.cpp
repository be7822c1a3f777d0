#include "core/personal_data.hpp"

#include <gmock/gmock.h>

namespace annals::core {
namespace {

TEST(PersonalData, MailAddressesAreSeenInsideOtherText) {
  for (const char* text : {"alex@example.com", "user/alex.b+x@mail.example.org",
                           "<robin@example.net>", "a@b@sam@example.com", "to sam@example.com."}) {
    EXPECT_TRUE(looks_like_mail_address(text)) << text;
  }
  for (const char* text : {"", "@", "alex@", "@example.com", "alex@localhost", "alex@.com",
                           "octo/app@1.2.3", "a @example.com", "example.com"}) {
    EXPECT_FALSE(looks_like_mail_address(text)) << text;
  }
}

TEST(PersonalData, EveryHeaderMemberIsLookedAt) {
  const std::string mail = "alex@example.com";
  EXPECT_THAT(personal_header_members(mail, mail, {mail, mail, mail}, {mail, mail, {}}),
              testing::ElementsAre("/source", "/stream", "/scope/space_id", "/scope/channel_id",
                                   "/scope/thread_id", "/resource/kind", "/resource/id"));
  EXPECT_THAT(personal_header_members("web", "order-1", {}, {"order", "7", {}}),
              testing::IsEmpty());
}

}  // namespace
}  // namespace annals::core
