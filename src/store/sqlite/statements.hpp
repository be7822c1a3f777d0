#pragma once

namespace annals::store::sqlite {

// Every statement of the store, as arrays so that each has one address (see `Statements`). Tables
// are named with their schema: a temporary table of the application must not stand in for one.

inline constexpr char begin_deferred[] = "BEGIN";
inline constexpr char begin_immediate[] = "BEGIN IMMEDIATE";
inline constexpr char commit_transaction[] = "COMMIT";
inline constexpr char rollback_transaction[] = "ROLLBACK";

// --- State

/// Begins the sequence: made once, with the log.
inline constexpr char insert_log_state[] =
    "INSERT INTO main.annals_log_state (id, log_id, incarnation, event_seq, permission_version,"
    " last_recorded_at, log_hash, oldest, base_log_hash, local_key_id, frozen, moved_to,"
    " backend_identity, created_at)"
    " VALUES (1, ?1, 1, 0, 0, 0, ?3, 1, ?3, ?4, 0, '', '', ?2)";

/// Advances the sequence: the only statement of the program that does.
inline constexpr char advance_log_state[] =
    "UPDATE main.annals_log_state SET event_seq = ?1, log_hash = ?2, permission_version = ?3,"
    " last_recorded_at = ?4"
    " WHERE id = 1 AND event_seq = ?5 AND log_hash = ?6 AND permission_version = ?7";

/// Takes the write lock of a transaction that may not have it yet, without changing anything.
inline constexpr char take_write_lock[] =
    "UPDATE main.annals_log_state SET frozen = frozen WHERE id = 0";

inline constexpr char freeze_log_state[] =
    "UPDATE main.annals_log_state SET frozen = ?1 WHERE id = 1";

inline constexpr char select_log_state[] =
    "SELECT log_id, incarnation, event_seq, permission_version, last_recorded_at, log_hash, oldest,"
    " base_log_hash, local_key_id, frozen, moved_to, backend_identity"
    " FROM main.annals_log_state WHERE id = 1";

inline constexpr char select_event_seq[] =
    "SELECT event_seq FROM main.annals_log_state WHERE id = 1";

inline constexpr char data_version[] = "PRAGMA main.data_version";

// --- Events

inline constexpr char insert_event[] =
    "INSERT INTO main.annals_events (seq, id, type, schema_version, source, occurred_at,"
    " recorded_at, stream, stream_seq, space_id, channel_id, thread_id, resource_kind, resource_id,"
    " resource_version, receive_action, permission_version, key_id, private, truncated, prev_hash,"
    " row_hash, payload_salt, payload_digest, meta_salt, meta_digest, redacted_at, meta, payload)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,"
    " ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)";

#define ANNALS_EVENT_COLUMNS                                                                 \
  "e.seq, e.id, e.type, e.schema_version, e.source, e.occurred_at, e.recorded_at, e.stream," \
  " e.stream_seq, e.space_id, e.channel_id, e.thread_id, e.resource_kind, e.resource_id,"    \
  " e.resource_version, e.receive_action, e.permission_version, e.key_id, e.private,"        \
  " e.truncated, e.prev_hash, e.row_hash, e.payload_salt, e.payload_digest, e.meta_salt,"    \
  " e.meta_digest, e.redacted_at, e.meta, e.payload"

/// All rows that are stored, retained or not: an id is taken as long as its row is there.
inline constexpr char select_stored_by_id[] =
    "SELECT " ANNALS_EVENT_COLUMNS " FROM main.annals_events AS e WHERE e.id = ?1";

inline constexpr char select_by_id[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e, main.annals_log_state AS s"
    " WHERE e.id = ?1 AND s.id = 1 AND e.seq >= s.oldest AND e.seq <= s.event_seq";

inline constexpr char select_by_seq[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e, main.annals_log_state AS s"
    " WHERE e.seq = ?1 AND s.id = 1 AND e.seq >= s.oldest AND e.seq <= s.event_seq";

inline constexpr char select_forward[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e"
    " WHERE e.seq > ?1 AND e.seq <= ?2 ORDER BY e.seq LIMIT ?3";

inline constexpr char select_backward[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e"
    " WHERE e.seq < ?1 AND e.seq >= ?2 ORDER BY e.seq DESC LIMIT ?3";

/// Rows of a part of the log that have what a filter names; NULL where it names nothing. What
/// stands in meta is found by its canonical text. Whoever reads compares the rows with the whole
/// filter.
#define ANNALS_MATCHING                                                                   \
  " FROM main.annals_events AS e WHERE e.seq BETWEEN ?1 AND ?2"                           \
  " AND (?3 IS NULL OR substr(e.type, 1, length(?3)) = ?3)"                               \
  " AND (?4 IS NULL OR e.source = ?4) AND (?5 IS NULL OR e.stream = ?5)"                  \
  " AND (?6 IS NULL OR e.space_id = ?6) AND (?7 IS NULL OR e.channel_id = ?7)"            \
  " AND (?8 IS NULL OR e.thread_id = ?8) AND (?9 IS NULL OR e.resource_kind = ?9)"        \
  " AND (?10 IS NULL OR e.resource_id = ?10) AND (?11 IS NULL OR instr(e.meta, ?11) > 0)" \
  " AND (?12 IS NULL OR instr(e.meta, ?12) > 0) AND (?13 IS NULL OR instr(e.meta, ?13) > 0)"

inline constexpr char select_matching_forward[] =
    "SELECT " ANNALS_EVENT_COLUMNS ANNALS_MATCHING " ORDER BY e.seq";

inline constexpr char select_matching_backward[] =
    "SELECT " ANNALS_EVENT_COLUMNS ANNALS_MATCHING " ORDER BY e.seq DESC";

#undef ANNALS_MATCHING

/// Rows of a stream in a part of the log, in the order of seq, which is that of the stream.
inline constexpr char select_stream_forward[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e"
    " WHERE e.seq BETWEEN ?3 AND ?4 AND e.stream = ?1 AND e.stream_seq > ?2"
    " ORDER BY e.seq LIMIT ?5";

inline constexpr char select_stream_backward[] =
    "SELECT " ANNALS_EVENT_COLUMNS
    " FROM main.annals_events AS e"
    " WHERE e.seq BETWEEN ?3 AND ?4 AND e.stream = ?1 AND e.stream_seq < ?2"
    " ORDER BY e.seq DESC LIMIT ?5";

#undef ANNALS_EVENT_COLUMNS

/// What a run of the index is made from.
inline constexpr char select_facets[] =
    "SELECT seq, type, source, stream, space_id, channel_id, thread_id, resource_kind, resource_id,"
    " row_hash, meta FROM main.annals_events WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq LIMIT ?3";

inline constexpr char select_row_hash[] = "SELECT row_hash FROM main.annals_events WHERE seq = ?1";

inline constexpr char select_time[] =
    "SELECT seq, recorded_at FROM main.annals_events WHERE seq BETWEEN ?1 AND ?2"
    " ORDER BY seq LIMIT 1";

inline constexpr char select_stream_seq[] =
    "SELECT stream_seq FROM main.annals_events WHERE seq = ?1 AND stream = ?2";

/// The unary plus keeps the planner on the small index over ids instead of the whole table.
inline constexpr char count_events[] =
    "SELECT count(*) FROM main.annals_events"
    " WHERE +seq >= (SELECT oldest FROM main.annals_log_state WHERE id = 1)";

/// The look-up by id is forced onto the index, which is what is tested.
inline constexpr char select_lost_ids[] =
    "SELECT e.seq FROM main.annals_events AS e WHERE e.seq BETWEEN ?1 AND ?2 AND NOT EXISTS"
    " (SELECT 1 FROM main.annals_events AS i INDEXED BY annals_events_id"
    " WHERE i.id = e.id AND i.seq = e.seq) ORDER BY e.seq";

// --- Heads, gaps, marks

inline constexpr char select_head[] =
    "SELECT stream, version, hash FROM main.annals_stream_heads WHERE stream = ?1";

inline constexpr char select_heads_after[] =
    "SELECT stream, version, hash FROM main.annals_stream_heads WHERE stream > ?1 ORDER BY stream";

inline constexpr char select_heads_from[] =
    "SELECT stream, version, hash FROM main.annals_stream_heads WHERE stream >= ?1 ORDER BY stream";

inline constexpr char insert_head[] =
    "INSERT INTO main.annals_stream_heads (stream, version, hash) VALUES (?1, ?2, ?3)";

inline constexpr char advance_head[] =
    "UPDATE main.annals_stream_heads SET version = ?2, hash = ?3"
    " WHERE stream = ?1 AND version = ?4 AND hash = ?5";

inline constexpr char select_gaps[] =
    "SELECT gap_from, gap_to, record_seq FROM main.annals_gaps ORDER BY gap_from";

inline constexpr char insert_mark[] =
    "INSERT INTO main.annals_hash_marks (seq, log_hash) VALUES (?1, ?2)";

inline constexpr char select_mark[] =
    "SELECT seq, log_hash FROM main.annals_hash_marks WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1";

// --- Administration

inline constexpr char insert_local_key[] =
    "INSERT INTO main.annals_keys (key_id, name, created_at, secret_hash, reserved)"
    " VALUES (?1, 'local', ?2, ?3, 1)";

inline constexpr char select_keys[] =
    "SELECT key_id, name, principal, created_at, expires_at, revoked_at, secret_hash"
    " FROM main.annals_keys WHERE reserved = 0 ORDER BY created_at, key_id";

inline constexpr char select_key[] =
    "SELECT key_id, name, principal, created_at, expires_at, revoked_at, secret_hash"
    " FROM main.annals_keys WHERE key_id = ?1 AND reserved = 0";

inline constexpr char put_key_row[] =
    "INSERT INTO main.annals_keys (key_id, name, principal, created_at, expires_at, revoked_at,"
    " secret_hash, reserved) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)"
    " ON CONFLICT (key_id) DO UPDATE SET name = excluded.name, principal = excluded.principal,"
    " created_at = excluded.created_at, expires_at = excluded.expires_at,"
    " revoked_at = excluded.revoked_at, secret_hash = excluded.secret_hash";

inline constexpr char select_key_rules[] =
    "SELECT kind, rule FROM main.annals_key_rules WHERE key_id = ?1 ORDER BY kind, rule";

inline constexpr char delete_key_rules[] = "DELETE FROM main.annals_key_rules WHERE key_id = ?1";

inline constexpr char insert_key_rule[] =
    "INSERT INTO main.annals_key_rules (key_id, kind, rule) VALUES (?1, ?2, ?3)";

inline constexpr char select_catalogue[] =
    "SELECT document, version FROM main.annals_catalogue WHERE id = 1";

inline constexpr char put_catalogue_row[] =
    "INSERT INTO main.annals_catalogue (id, document, version) VALUES (1, ?1, ?2)"
    " ON CONFLICT (id) DO UPDATE SET document = excluded.document, version = excluded.version";

inline constexpr char select_answer[] =
    "SELECT request_hash, status, seqs, recorded_at FROM main.annals_answers"
    " WHERE key_id = ?1 AND idempotency_key = ?2";

inline constexpr char put_answer_row[] =
    "INSERT INTO main.annals_answers (key_id, idempotency_key, request_hash, status, seqs,"
    " recorded_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    " ON CONFLICT (key_id, idempotency_key) DO UPDATE SET request_hash = excluded.request_hash,"
    " status = excluded.status, seqs = excluded.seqs, recorded_at = excluded.recorded_at";

inline constexpr char expire_answers[] =
    "DELETE FROM main.annals_answers WHERE (key_id, idempotency_key) IN"
    " (SELECT key_id, idempotency_key FROM main.annals_answers WHERE recorded_at < ?1"
    " ORDER BY recorded_at, key_id, idempotency_key LIMIT ?2)";

inline constexpr char select_client_message[] =
    "SELECT seq, recorded_at FROM main.annals_client_messages WHERE digest = ?1";

inline constexpr char put_client_message_row[] =
    "INSERT INTO main.annals_client_messages (digest, seq, recorded_at) VALUES (?1, ?2, ?3)"
    " ON CONFLICT (digest) DO UPDATE SET seq = excluded.seq, recorded_at = excluded.recorded_at";

inline constexpr char expire_client_messages[] =
    "DELETE FROM main.annals_client_messages WHERE digest IN"
    " (SELECT digest FROM main.annals_client_messages WHERE recorded_at < ?1"
    " ORDER BY recorded_at, digest LIMIT ?2)";

}  // namespace annals::store::sqlite
