#include "cli/streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ostream>
#include <string>

#include "testing/fd.hpp"

namespace annals::cli {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    read = test::Fd(ends[0]);
    write = test::Fd(ends[1]);
  }
  test::Fd read;
  test::Fd write;
};

TEST(DescriptorBuffer, WritesAtFlushAndAtTheEnd) {
  Pipe pipe;
  {
    DescriptorBuffer buffer(pipe.write.get());
    std::ostream out(&buffer);
    out << "one" << std::flush << "two";
    EXPECT_TRUE(out.good());
  }
  pipe.write.reset();
  std::array<char, 16> read{};
  const auto got = ::read(pipe.read.get(), read.data(), read.size());
  ASSERT_GT(got, 0);
  std::string text(read.data(), static_cast<std::size_t>(got));
  if (text == "one") {
    const auto more = ::read(pipe.read.get(), read.data(), read.size());
    text.append(read.data(), static_cast<std::size_t>(more));
  }
  EXPECT_EQ(text, "onetwo");
}

TEST(DescriptorBuffer, AReaderGoneAwayIsToldApartFromAFullDisk) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.read.reset();
  DescriptorBuffer closed(pipe.write.get());
  std::ostream out(&closed);
  out << "text" << std::flush;
  EXPECT_FALSE(out.good());
  EXPECT_EQ(closed.error(), EPIPE);

  test::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  DescriptorBuffer disk(full.get());
  std::ostream to_disk(&disk);
  to_disk << std::string(200'000, 'x');
  EXPECT_FALSE(to_disk.good()) << "noticed while writing, not only at the end";
  EXPECT_EQ(disk.error(), ENOSPC);
}

TEST(DescriptorBuffer, LargeTextsArriveWhole) {
  const std::string text(300'000, 'y');
  const std::string file =
      ::testing::TempDir() + "annals_streams_test." + std::to_string(::getpid());
  test::Fd target(::open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ASSERT_TRUE(target);
  ::unlink(file.c_str());
  {
    DescriptorBuffer buffer(target.get());
    std::ostream out(&buffer);
    for (const char c : text)
      out.put(c);
    EXPECT_TRUE(out.flush().good());
    EXPECT_EQ(buffer.error(), 0);
  }
  std::string read(text.size() + 1, '\0');
  const auto got = ::pread(target.get(), read.data(), read.size(), 0);
  ASSERT_EQ(got, static_cast<ssize_t>(text.size()));
  read.resize(text.size());
  EXPECT_EQ(read, text);
}

}  // namespace
}  // namespace annals::cli
