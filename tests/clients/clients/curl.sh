#!/usr/bin/env bash
# curl -N in a loop: prints the number of each event. Arguments: address of the server, last number.
set -u
position=0
while ((position < $2)); do
  while IFS= read -r line; do
    case "$line" in
      "id: "*) id="${line#id: }" ;;
      "event: "*) control=yes ;;
      "data: "*) [[ -n ${control:-} ]] || echo "$id" ;;
      "")
        # A frame has ended whole: only now its id counts.
        position="${id:-$position}"
        control=""
        ((position < $2)) || exit 0
        ;;
    esac
  done < <(exec curl -sSNk --http2 -H "Last-Event-ID: $position" "$1/v1/events/stream" 2>/dev/null)
  control=""
  id="$position"
  sleep 0.3
done
