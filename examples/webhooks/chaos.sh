#!/usr/bin/env bash
# Appends real payloads over HTTP while a follower is killed (kill -9) and resumed again and again. Shows
# that the follower has seen exactly 1..N, that the log verifies, and that anybody can recompute the stored
# hashes with b3sum.
#
#   chaos.sh [--count N] [--kills N] [--folder FOLDER]     default: 100000 events, 20 kills, a new folder
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

count=100000
kills=20
folder=""
while (($# > 0)); do
  case "$1" in
    --count) count="$2"; shift 2 ;;
    --kills) kills="$2"; shift 2 ;;
    --folder) folder="$2"; shift 2 ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "chaos: unknown option '$1' (see --help)" >&2; exit 2 ;;
  esac
done
for tool in b3sum sqlite3 curl node; do
  command -v "$tool" >/dev/null || die "needs $tool"
done
[[ -n $folder ]] || folder="$(mktemp -d -t annals-chaos-XXXXXX)"
mkdir -p "$folder"
[[ ! -e $folder/annals.db ]] || die "$folder holds a log already"
follower=""
loader=""
trap 'kill $follower $loader $server_pid 2>/dev/null || true' EXIT

seen() { grep -oE '"last":[0-9]+' "$folder/follow.json" 2>/dev/null | grep -oE '[0-9]+' || echo 0; }

start_follower() {
  node "$here/follow.mjs" --server "$server_url" --state "$folder/follow.json" --until "$count" \
    >>"$folder/follow.log" 2>&1 &
  follower=$!
}

payloads="$("$here/fetch.sh")"
start_server "$folder"
echo "server: $server_url, folder: $folder"
started=$SECONDS
node "$here/load.mjs" --server "$server_url" --data "$payloads" --count "$count" \
  >"$folder/load.log" 2>&1 &
loader=$!

# Spread over the whole log: the n-th kill comes when the follower is somewhere in the n-th part of it.
for ((n = 1; n <= kills; ++n)); do
  start_follower
  part=$((count / (kills + 1)))
  goal=$((part * n - part / 2 + RANDOM % (part / 2 + 1)))
  until (($(seen) >= goal)); do
    kill -0 "$follower" 2>/dev/null || { cat "$folder/follow.log" >&2; die "the follower ended"; }
    sleep 0.02
  done
  kill -KILL "$follower"
  wait "$follower" 2>/dev/null || true
  echo "kill $n at $(seen)"
done
start_follower
wait "$loader" || { cat "$folder/load.log" >&2; die "the load failed"; }
loader=""
tail -n 3 "$folder/load.log"
wait "$follower" || { cat "$folder/follow.log" >&2; die "the follower failed"; }
follower=""
tail -n 1 "$folder/follow.log"
echo "appended and followed in $((SECONDS - started)) s"

head="$(curl -fsS "$server_url/v1/log" | grep -oE '"head":[0-9]+' | grep -oE '[0-9]+')"
[[ $head == "$count" ]] || die "the log has $head events, not $count"
stop_server

store="sqlite:$folder/annals.db"
"$annals" verify --store "$store"

# The stored hash is read with sqlite3, past this program.
check_hashes() {
  local kind="$1" condition="$2" checked=0 seq stored computed
  while IFS='|' read -r seq stored; do
    computed="$("$annals" show "$seq" --store "$store" --form header --hashed | b3sum | cut -d' ' -f1)"
    [[ $computed == "$stored" ]] || die "event $seq: stored $stored, b3sum says $computed"
    checked=$((checked + 1))
  done < <(sqlite3 -readonly "$folder/annals.db" "SELECT seq, lower(hex(row_hash))
    FROM annals_events WHERE $condition ORDER BY random() LIMIT 10")
  ((checked == 10)) || die "only $checked $kind events to check"
  echo "b3sum gives the stored hash of 10 $kind events"
}
check_hashes chained "stream IS NOT NULL"
check_hashes unchained "stream IS NULL"
echo "complete: $count events, $kills kills"
