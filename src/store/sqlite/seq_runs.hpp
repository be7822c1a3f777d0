#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::store::sqlite {

/// Text of a list of numbers: numbers and ascending runs in the list's order, `17-1016,3`.
[[nodiscard]] std::string encode_seqs(const std::vector<std::uint64_t>& seqs);

/// Reads what `encode_seqs` writes, up to 100,000 numbers; `nullopt` for anything else.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> decode_seqs(std::string_view text);

}  // namespace annals::store::sqlite
