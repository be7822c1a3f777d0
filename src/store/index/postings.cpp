#include "store/index/postings.hpp"

#include <algorithm>
#include <utility>

#include "store/index/bytes.hpp"

// Form: the number of offsets as a varint. When there is more than one chunk of 256, a table with
// the first offset of each chunk and where its rest begins; else the first offset as a varint. Then
// the rests: the distance to the offset before, less one, as varints.

namespace annals::store::index {
namespace {

constexpr std::size_t per_chunk = 256;
constexpr std::size_t table_entry = 8;

std::size_t chunks_for(std::size_t size) {
  return (size + per_chunk - 1) / per_chunk;
}

void pack_rest(std::string& out, std::span<const std::uint32_t> part) {
  for (std::size_t i = 1; i < part.size(); ++i)
    put_varint(out, part[i] - part[i - 1] - 1);
}

}  // namespace

void Postings::pack(std::string& out, std::span<const std::uint32_t> offsets) {
  put_varint(out, static_cast<std::uint32_t>(offsets.size()));
  const auto chunks = chunks_for(offsets.size());
  if (chunks == 1) {
    put_varint(out, offsets.front());
    pack_rest(out, offsets);
    return;
  }
  const auto table = out.size();
  out.append(chunks * table_entry, '\0');
  const auto rests = out.size();
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const auto begin = chunk * per_chunk;
    const auto part = offsets.subspan(begin, std::min(per_chunk, offsets.size() - begin));
    set_u32(out, table + chunk * table_entry, part.front());
    set_u32(out, table + chunk * table_entry + 4, static_cast<std::uint32_t>(out.size() - rests));
    pack_rest(out, part);
  }
}

std::optional<Postings> Postings::unpack(std::string bytes) {
  std::size_t position = 0;
  const std::size_t size = take_varint(bytes, position);
  const auto chunks = chunks_for(size);
  if (size == 0 || (chunks > 1 && bytes.size() < position + chunks * table_entry)) {
    return std::nullopt;
  }
  Postings postings(std::move(bytes), size);
  if (chunks > 1) {
    postings.table_ = position;
    postings.rests_ = position + chunks * table_entry;
  } else {
    postings.only_first_ = take_varint(postings.bytes_, position);
    postings.rests_ = position;
  }
  return postings;
}

std::size_t Postings::chunks() const noexcept {
  return chunks_for(size_);
}

std::uint32_t Postings::first_of(std::size_t chunk) const noexcept {
  if (table_ == 0) return only_first_;
  return get_u32(bytes_, table_ + chunk * table_entry);
}

void Postings::read(std::size_t chunk, std::vector<std::uint32_t>& out) const {
  const auto count = std::min(per_chunk, size_ - chunk * per_chunk);
  auto position = rests_;
  if (table_ != 0) position += get_u32(bytes_, table_ + chunk * table_entry + 4);
  auto offset = first_of(chunk);
  out.clear();
  out.push_back(offset);
  while (out.size() < count) {
    offset += take_varint(bytes_, position) + 1;
    out.push_back(offset);
  }
}

void Postings::append_to(std::vector<std::uint32_t>& out, std::uint32_t shift) const {
  std::vector<std::uint32_t> part;
  for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
    read(chunk, part);
    for (const auto offset : part)
      out.push_back(offset + shift);
  }
}

std::size_t PostingsCursor::chunk_of(std::uint32_t offset) const {
  std::size_t low = 0;
  std::size_t high = postings_.chunks();
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    (postings_.first_of(middle) <= offset ? low : high) = middle;
  }
  return low;
}

void PostingsCursor::load(std::size_t chunk) {
  if (loaded_ == chunk) return;
  postings_.read(chunk, chunk_);
  loaded_ = chunk;
}

std::optional<std::uint32_t> PostingsCursor::at_or_after(std::uint32_t offset) {
  const auto chunk = chunk_of(offset);
  load(chunk);
  const auto found = std::ranges::lower_bound(chunk_, offset);
  if (found != chunk_.end()) return *found;
  if (chunk + 1 == postings_.chunks()) return std::nullopt;
  return postings_.first_of(chunk + 1);
}

std::optional<std::uint32_t> PostingsCursor::at_or_before(std::uint32_t offset) {
  load(chunk_of(offset));
  const auto behind = std::ranges::upper_bound(chunk_, offset);
  if (behind == chunk_.begin()) return std::nullopt;
  return *std::prev(behind);
}

std::uint32_t PostingsCursor::at(std::size_t position) {
  load(position / per_chunk);
  return chunk_[position % per_chunk];
}

}  // namespace annals::store::index
