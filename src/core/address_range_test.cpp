#include "annals/address_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace annals {
namespace {

IpAddress address(std::string_view text) {
  const auto read = parse_ip_address(text);
  EXPECT_TRUE(read) << text;
  return read.value_or(IpAddress{});
}

AddressRange range(std::string_view text) {
  const auto read = parse_address_range(text);
  EXPECT_TRUE(read) << text << ": " << (read ? "" : read.error().detail);
  return read.value_or(AddressRange{});
}

TEST(IpAddress, IsReadAndPrintedInTheCanonicalForm) {
  const std::vector<std::pair<const char*, const char*>> forms{
      {"10.0.0.1", "10.0.0.1"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"2001:DB8::00ff", "2001:db8::ff"},
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"64:ff9b::10.0.0.1", "64:ff9b::a00:1"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"::ffff:10.0.0.1", "10.0.0.1"},
      {"::ffff:a00:1", "10.0.0.1"},
  };
  for (const auto& [text, printed] : forms) {
    EXPECT_EQ(to_string(address(text)), printed) << text;
    EXPECT_EQ(address(printed), address(text)) << text;
  }
  EXPECT_TRUE(address("::ffff:10.0.0.1").is_v4());
  EXPECT_FALSE(address("::10.0.0.1").is_v4());
  EXPECT_EQ(address("1.2.3.4").bytes,
            (std::array<std::uint8_t, 16>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4}));
  EXPECT_EQ(address("102:304:506:708:90a:b0c:d0e:f10").bytes,
            (std::array<std::uint8_t, 16>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
}

TEST(IpAddress, AnythingElseIsRefused) {
  for (const char* text : {"",
                           " ",
                           "10",
                           "10.0.0",
                           "10.0.0.0.1",
                           "10.0.0.256",
                           "10.0.0.01",
                           "10.0.0.",
                           ".10.0.0",
                           "10..0.1",
                           "0x10.0.0.1",
                           "10.0.0.1 ",
                           "+1.0.0.0",
                           "-1.0.0.0",
                           "10.0.0.1:80",
                           "a.b.c.d",
                           ":",
                           ":::",
                           "1",
                           "1:",
                           ":1",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "1::2::3",
                           "12345::",
                           "g::",
                           "::1%eth0",
                           "[::1]",
                           "::1 ",
                           "1:2:3:4:5:6:7::8",
                           "1.2.3.4::",
                           "1.2.3.4:5::6",
                           "::1.2.3.4:5",
                           "::1.2.3",
                           "::1.2.3.400",
                           "1:2:3:4:5:6:7:1.2.3.4",
                           "::-1",
                           "localhost"}) {
    EXPECT_FALSE(parse_ip_address(text)) << text;
  }
}

TEST(AddressRange, RoundTrips) {
  for (const char* text : {"10.0.0.0/8", "0.0.0.0/0", "192.168.1.128/25", "10.0.0.1/32", "::/0",
                           "2001:db8::/32", "2001:db8::1/128", "fe80::/10"}) {
    EXPECT_EQ(to_string(range(text)), text);
  }
  EXPECT_EQ(to_string(range("10.0.0.1")), "10.0.0.1/32");
  EXPECT_EQ(to_string(range("::1")), "::1/128");
  EXPECT_EQ(range("10.0.0.0/8").prefix_bits, 104);
}

TEST(AddressRange, AnythingElseIsRefused) {
  for (const char* text : {"",
                           "/",
                           "/8",
                           "10.0.0.0/",
                           "10.0.0.0/33",
                           "10.0.0.0/08",
                           "10.0.0.0/8 ",
                           "10.0.0.0/-1",
                           "10.0.0.0/8/8",
                           "10/8",
                           "::/129",
                           "::/",
                           "10.0.0.1/8",
                           "0.0.0.1/0",
                           "2001:db8::1/32",
                           "10.0.0.128/24",
                           "::ffff:10.0.0.0/104",
                           "::ffff:10.0.0.1",
                           "10.0.0.0-10.0.0.9",
                           "*"}) {
    const auto read = parse_address_range(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid_request) << text;
    EXPECT_FALSE(read.error().detail.empty());
  }
}

TEST(AddressRange, ContainsWhatSharesItsBits) {
  const auto contains = [](const char* in, const char* what) {
    return range(in).contains(address(what));
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_FALSE(contains("10.0.0.0/8", "9.255.255.255"));
  EXPECT_TRUE(contains("10.0.0.0/8", "::ffff:10.1.2.3")) << "as a socket of both reports it";
  EXPECT_TRUE(contains("192.168.1.128/25", "192.168.1.129"));
  EXPECT_FALSE(contains("192.168.1.128/25", "192.168.1.127"));
  EXPECT_TRUE(contains("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(contains("10.0.0.1", "10.0.0.0"));
  EXPECT_TRUE(contains("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
  EXPECT_TRUE(contains("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(contains("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(contains("::/0", "2001:db8::1"));
  EXPECT_FALSE(contains("::/0", "10.0.0.1")) << "IPv4 is in no range of IPv6";
  EXPECT_FALSE(contains("::/64", "0.0.0.1"));
}

}  // namespace
}  // namespace annals
