#!/usr/bin/env bash
# Runs the example $2 against a server of the program $1, and compares what it prints.
set -euo pipefail

folder=$(mktemp -d)
mkfifo "$folder/out"
"$1" serve --store "sqlite:$folder/orders.db" --set server.listen=127.0.0.1:0 >"$folder/out" 2>"$folder/err" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT

url=
exec 3<"$folder/out"
while read -r line <&3; do
  if [[ $line =~ http://[0-9.:]+ ]]; then
    url=${BASH_REMATCH[0]}
    break
  fi
done
[[ -n $url ]] || { cat "$folder/err" >&2; exit 1; }

for run in 1 2; do
  printed=$("$2" "$url")
  [[ $printed =~ ^"event $run, receipt $run:"[0-9a-f]{64}$'\n'"$run order.paid {\"total\":12.50}"$ ]] || {
    echo "run $run printed: $printed" >&2
    exit 1
  }
done
