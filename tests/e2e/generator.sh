#!/bin/sh
# Does the generator know when its own figures are wrong? Provokes what spoils a run, and prints TAP.
#   ASSAY=path HTTP_FIXTURE=path tests/e2e/generator.sh
. "$(dirname "$0")/../lib/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)/load
tmp=$(mktemp -d) || exit 2
mkfifo "$tmp/hold"
"$HTTP_FIXTURE" 300 <"$tmp/hold" >"$tmp/port" &
fixture=$!
exec 9>"$tmp/hold" # the server ends when we do
trap 'exec 9>&-; wait $fixture; rm -rf "$tmp"' EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
BASE=http://127.0.0.1:$(cat "$tmp/port")
cd "$tmp" || exit 2

# load SCRIPT [OPTIONS]: runs it; $code, out, err and json hold what came. $before runs it.
before=
load() {
	script=$1
	shift
	rm -f json
	timeout 100 $before "$ASSAY" load -q -e BASE="$BASE" --json json "$@" "$here/$script" >out 2>err
	code=$?
}

# is FILTER: 1 when jq says true of the result
is() {
	jq -r "if $1 then 1 else 0 end" json 2>/dev/null || echo 0
}

# 500 arrivals 10 ms apart; the 200 of the stall wait 2.00, 1.99, … 0.01 s: 201 s in all, 402 ms on
# average, and 5 % of all wait longer than 1.75 s. Sent they are one after the other: one took 2 s.
load stall.js --queue-arrivals
ok 'a stall: every arrival is sent' "$(is '.metrics.iterations.count >= 500')" = 1
ok 'a stall: latency from when it was due is what arithmetic says' \
	"$(is '.metrics.http_req_duration_corrected | .mean > 380 and .mean < 450
		and .percentiles["p(95)"].value > 1700 and .percentiles["p(95)"].value < 1850')" = 1
ok 'a stall: latency from when it was sent shows one of them' \
	"$(is '.metrics.http_req_duration | .mean < 20 and .max > 1900
		and .percentiles["p(95)"].value < 100')" = 1
ok 'a stall: a line explains the gap' \
	"$(grep -cE "Requests were sent [0-9.]+ms after they were due" out)" = 1
ok 'a stall: the wait is not the generator being late' "$(is '.generator.start_lag_p99_ms < 100')" = 1

load slow_open.js
ok 'drops: all for want of VUs, most at the limit' "$(is '.scenarios[0].dropped_because
	| .vu_limit > 80 and .time_up == 0')" = 1
ok 'drops: the VUs that would have sufficed' "$(is '.scenarios[0].vus_needed
	| . >= 10 and . <= 14')" = 1
load slow_open.js --auto-vus
ok '--auto-vus makes them' "$(is '.scenarios[0].dropped < 15 and .metrics.vus_max.max >= 10')" = 1

load dial.js --strict
ok 'a fit generator is valid, and --strict changes nothing' "$code$(is .generator.valid)" = 01
timeout 60 sh -c 'ulimit -n 64; exec "$@"' sh "$ASSAY" load -q --strict -e BASE="$BASE" \
	-e USERS=100 -e TIMES=400 -e KEEP=1 --json json "$here/dial.js" >out 2>err
code=$?
before=
ok 'no descriptors: the run is not valid' "$(is '.generator.no_descriptors > 0
	and (.generator.verdict | contains("descriptors"))')" = 1
ok 'no descriptors: --strict says 3' $code = 3

if [ "$(id -u)" = 0 ] && "$ASSAY" run --cpus 0.1 -- true 2>/dev/null; then
	before="$ASSAY run --cpus 0.1 --"
	load burn.js --strict
	before=
	ok 'a tenth of a CPU: the run is not valid' "$(is '.generator.throttled_share > 0.5
		and (.generator.verdict | contains("quota"))')" = 1
	ok 'a tenth of a CPU: --strict says 3' $code = 3
else
	skip 'a tenth of a CPU' 'needs the right to make cgroups'
fi

if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
	cat >ports.sh <<'END'
ip link set lo up 2>/dev/null || ifconfig lo up
echo 40000 40019 >/proc/sys/net/ipv4/ip_local_port_range
"$HTTP_FIXTURE" 30 <"$1/hold2" >"$1/port2" &
exec 8>"$1/hold2"
until [ -s "$1/port2" ]; do sleep 0.05; done
timeout 30 "$ASSAY" load -q --strict -e BASE="http://127.0.0.1:$(cat "$1/port2")" -e USERS=40 \
	-e TIMES=120 --json "$1/json" "$2/dial.js" >"$1/out" 2>"$1/err"
END
	mkfifo hold2
	HTTP_FIXTURE=$HTTP_FIXTURE ASSAY=$ASSAY unshare -n sh ports.sh "$tmp" "$here"
	code=$?
	ok 'no ports: the run is not valid' "$(is '.generator.no_ports > 0
		and (.generator.verdict | contains("ports"))')" = 1
	ok 'no ports: --strict says 3' $code = 3
else
	skip 'no ports' 'needs the right to make a network namespace'
fi
tap_end
