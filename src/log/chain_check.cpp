#include "log/chain_check.hpp"

#include <string_view>
#include <utility>

#include "core/canonical.hpp"
#include "core/hash.hpp"

namespace annals::log {

namespace {

std::string hex_or_empty(const std::optional<Digest>& digest) {
  return digest ? to_hex(*digest) : std::string{};
}

/// What a part's digest must be, and what it is. Absent parts are right.
std::optional<Mismatch> check_part(const std::optional<Digest>& promised,
                                   const std::optional<Part>& part,
                                   std::optional<Digest>& computed) {
  if (!part) return std::nullopt;
  computed = core::part_digest(part->salt, part->bytes);
  if (promised == computed) return std::nullopt;
  return Mismatch{hex_or_empty(promised), to_hex(*computed)};
}

std::optional<Mismatch> check_meta_content(const Record& record) {
  if (!record.meta) return std::nullopt;
  const auto meta = meta_of(record);
  if (!meta) return Mismatch{"canonical meta", meta.error().detail};
  if (meta->empty()) return Mismatch{"no meta part", "an empty one"};
  const bool has_audience = meta->audience.has_value();
  if (has_audience == record.header.is_private) return std::nullopt;
  return Mismatch{record.header.is_private ? "an audience" : "no audience",
                  has_audience ? "an audience" : "no audience"};
}

void append_prefix(std::string& buffer, const std::optional<Digest>& prev_hash) {
  buffer.clear();
  if (prev_hash) {
    buffer.append(reinterpret_cast<const char*>(prev_hash->data()), prev_hash->size());
  }
}

}  // namespace

std::unique_ptr<RecordFault> RecordChecker::check(const Record& record) {
  std::optional<Digest> payload_digest;
  std::optional<Digest> meta_digest;
  std::optional<Mismatch> payload;
  std::optional<Mismatch> meta;
  if (!derives_digests_) {
    payload = check_part(record.header.payload_digest, record.payload, payload_digest);
    meta = check_part(record.header.meta_digest, record.meta, meta_digest);
  }

  append_prefix(buffer_, record.prev_hash);
  const std::size_t prefix = buffer_.size();
  core::append_header_bytes(buffer_, record.header);
  const Digest computed = core::blake3(buffer_);
  std::optional<Mismatch> header;
  std::string header_bytes;
  if (computed != record.row_hash) {
    header = Mismatch{to_hex(record.row_hash), to_hex(computed)};
    header_bytes = buffer_.substr(prefix);
    // With the digests that the parts really have it may be right: then the header's copy of the
    // digest was changed, not the part.
    Header repaired = record.header;
    if (payload) repaired.payload_digest = *payload_digest;
    if (meta) repaired.meta_digest = meta_digest;
    if ((payload || meta) &&
        core::row_hash(record.prev_hash, core::header_bytes(repaired)) == record.row_hash) {
      payload.reset();
      meta.reset();
    }
  }
  if (!meta) meta = check_meta_content(record);
  if (!header && !payload && !meta) return nullptr;
  return std::make_unique<RecordFault>(
      RecordFault{std::move(header), std::move(payload), std::move(meta), std::move(header_bytes)});
}

bool payload_erased(const Record& record) noexcept {
  return !record.payload;
}

bool meta_erased(const Record& record) noexcept {
  return !record.meta && record.header.meta_digest.has_value();
}

LinkVerdict check_link(const ChainEnd* end, const Link& link) noexcept {
  const std::uint64_t next = end == nullptr ? 1 : end->version + 1;
  if (link.stream_seq == next) {
    const std::optional<Digest> expected =
        end == nullptr ? std::nullopt : std::optional<Digest>{end->hash};
    return link.prev_hash == expected ? LinkVerdict::ok : LinkVerdict::wrong_hash;
  }
  const bool sibling = end != nullptr && end->seq != 0 && link.stream_seq == end->version &&
                       link.prev_hash == end->prev_hash;
  return sibling ? LinkVerdict::forked : LinkVerdict::wrong_number;
}

LinkVerdict check_unchained(const Link& link) noexcept {
  if (link.stream_seq) return LinkVerdict::wrong_number;
  return link.prev_hash ? LinkVerdict::wrong_hash : LinkVerdict::ok;
}

}  // namespace annals::log
