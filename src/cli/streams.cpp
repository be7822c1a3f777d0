#include "cli/streams.hpp"

#include <unistd.h>

#include <cerrno>

namespace annals::cli {

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

DescriptorBuffer::~DescriptorBuffer() {
  write_out();
}

bool DescriptorBuffer::write_out() {
  const char* next = pbase();
  while (error_ == 0 && next != pptr()) {
    const auto written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
    if (written >= 0) {
      next += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (!write_out()) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
  }
  return traits_type::not_eof(character);
}

int DescriptorBuffer::sync() {
  return write_out() ? 0 : -1;
}

}  // namespace annals::cli
