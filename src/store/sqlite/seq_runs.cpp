#include "store/sqlite/seq_runs.hpp"

#include <charconv>

#include "annals/record.hpp"

namespace annals::store::sqlite {
namespace {

/// No request has more events; a damaged run must not fill the memory.
constexpr std::size_t max_numbers = 100'000;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool append_run(std::vector<std::uint64_t>& seqs, std::string_view run) {
  const auto dash = run.find('-');
  const auto first = number(run.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(run.substr(dash + 1));
  if (!first || !last || *last < *first || *last > max_seq) return false;
  if (*last - *first >= max_numbers - seqs.size()) return false;
  for (auto seq = *first; seq <= *last; ++seq)
    seqs.push_back(seq);
  return true;
}

}  // namespace

std::string encode_seqs(const std::vector<std::uint64_t>& seqs) {
  std::string text;
  for (std::size_t first = 0; first < seqs.size();) {
    std::size_t last = first;
    while (last + 1 < seqs.size() && seqs[last + 1] == seqs[last] + 1)
      ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(seqs[first]);
    if (last != first) text += '-' + std::to_string(seqs[last]);
    first = last + 1;
  }
  return text;
}

std::optional<std::vector<std::uint64_t>> decode_seqs(std::string_view text) {
  std::vector<std::uint64_t> seqs;
  while (!text.empty()) {
    const auto comma = text.find(',');
    if (!append_run(seqs, text.substr(0, comma))) return std::nullopt;
    if (comma == std::string_view::npos) return seqs;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return seqs;
}

}  // namespace annals::store::sqlite
