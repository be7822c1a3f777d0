# Shared by run.sh and chaos.sh: finds the program, starts and ends the server in a folder of its own.

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
root="$(cd "$here/../.." && pwd)"

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

find_annals() {
  local candidate
  for candidate in "${ANNALS_BINARY:-}" "$(command -v annals || true)" \
    "$root/build/release/bin/annals" "$root/build/dev/bin/annals"; do
    [[ -n $candidate && -x $candidate ]] && { echo "$candidate"; return; }
  done
  die "annals is neither in PATH nor built (script/server builds it); ANNALS_BINARY may name it"
}

# start_server <folder>: sets server_pid and server_url. The log is annals.db in the folder.
start_server() {
  (cd "$1" && ANNALS_SERVER_LISTEN=127.0.0.1:0 exec "$annals" serve --config "$here/annals.toml") \
    >"$1/server.log" 2>&1 &
  server_pid=$!
  server_url=""
  for _ in $(seq 200); do
    server_url="$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$1/server.log" | head -n 1 || true)"
    [[ -n $server_url ]] && curl -fsS "$server_url/healthz" >/dev/null 2>&1 && return
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.05
  done
  cat "$1/server.log" >&2
  die "the server did not start"
}

# stop_server: ends it in an orderly way; an exit code other than 0 is a failure.
stop_server() {
  kill -TERM "$server_pid"
  local code=0
  wait "$server_pid" || code=$?
  server_pid=""
  ((code == 0)) || die "the server ended with exit code $code"
}

annals="$(find_annals)"
server_pid=""
