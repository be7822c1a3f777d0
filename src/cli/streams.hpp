#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <ostream>
#include <streambuf>

namespace annals::cli {

/// Buffered output to a file descriptor it does not own, which tells a reader that has gone away
/// from a disk that is full. Used on one thread.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
  /// Writes what is left; errors are lost.
  ~DescriptorBuffer() override;

  /// The `errno` of the first write that failed; 0 when none did.
  [[nodiscard]] int error() const noexcept { return error_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  bool write_out();

  int descriptor_;
  int error_ = 0;
  std::array<char, std::size_t{64} * 1024> buffer_{};
};

/// The three streams of the process as the commands see them. The referred streams outlive it.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;      ///< Standard output takes colours.
  std::size_t columns = 80;  ///< Width of the terminal.
};

}  // namespace annals::cli
