#include "log/verify/findings.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/hash.hpp"

namespace annals::log {

namespace {

constexpr std::string_view could_not_verify_name = "could_not_verify";

std::string prev_text(const std::optional<Digest>& hash) {
  return hash ? to_hex(*hash) : std::string{};
}

}  // namespace

Findings::Findings(std::size_t limit) : limit_(std::max<std::size_t>(limit, 2)) {}

void Findings::add(Finding finding) {
  ++count_;
  bool& listed_before =
      finding.verdict == could_not_verify_name ? has_could_not_verify_ : has_proven_;
  if (listed_.size() < limit_) {
    listed_.push_back(std::move(finding));
  } else if (!listed_before) {
    listed_.back() = std::move(finding);
  }
  listed_before = true;
}

void Findings::merge(Findings&& other) {
  const std::uint64_t unlisted = other.count_ - other.listed_.size();
  for (auto& finding : other.listed_)
    add(std::move(finding));
  count_ += unlisted;
  other.listed_.clear();
  other.count_ = 0;
}

std::vector<Finding> Findings::take() {
  std::ranges::sort(listed_, [](const Finding& left, const Finding& right) {
    const auto key = [](const Finding& finding) {
      return std::tuple(finding.seq == 0, finding.seq, std::string_view(finding.verdict),
                        std::string_view(finding.what), std::string_view(finding.stream));
    };
    return key(left) < key(right);
  });
  return std::exchange(listed_, {});
}

Finding tampered(std::string what, Place place, Mismatch mismatch) {
  return {.verdict = "tampered",
          .what = std::move(what),
          .stream = std::string(place.stream),
          .seq = place.seq,
          .expected = std::move(mismatch.expected),
          .actual = std::move(mismatch.actual)};
}

Finding state_mismatch(std::string what, Mismatch mismatch) {
  return {.verdict = "state_mismatch",
          .what = std::move(what),
          .expected = std::move(mismatch.expected),
          .actual = std::move(mismatch.actual)};
}

Finding could_not_verify(std::string what, Place place, Mismatch mismatch) {
  return {.verdict = std::string(could_not_verify_name),
          .what = std::move(what),
          .stream = std::string(place.stream),
          .seq = place.seq,
          .expected = std::move(mismatch.expected),
          .actual = std::move(mismatch.actual)};
}

Mismatch numbers(std::uint64_t expected, std::uint64_t actual) {
  return {std::to_string(expected), std::to_string(actual)};
}

Mismatch hashes(const Digest& expected, const Digest& actual) {
  return {to_hex(expected), to_hex(actual)};
}

void add_record_fault(Findings& findings, Place place, const RecordFault& fault) {
  if (fault.header) findings.add(tampered("header", place, *fault.header));
  if (fault.meta) findings.add(tampered("meta", place, *fault.meta));
  if (fault.payload) findings.add(tampered("payload", place, *fault.payload));
}

void add_link_fault(Findings& findings, Place place, LinkVerdict verdict, const ChainEnd* end,
                    const Link& link) {
  if (verdict == LinkVerdict::wrong_number) {
    const std::uint64_t next = end == nullptr ? 1 : end->version + 1;
    findings.add(tampered("link", place, numbers(next, link.stream_seq.value_or(0))));
    return;
  }
  Finding finding = tampered("link", place, {});
  if (verdict == LinkVerdict::forked) {
    finding.verdict = "forked";
    finding.what = "number " + std::to_string(link.stream_seq.value_or(0)) + " twice";
  }
  finding.expected = end == nullptr ? std::string{} : to_hex(end->hash);
  finding.actual = prev_text(link.prev_hash);
  findings.add(std::move(finding));
}

bool only_link_changed(const RecordFault& fault, const ChainEnd* end, const Digest& row_hash) {
  if (!fault.header) return false;
  const std::optional<Digest> prev = end == nullptr ? std::nullopt : std::optional(end->hash);
  return core::row_hash(prev, fault.header_bytes) == row_hash;
}

}  // namespace annals::log
