#!/bin/sh
# bench/memory.sh [BUILD] [SECONDS] - resident memory per virtual user of a small script, and whether
# memory grows in a long run (600 s unless given).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
seconds=${2:-600}
ninja -C "$build" bench/http_server >/dev/null
tmp=$(mktemp -d)
mkfifo "$tmp/hold"
"$build/bench/http_server" 3000 <"$tmp/hold" >"$tmp/port" &
exec 9>"$tmp/hold"
trap 'exec 9>&-; rm -rf "$tmp"' EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
URL=http://127.0.0.1:$(cat "$tmp/port")/

rss() { # of process $1, KB
	awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

for users in 1 1000 10000; do
	"$build/assay" load -q --no-summary -e URL="$URL" -u $users -d 8s "$here/one_get_sleep.js" &
	pid=$!
	sleep 6
	echo "$users users: $(rss $pid) KB"
	wait $pid
done
echo 'time rss-KB, 50 users at full speed'
"$build/assay" load -q -e URL="$URL" -u 50 -d "${seconds}s" "$here/one_get.js" >"$tmp/out" 2>&1 &
pid=$!
step=$((seconds / 10))
for i in 1 2 3 4 5 6 7 8 9; do
	sleep $step
	echo "$((i * step)) $(rss $pid)"
done
wait $pid
grep -E 'http_reqs|generator' "$tmp/out"
