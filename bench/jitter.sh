#!/bin/sh
# bench/jitter.sh [BUILD] [SECONDS] - arrivals at 1,000/s as the receiver sees them: a bare
# clock_nanosleep() sender, assay load, and assay load --precise, twice each, one after the other.
# The receiver has CPU 1 for itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
seconds=${2:-10}
ninja -C "$build" bench/jitter >/dev/null
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

against() { # against NAME COMMAND...: PORT and URL are in its environment
	name=$1
	shift
	: >"$tmp/out"
	taskset -c 1 "$build/bench/jitter" receive 1000 "$seconds" >"$tmp/out" &
	receiver=$!
	until [ -s "$tmp/out" ]; do sleep 0.05; done
	PORT=$(head -n 1 "$tmp/out")
	export PORT URL="http://127.0.0.1:$PORT/"
	taskset -c 0 sh -c "$*" >/dev/null 2>&1 || true
	wait $receiver
	echo "$name: $(tail -n +2 "$tmp/out")"
}

for run in 1 2; do
	against 'bare clock_nanosleep' "'$build/bench/jitter' send \$PORT 1000 $((seconds + 1))"
	for flag in '' --precise; do
		against "assay load $flag" "'$build/assay' load -q $flag --threads 1 -e URL=\$URL" \
			"-e DURATION=$((seconds + 1))s '$here/arrivals.js'"
	done
done
