#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace annals::store::index {

// Numbers in the files of the index: little-endian, of a fixed size.

template <typename Number>
void set_number(std::string& out, std::size_t position, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    out[position + i] = static_cast<char>((value >> (8 * i)) & 0xffU);
}

template <typename Number>
[[nodiscard]] Number get_number(std::string_view bytes, std::size_t position) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value |= static_cast<Number>(static_cast<unsigned char>(bytes[position + i])) << (8 * i);
  return value;
}

template <typename Number>
void put_number(std::string& out, Number value) {
  out.append(sizeof(Number), '\0');
  set_number(out, out.size() - sizeof(Number), value);
}

inline void put_u32(std::string& out, std::uint32_t value) {
  put_number(out, value);
}
inline void set_u32(std::string& out, std::size_t position, std::uint32_t value) {
  set_number(out, position, value);
}
[[nodiscard]] inline std::uint32_t get_u32(std::string_view bytes, std::size_t position) {
  return get_number<std::uint32_t>(bytes, position);
}

/// Seven bits a byte, the lowest first.
inline void put_varint(std::string& out, std::uint32_t value) {
  while (value >= 0x80U) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

/// The varint at `position`, which moves behind it. Stops at the end of `bytes`.
[[nodiscard]] inline std::uint32_t take_varint(std::string_view bytes, std::size_t& position) {
  std::uint32_t value = 0;
  for (unsigned shift = 0; position < bytes.size() && shift < 32; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[position++]);
    value |= static_cast<std::uint32_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) break;
  }
  return value;
}

}  // namespace annals::store::index
