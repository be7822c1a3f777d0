#!/usr/bin/env bash
# Fetches the payloads of the example once and prints the file they are in.
#
#   fetch.sh [FOLDER]     default: $ANNALS_EXAMPLE_CACHE, else .cache beside this script
set -euo pipefail

package=@octokit/webhooks-examples
version=7.6.1
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${1:-${ANNALS_EXAMPLE_CACHE:-$here/.cache}}"
payloads="$cache/$version/payloads.json"

if [[ ! -f $payloads ]]; then
  command -v npm >/dev/null || { echo "fetch: needs npm to get $package" >&2; exit 1; }
  mkdir -p "$cache/$version"
  scratch="$(mktemp -d "$cache/fetch-XXXXXX")"
  trap 'rm -rf "$scratch"' EXIT
  echo "fetch: $package $version" >&2
  npm pack --silent --pack-destination "$scratch" "$package@$version" >/dev/null
  tar -xzf "$scratch"/*.tgz -C "$scratch" --strip-components=1
  # Renamed at the end, so that a fetch that was interrupted leaves nothing that looks complete.
  mv "$scratch/api.github.com/index.json" "$payloads"
fi
echo "$payloads"
