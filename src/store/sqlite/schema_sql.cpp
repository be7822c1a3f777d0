#include "store/sqlite/schema_sql.hpp"

namespace annals::store::sqlite {
namespace {

constexpr const char* log_tables = R"sql(
CREATE TABLE annals_log_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  log_id BLOB NOT NULL CHECK (length(log_id) = 16),
  incarnation INTEGER NOT NULL CHECK (incarnation >= 1),
  event_seq INTEGER NOT NULL CHECK (event_seq BETWEEN 0 AND 9007199254740991),
  permission_version INTEGER NOT NULL CHECK (permission_version >= 0),
  last_recorded_at INTEGER NOT NULL,
  log_hash BLOB NOT NULL CHECK (length(log_hash) = 32),
  oldest INTEGER NOT NULL CHECK (oldest BETWEEN 1 AND event_seq + 1),
  base_log_hash BLOB NOT NULL CHECK (length(base_log_hash) = 32),
  local_key_id BLOB NOT NULL CHECK (length(local_key_id) = 16),
  frozen INTEGER NOT NULL CHECK (frozen IN (0, 1)),
  moved_to TEXT NOT NULL,
  backend_identity TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE annals_events (
  seq INTEGER PRIMARY KEY CHECK (seq BETWEEN 1 AND 9007199254740991),
  id BLOB NOT NULL CHECK (length(id) = 16),
  type TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  source TEXT,
  occurred_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  stream TEXT,
  stream_seq INTEGER CHECK ((stream_seq IS NULL) = (stream IS NULL) AND stream_seq >= 1),
  space_id TEXT,
  channel_id TEXT,
  thread_id TEXT,
  resource_kind TEXT NOT NULL,
  resource_id TEXT,
  resource_version INTEGER,
  receive_action TEXT NOT NULL,
  permission_version INTEGER NOT NULL,
  key_id BLOB NOT NULL CHECK (length(key_id) = 16),
  private INTEGER NOT NULL CHECK (private IN (0, 1)),
  truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
  prev_hash BLOB CHECK (length(prev_hash) = 32),
  row_hash BLOB NOT NULL CHECK (length(row_hash) = 32),
  payload_salt BLOB CHECK (length(payload_salt) = 16),
  payload_digest BLOB CHECK (length(payload_digest) = 32),
  meta_salt BLOB CHECK (length(meta_salt) = 16),
  meta_digest BLOB CHECK (length(meta_digest) = 32),
  redacted_at INTEGER,
  meta TEXT,
  payload TEXT,
  CHECK ((payload IS NULL) = (payload_salt IS NULL)),
  CHECK ((payload IS NULL) = (payload_digest IS NOT NULL)),
  CHECK ((meta IS NULL) = (meta_salt IS NULL)),
  CHECK (meta IS NULL OR meta_digest IS NULL),
  CHECK ((redacted_at IS NULL) = (payload_digest IS NULL AND meta_digest IS NULL))
) STRICT;
CREATE UNIQUE INDEX annals_events_id ON annals_events (id);

CREATE TABLE annals_stream_heads (
  stream TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL CHECK (version BETWEEN 1 AND 9007199254740991),
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE annals_gaps (
  gap_from INTEGER PRIMARY KEY CHECK (gap_from >= 1),
  gap_to INTEGER NOT NULL CHECK (gap_to BETWEEN gap_from AND 9007199254740991),
  record_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE annals_anchors (
  stream TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE annals_redactions (
  seq INTEGER NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('payload', 'meta')),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  record_seq INTEGER NOT NULL,
  PRIMARY KEY (seq, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE annals_hash_marks (
  seq INTEGER PRIMARY KEY CHECK (seq >= 1),
  log_hash BLOB NOT NULL CHECK (length(log_hash) = 32)
) STRICT;
)sql";

constexpr const char* admin_tables = R"sql(
CREATE TABLE annals_keys (
  key_id BLOB PRIMARY KEY NOT NULL CHECK (length(key_id) = 16),
  name TEXT NOT NULL,
  principal TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  reserved INTEGER NOT NULL CHECK (reserved IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE annals_key_rules (
  key_id BLOB NOT NULL CHECK (length(key_id) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('append', 'from', 'read')),
  rule TEXT NOT NULL,
  PRIMARY KEY (key_id, kind, rule)
) STRICT, WITHOUT ROWID;

CREATE TABLE annals_catalogue (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  document TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1)
) STRICT;

CREATE TABLE annals_answers (
  key_id BLOB NOT NULL CHECK (length(key_id) = 16),
  idempotency_key TEXT NOT NULL,
  request_hash BLOB NOT NULL CHECK (length(request_hash) = 32),
  status INTEGER NOT NULL,
  seqs TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX annals_answers_recorded_at ON annals_answers (recorded_at);

CREATE TABLE annals_client_messages (
  digest BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  recorded_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX annals_client_messages_recorded_at ON annals_client_messages (recorded_at);
)sql";

// REPLACE deletes rows that are in the way without asking the DELETE triggers, so every INSERT that
// could meet a row is refused before. Conditions that are NULL count as refused.
constexpr const char* triggers = R"sql(
CREATE TRIGGER annals_events_insert BEFORE INSERT ON annals_events
WHEN NEW.seq IS NOT 1 + max(
    coalesce((SELECT max(seq) FROM annals_events), 0),
    coalesce((SELECT gap_to FROM annals_gaps ORDER BY gap_from DESC LIMIT 1), 0))
  OR EXISTS (SELECT 1 FROM annals_events WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'annals: an event must be new and take the next seq');
END;

CREATE TRIGGER annals_events_update BEFORE UPDATE ON annals_events
WHEN NOT (
  NEW.seq IS OLD.seq AND NEW.id IS OLD.id AND NEW.type IS OLD.type
  AND NEW.schema_version IS OLD.schema_version AND NEW.source IS OLD.source
  AND NEW.occurred_at IS OLD.occurred_at AND NEW.recorded_at IS OLD.recorded_at
  AND NEW.stream IS OLD.stream AND NEW.stream_seq IS OLD.stream_seq
  AND NEW.space_id IS OLD.space_id AND NEW.channel_id IS OLD.channel_id
  AND NEW.thread_id IS OLD.thread_id AND NEW.resource_kind IS OLD.resource_kind
  AND NEW.resource_id IS OLD.resource_id AND NEW.resource_version IS OLD.resource_version
  AND NEW.receive_action IS OLD.receive_action
  AND NEW.permission_version IS OLD.permission_version AND NEW.key_id IS OLD.key_id
  AND NEW.private IS OLD.private AND NEW.truncated IS OLD.truncated
  AND NEW.prev_hash IS OLD.prev_hash AND NEW.row_hash IS OLD.row_hash
  AND ((NEW.payload IS OLD.payload AND NEW.payload_salt IS OLD.payload_salt
        AND NEW.payload_digest IS OLD.payload_digest)
    OR (OLD.payload IS NOT NULL AND NEW.payload IS NULL AND NEW.payload_salt IS NULL
        AND OLD.payload_digest IS NULL AND NEW.payload_digest IS NOT NULL))
  AND ((NEW.meta IS OLD.meta AND NEW.meta_salt IS OLD.meta_salt
        AND NEW.meta_digest IS OLD.meta_digest)
    OR (OLD.meta IS NOT NULL AND NEW.meta IS NULL AND NEW.meta_salt IS NULL
        AND OLD.meta_digest IS NULL AND NEW.meta_digest IS NOT NULL))
  AND (NEW.payload IS NOT OLD.payload OR NEW.meta IS NOT OLD.meta)
  AND NEW.redacted_at IS NOT NULL
  AND (OLD.redacted_at IS NULL OR NEW.redacted_at IS OLD.redacted_at))
BEGIN
  SELECT RAISE(ABORT, 'annals: events do not change, but for the erasure of a part');
END;

CREATE TRIGGER annals_events_delete BEFORE DELETE ON annals_events
WHEN NOT coalesce(OLD.seq < (SELECT oldest FROM annals_log_state), 0)
BEGIN
  SELECT RAISE(ABORT, 'annals: retained events are not deleted');
END;

CREATE TRIGGER annals_stream_heads_insert BEFORE INSERT ON annals_stream_heads
WHEN EXISTS (SELECT 1 FROM annals_stream_heads WHERE stream = NEW.stream)
BEGIN
  SELECT RAISE(ABORT, 'annals: a stream has one head');
END;

CREATE TRIGGER annals_stream_heads_update BEFORE UPDATE ON annals_stream_heads
WHEN NOT coalesce(NEW.stream IS OLD.stream AND NEW.version > OLD.version, 0)
BEGIN
  SELECT RAISE(ABORT, 'annals: the version of a stream only grows');
END;

CREATE TRIGGER annals_stream_heads_delete BEFORE DELETE ON annals_stream_heads
BEGIN
  SELECT RAISE(ABORT, 'annals: heads are not deleted');
END;

CREATE TRIGGER annals_log_state_insert BEFORE INSERT ON annals_log_state
WHEN EXISTS (SELECT 1 FROM annals_log_state)
BEGIN
  SELECT RAISE(ABORT, 'annals: a log has one state');
END;

CREATE TRIGGER annals_log_state_update BEFORE UPDATE ON annals_log_state
WHEN NOT coalesce(NEW.id IS OLD.id AND NEW.log_id IS OLD.log_id
  AND NEW.incarnation >= OLD.incarnation AND NEW.event_seq >= OLD.event_seq
  AND NEW.permission_version >= OLD.permission_version AND NEW.oldest >= OLD.oldest
  AND NEW.last_recorded_at >= OLD.last_recorded_at, 0)
BEGIN
  SELECT RAISE(ABORT, 'annals: the counters of a log only grow');
END;

CREATE TRIGGER annals_log_state_delete BEFORE DELETE ON annals_log_state
BEGIN
  SELECT RAISE(ABORT, 'annals: the state is not deleted');
END;

CREATE TRIGGER annals_gaps_insert BEFORE INSERT ON annals_gaps
WHEN NEW.gap_from IS NOT 1 + max(
    coalesce((SELECT max(seq) FROM annals_events), 0),
    coalesce((SELECT gap_to FROM annals_gaps ORDER BY gap_from DESC LIMIT 1), 0))
BEGIN
  SELECT RAISE(ABORT, 'annals: a gap begins at the next seq');
END;

CREATE TRIGGER annals_gaps_update BEFORE UPDATE ON annals_gaps
BEGIN
  SELECT RAISE(ABORT, 'annals: gaps do not change');
END;

CREATE TRIGGER annals_gaps_delete BEFORE DELETE ON annals_gaps
WHEN NOT coalesce(OLD.gap_to < (SELECT oldest FROM annals_log_state), 0)
BEGIN
  SELECT RAISE(ABORT, 'annals: retained gaps are not deleted');
END;

CREATE TRIGGER annals_redactions_insert BEFORE INSERT ON annals_redactions
WHEN EXISTS (SELECT 1 FROM annals_redactions WHERE seq = NEW.seq AND part = NEW.part)
BEGIN
  SELECT RAISE(ABORT, 'annals: a part is erased once');
END;

CREATE TRIGGER annals_redactions_update BEFORE UPDATE ON annals_redactions
BEGIN
  SELECT RAISE(ABORT, 'annals: redactions do not change');
END;

CREATE TRIGGER annals_redactions_delete BEFORE DELETE ON annals_redactions
WHEN NOT coalesce(OLD.seq < (SELECT oldest FROM annals_log_state), 0)
BEGIN
  SELECT RAISE(ABORT, 'annals: retained redactions are not deleted');
END;
)sql";

}  // namespace

const std::array<const char*, 3> schema_sql{log_tables, admin_tables, triggers};

}  // namespace annals::store::sqlite
