# For checks that ask a server: starts one of build/dev on a new log, for as long as the script runs that
# sources this. Sets `folder`, which is removed at its end, and `url`.
folder="$(mktemp -d)"
build/dev/bin/annals serve --store "sqlite:$folder/log.db" --listen 127.0.0.1:0 --json \
  >"$folder/out" 2>"$folder/err" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [[ -s $folder/out ]]; do
  kill -0 "$server" || { cat "$folder/err" >&2; exit 1; }
  sleep 0.05
done
url="$(grep -o 'http://[^"]*' "$folder/out")"
