#include "store/index/run.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/hash.hpp"
#include "store/index/bytes.hpp"

// Form of the file: entries (key, size of the postings as a varint, postings) in ascending order of
// keys, filled up to whole blocks; a table with 16 bytes for each block; a footer.

namespace annals::store::index {
namespace {

constexpr std::size_t block_size = 4096;
constexpr std::size_t table_entry = 16;
constexpr std::uint32_t no_offset = 0xffffffffU;
constexpr std::string_view magic = "AnnlRun1";

/// magic, log id, from, to, row hash, size of the entries, checksum of table and footer.
constexpr std::size_t footer_size = 8 + 16 + 8 + 8 + 32 + 8 + 8;

/// Entries kept back before they are written.
constexpr std::size_t write_bytes = std::size_t{64} * block_size;

/// The longest beginning of an entry: key and size.
constexpr std::size_t entry_head = 4 + 5;

std::uint64_t checksum(std::string_view bytes) {
  const auto digest = core::blake3(bytes);
  std::uint64_t sum = 0;
  std::memcpy(&sum, digest.data(), sizeof sum);
  return sum;
}

std::unexpected<Error> unavailable(const std::filesystem::path& path, int error) {
  return fail(ErrorCode::store_unavailable,
              "the index file '" + path.string() + "': " + std::generic_category().message(error));
}

template <typename Bytes>
void append_bytes(std::string& out, const Bytes& bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Reads exactly `size` bytes at `position`.
Result<std::string> read_at(int descriptor, const std::filesystem::path& path,
                            std::uint64_t position, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const auto got =
        ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unavailable(path, errno);
    if (got == 0) return fail(ErrorCode::store_corrupt, "the index file ends too soon");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const Run>> Run::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unavailable(path, errno);
  std::shared_ptr<Run> run(new Run(path, descriptor));
  if (auto loaded = run->load(); !loaded) return std::unexpected(loaded.error());
  return run;
}

Run::~Run() {
  ::close(descriptor_);
}

std::unexpected<Error> Run::spoiled(const std::string& what) const {
  damaged_.store(true, std::memory_order_relaxed);
  return fail(ErrorCode::store_corrupt, "the index file '" + path_.string() + "': " + what);
}

Result<void> Run::load() {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return unavailable(path_, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < footer_size) return spoiled("too short");
  const auto footer = read_at(descriptor_, path_, size - footer_size, footer_size);
  if (!footer) return std::unexpected(footer.error());
  if (!footer->starts_with(magic)) return spoiled("not a run");
  std::memcpy(info_.log_id.bytes.data(), footer->data() + 8, 16);
  info_.from = get_number<std::uint64_t>(*footer, 24);
  info_.to = get_number<std::uint64_t>(*footer, 32);
  std::memcpy(info_.last_row_hash.data(), footer->data() + 40, 32);
  data_size_ = get_number<std::uint64_t>(*footer, 72);
  const auto count = (data_size_ + block_size - 1) / block_size;
  if (data_size_ > size || count * (block_size + table_entry) + footer_size != size ||
      info_.from == 0 || info_.from > info_.to || info_.span() > max_span) {
    return spoiled("its parts do not fit");
  }
  auto table = read_at(descriptor_, path_, count * block_size, count * table_entry);
  if (!table) return std::unexpected(table.error());
  const auto expected = get_number<std::uint64_t>(*footer, footer_size - 8);
  if (checksum(*table + footer->substr(0, footer_size - 8)) != expected) {
    return spoiled("its checksum is wrong");
  }
  blocks_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = i * table_entry;
    blocks_.push_back(
        {get_u32(*table, at), get_u32(*table, at + 4), get_number<std::uint64_t>(*table, at + 8)});
  }
  return {};
}

Result<std::string> Run::read_blocks(std::size_t first, std::size_t count) const {
  count = std::min(count, blocks_.size() - first);
  auto bytes = read_at(descriptor_, path_, first * block_size, count * block_size);
  if (!bytes) {
    damaged_.store(true, std::memory_order_relaxed);
    return bytes;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (checksum(std::string_view(*bytes).substr(i * block_size, block_size)) !=
        blocks_[first + i].checksum) {
      return spoiled("block " + std::to_string(first + i) + " is damaged");
    }
  }
  return bytes;
}

Result<std::optional<Postings>> Run::find(FacetKey key) const {
  auto behind = std::ranges::upper_bound(blocks_, key, {}, &Block::first_key);
  // The entry begins in the last block that begins one at or before the key.
  while (behind != blocks_.begin() && std::prev(behind)->first_offset == no_offset)
    --behind;
  if (behind == blocks_.begin()) return std::nullopt;
  const auto block = static_cast<std::size_t>(std::distance(blocks_.begin(), behind)) - 1;
  EntryReader entries(*this, block * block_size + blocks_[block].first_offset, 1);
  for (;;) {
    const auto more = entries.next();
    if (!more) return std::unexpected(more.error());
    if (!*more || entries.key() > key) return std::nullopt;
    if (entries.key() < key) continue;
    auto postings = entries.postings();
    if (!postings) return std::unexpected(postings.error());
    return std::move(*postings);
  }
}

Result<std::string_view> EntryReader::bytes(std::size_t size) {
  size = static_cast<std::size_t>(
      std::min<std::uint64_t>(size, run_.data_size_ - std::min(position_, run_.data_size_)));
  if (position_ < buffer_begin_ || position_ + size > buffer_begin_ + buffer_.size()) {
    const auto first = static_cast<std::size_t>(position_ / block_size);
    const auto last = static_cast<std::size_t>((position_ + size + block_size - 1) / block_size);
    auto read = run_.read_blocks(first, std::max(last - first, ahead_));
    if (!read) return std::unexpected(read.error());
    buffer_ = std::move(*read);
    buffer_begin_ = first * block_size;
  }
  return std::string_view(buffer_).substr(static_cast<std::size_t>(position_ - buffer_begin_),
                                          size);
}

Result<bool> EntryReader::next() {
  position_ = next_;
  if (position_ >= run_.data_size_) return false;
  const auto head = bytes(entry_head);
  if (!head) return std::unexpected(head.error());
  if (head->size() < 5) return run_.spoiled("an entry is cut");
  key_ = get_u32(*head, 0);
  std::size_t begin = 4;
  size_ = take_varint(*head, begin);
  position_ += begin;
  next_ = position_ + size_;
  if (next_ > run_.data_size_) return run_.spoiled("an entry is too long");
  return true;
}

Result<Postings> EntryReader::postings() {
  const auto packed = bytes(size_);
  if (!packed) return std::unexpected(packed.error());
  auto postings = Postings::unpack(std::string(*packed));
  if (!postings) return run_.spoiled("an entry is not readable");
  return std::move(*postings);
}

Result<RunWriter> RunWriter::create(std::filesystem::path path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return unavailable(path, errno);
  return RunWriter(std::move(path), descriptor);
}

RunWriter::RunWriter(RunWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      pending_(std::move(other.pending_)),
      packed_(std::move(other.packed_)),
      data_size_(other.data_size_),
      table_(std::move(other.table_)),
      last_key_(other.last_key_),
      written_blocks_(other.written_blocks_) {}

RunWriter::~RunWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

Result<void> RunWriter::add(FacetKey key, std::span<const std::uint32_t> offsets) {
  packed_.clear();
  Postings::pack(packed_, offsets);
  const auto block = static_cast<std::size_t>(data_size_ / block_size);
  know_blocks(block);
  if (known_blocks() == block) {
    add_block(key, static_cast<std::uint32_t>(data_size_ % block_size));
  }
  const auto before = pending_.size();
  put_u32(pending_, key);
  put_varint(pending_, static_cast<std::uint32_t>(packed_.size()));
  pending_ += packed_;
  data_size_ += pending_.size() - before;
  last_key_ = key;
  return pending_.size() >= write_bytes ? flush_blocks() : Result<void>{};
}

std::size_t RunWriter::known_blocks() const noexcept {
  return table_.size() / table_entry;
}

void RunWriter::add_block(FacetKey first_key, std::uint32_t first_offset) {
  put_u32(table_, first_key);
  put_u32(table_, first_offset);
  put_number(table_, std::uint64_t{0});
}

void RunWriter::know_blocks(std::size_t count) {
  while (known_blocks() < count)
    add_block(last_key_, no_offset);
}

Result<void> RunWriter::flush_blocks() {
  const auto whole = pending_.size() / block_size;
  know_blocks(written_blocks_ + whole);
  for (std::size_t i = 0; i < whole; ++i) {
    const auto sum = checksum(std::string_view(pending_).substr(i * block_size, block_size));
    set_number(table_, (written_blocks_ + i) * table_entry + 8, sum);
  }
  if (auto done = write(std::string_view(pending_).substr(0, whole * block_size)); !done) {
    return done;
  }
  pending_.erase(0, whole * block_size);
  written_blocks_ += whole;
  return {};
}

Result<void> RunWriter::finish(const RunInfo& info) {
  pending_.resize((pending_.size() + block_size - 1) / block_size * block_size, '\0');
  if (auto done = flush_blocks(); !done) return done;
  std::string footer(magic);
  append_bytes(footer, info.log_id.bytes);
  put_number(footer, info.from);
  put_number(footer, info.to);
  append_bytes(footer, info.last_row_hash);
  put_number(footer, data_size_);
  put_number(footer, checksum(table_ + footer));
  table_ += footer;
  if (auto done = write(table_); !done) return done;
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int error = errno;
    ::unlink(path_.c_str());
    return unavailable(path_, error);
  }
  return {};
}

Result<void> RunWriter::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return unavailable(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace annals::store::index
