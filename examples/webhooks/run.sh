#!/usr/bin/env bash
# Loads real webhook payloads into a new log while a second process follows it, and proves the result.
#
#   run.sh [--count N] [--folder FOLDER]     default: 329 events (each payload once), a new folder
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

count=329
folder=""
while (($# > 0)); do
  case "$1" in
    --count) count="$2"; shift 2 ;;
    --folder) folder="$2"; shift 2 ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "run: unknown option '$1' (see --help)" >&2; exit 2 ;;
  esac
done
[[ -n $folder ]] || folder="$(mktemp -d -t annals-webhooks-XXXXXX)"
mkdir -p "$folder"
follower=""
trap 'kill $follower $server_pid 2>/dev/null || true' EXIT

payloads="$("$here/fetch.sh")"
start_server "$folder"
echo "server: $server_url, log: $folder/annals.db"

node "$here/follow.mjs" --server "$server_url" --state "$folder/follow.json" --until "$count" &
follower=$!
node "$here/load.mjs" --server "$server_url" --data "$payloads" --count "$count"
wait "$follower"
follower=""

stop_server
"$annals" verify --store "sqlite:$folder/annals.db"
echo "try: annals tail --store sqlite:$folder/annals.db"
