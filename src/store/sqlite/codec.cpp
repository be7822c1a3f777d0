#include "store/sqlite/codec.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "core/hash.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

constexpr std::int64_t min_time = -62'135'596'800'000'000;  // 0001-01-01T00:00:00Z
constexpr std::int64_t max_time = 253'402'300'799'999'999;  // 9999-12-31T23:59:59.999999Z

std::optional<Part> part(std::optional<std::string> bytes, const std::optional<Salt>& salt) {
  if (!bytes) return std::nullopt;
  return Part{std::move(*bytes), *salt};
}

template <typename Optional>
void bind_optional(Query& query, int index, const Optional& value) {
  if (value) {
    query.bind(index, *value);
  } else {
    query.bind_null(index);
  }
}

void bind_part(Query& query, int bytes_index, int salt_index, const std::optional<Part>& part) {
  if (part) {
    query.bind(bytes_index, std::string_view(part->bytes)).bind(salt_index, part->salt);
  } else {
    query.bind_null(bytes_index).bind_null(salt_index);
  }
}

std::int64_t micros(Timestamp time) {
  return time.time_since_epoch().count();
}

}  // namespace

bool RowReader::is(int type) {
  if (query_.type(column_) == type) return true;
  ok_ = false;
  return false;
}

bool RowReader::null_here() {
  if (query_.type(column_) != SQLITE_NULL) return false;
  ++column_;
  return true;
}

std::int64_t RowReader::integer() {
  const auto value = is(SQLITE_INTEGER) ? query_.integer(column_) : 0;
  ++column_;
  return value;
}

std::optional<std::int64_t> RowReader::optional_integer() {
  if (null_here()) return std::nullopt;
  return integer();
}

std::uint64_t RowReader::counter() {
  const auto value = integer();
  if (value < 0 || static_cast<std::uint64_t>(value) > max_seq) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> RowReader::optional_counter() {
  if (null_here()) return std::nullopt;
  return counter();
}

bool RowReader::flag() {
  const auto value = integer();
  if (value != 0 && value != 1) ok_ = false;
  return value == 1;
}

Timestamp RowReader::time() {
  auto value = integer();
  if (value < min_time || value > max_time) {
    ok_ = false;
    value = 0;
  }
  return Timestamp{std::chrono::microseconds{value}};
}

std::optional<Timestamp> RowReader::optional_time() {
  if (null_here()) return std::nullopt;
  return time();
}

std::string RowReader::text() {
  std::string value;
  if (is(SQLITE_TEXT)) value = query_.text(column_);
  ++column_;
  return value;
}

std::optional<std::string> RowReader::optional_text() {
  if (null_here()) return std::nullopt;
  return text();
}

template <typename Bytes>
void RowReader::copy_blob(Bytes& out) {
  if (is(SQLITE_BLOB)) {
    const auto bytes = query_.blob(column_);
    if (bytes.size() == out.size()) {
      std::copy(bytes.begin(), bytes.end(), out.begin());
    } else {
      ok_ = false;
    }
  }
  ++column_;
}

Uuid RowReader::uuid() {
  Uuid value;
  copy_blob(value.bytes);
  return value;
}

Digest RowReader::digest() {
  Digest value{};
  copy_blob(value);
  return value;
}

std::optional<Digest> RowReader::optional_digest() {
  if (null_here()) return std::nullopt;
  return digest();
}

std::optional<Salt> RowReader::optional_salt() {
  if (null_here()) return std::nullopt;
  Salt value{};
  copy_blob(value);
  return value;
}

Result<Record> read_record(Query& query, const Uuid& log_id) {
  RowReader row(query);
  Record record;
  auto& header = record.header;
  header.log_id = log_id;
  header.seq = row.counter();
  header.id = row.uuid();
  header.type = row.text();
  const auto schema_version = row.integer();
  header.schema_version = static_cast<std::uint32_t>(schema_version);
  header.source = row.optional_text();
  header.occurred_at = row.time();
  header.recorded_at = row.time();
  header.stream = row.optional_text();
  header.stream_seq = row.optional_counter();
  header.scope.space_id = row.optional_text();
  header.scope.channel_id = row.optional_text();
  header.scope.thread_id = row.optional_text();
  header.resource.kind = row.text();
  header.resource.id = row.optional_text();
  header.resource.version = row.optional_counter();
  header.receive_action = row.text();
  header.permission_version = row.counter();
  header.key_id = row.uuid();
  header.is_private = row.flag();
  header.truncated = row.flag();
  record.prev_hash = row.optional_digest();
  record.row_hash = row.digest();
  const auto payload_salt = row.optional_salt();
  const auto payload_digest = row.optional_digest();
  const auto meta_salt = row.optional_salt();
  const auto meta_digest = row.optional_digest();
  record.redacted_at = row.optional_time();
  auto meta = row.optional_text();
  auto payload = row.optional_text();

  const bool fits = row.ok() && schema_version >= 1 &&
                    schema_version <= std::numeric_limits<std::int32_t>::max() &&
                    header.stream.has_value() == header.stream_seq.has_value() &&
                    payload.has_value() == payload_salt.has_value() &&
                    payload.has_value() != payload_digest.has_value() &&
                    meta.has_value() == meta_salt.has_value() && !(meta && meta_digest) &&
                    record.redacted() == (payload_digest.has_value() || meta_digest.has_value());
  if (!fits) {
    return std::unexpected(
        corrupt("event " + std::to_string(header.seq) + ": its row is not an event's"));
  }
  record.payload = part(std::move(payload), payload_salt);
  record.meta = part(std::move(meta), meta_salt);
  header.payload_digest = record.payload
                              ? core::part_digest(record.payload->salt, record.payload->bytes)
                              : *payload_digest;
  header.meta_digest = record.meta
                           ? std::optional(core::part_digest(record.meta->salt, record.meta->bytes))
                           : meta_digest;
  return record;
}

void bind_record(Query& query, const Record& record) {
  const auto& header = record.header;
  query.bind(1, header.seq).bind(2, header.id.bytes).bind(3, std::string_view(header.type));
  query.bind(4, std::int64_t{header.schema_version});
  bind_optional(query, 5, header.source);
  query.bind(6, micros(header.occurred_at)).bind(7, micros(header.recorded_at));
  bind_optional(query, 8, header.stream);
  bind_optional(query, 9, header.stream_seq);
  bind_optional(query, 10, header.scope.space_id);
  bind_optional(query, 11, header.scope.channel_id);
  bind_optional(query, 12, header.scope.thread_id);
  bind_optional(query, 13, header.resource.kind);
  bind_optional(query, 14, header.resource.id);
  bind_optional(query, 15, header.resource.version);
  query.bind(16, std::string_view(header.receive_action)).bind(17, header.permission_version);
  query.bind(18, header.key_id.bytes);
  query.bind(19, std::int64_t{header.is_private}).bind(20, std::int64_t{header.truncated});
  bind_optional(query, 21, record.prev_hash);
  query.bind(22, record.row_hash);
  bind_part(query, 29, 23, record.payload);
  if (record.payload) {
    query.bind_null(24);
  } else {
    query.bind(24, header.payload_digest);
  }
  bind_part(query, 28, 25, record.meta);
  if (record.meta) {
    query.bind_null(26);
  } else {
    bind_optional(query, 26, header.meta_digest);
  }
  if (record.redacted_at) {
    query.bind(27, micros(*record.redacted_at));
  } else {
    query.bind_null(27);
  }
}

Result<LogState> read_state(Query& query) {
  RowReader row(query);
  LogState state;
  state.log_id = row.uuid();
  state.incarnation = row.counter();
  state.event_seq = row.counter();
  state.permission_version = row.counter();
  state.last_recorded_at = row.time();
  state.log_hash = row.digest();
  state.oldest = row.counter();
  state.base_log_hash = row.digest();
  state.local_key_id = row.uuid();
  state.frozen = row.flag();
  state.moved_to = row.text();
  state.backend_identity = row.text();
  if (!row.ok() || state.oldest == 0) {
    return std::unexpected(corrupt("the state of the log is unreadable"));
  }
  return state;
}

Result<LogState> load_state(Statements& statements) {
  auto query = statements.query(select_log_state);
  if (!query) return std::unexpected(query.error());
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::unexpected(corrupt("the log has no state"));
  return read_state(*query);
}

Result<StreamHead> read_head(Query& query) {
  RowReader row(query);
  StreamHead head;
  head.stream = row.text();
  head.version = row.counter();
  head.hash = row.digest();
  if (!row.ok() || head.version == 0)
    return std::unexpected(corrupt("a stream's head is unreadable"));
  return head;
}

}  // namespace annals::store::sqlite
