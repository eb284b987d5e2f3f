#!/bin/sh
# assay load --find-limit against a service whose capacity is known: 10 ms of work, one at a time.
# N users in a closed loop wait N times 10 ms each; more than 100 arrivals a second pile up. TAP.
#   ASSAY=path HTTP_FIXTURE=path tests/e2e/find_limit.sh
. "$(dirname "$0")/../lib/tap.sh"
tmp=$(mktemp -d) || exit 2
mkfifo "$tmp/hold"
"$HTTP_FIXTURE" 300 <"$tmp/hold" >"$tmp/port" &
fixture=$!
exec 9>"$tmp/hold" # the server ends when we do
trap 'exec 9>&-; wait $fixture; rm -rf "$tmp"' EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
BASE=http://127.0.0.1:$(cat "$tmp/port")
cd "$tmp" || exit 2

# find WHAT [OPTIONS]: short probes; $code, out, err and json hold what came
find() {
	rm -f json
	timeout 120 "$ASSAY" load -q "$@" --warmup 200ms --json json >out 2>err
	code=$?
}
json_is() { jq -r "if $1 then 1 else 0 end" json 2>/dev/null || echo 0; }

find "$BASE/serial/10" --find-limit -u 1 --probe-duration 500ms \
	--threshold 'http_req_duration: p(95)<75'
ok 'users: seven wait 70 ms, eight 80' \
	"$(has out '^holds 7 VUs in 3 of 3 runs; misses 8 VUs in 3 of 3; between: not told$')$code" = 10
ok 'users: as JSON' "$(json_is '.unit == "VUs" and .holds == {"at": 7, "runs": 3} and
	.misses == {"at": 8, "runs": 3} and .complete and (.probes | length) == 10')" = 1
ok 'users: what was crossed, and by how much' \
	"$(has out '8 VUs  misses .*; http_req_duration p\(95\)<75, but p\(95\) is (79\.[5-9]|8[0-9])')" = 1

# at 105/s 1.7 s leave 9 waiting, 90 ms; at 115/s 26, 260 ms
find "$BASE/serial/10" --find-limit=80..400 --resolution 10 --probe-duration 1500ms \
	--threshold 'http_req_duration: p(95)<100'
ok 'rate: 100 a second are carried' \
	"$(json_is '.holds.at >= 90 and .holds.at <= 106 and .misses.at > .holds.at and
	.misses.at <= 118 and .holds.runs == 3 and .misses.runs == 3')$code" = 10
ok 'rate: the warm-up is not counted' \
	"$(json_is '.probes[0] | .at == 80 and .iterations >= 119 and .iterations <= 121')" = 1

cat >script.js <<'END'
import http from 'k6/http';
export const options = {
  scenarios: {
    buy: { executor: 'constant-vus', vus: 3, duration: '1h', exec: 'buy', env: { WHAT: 'serial/5' } },
  },
  thresholds: { 'http_req_duration{scenario:buy}': ['max<1000'], checks: ['rate>0.9'] },
};
export function buy() { http.get(`${__ENV.BASE}/${__ENV.WHAT}`); }
END
find script.js -e BASE="$BASE" --find-limit=20..40 --probe-duration 300ms
ok 'a script: its scenario, at our rate, up to the end of the range' \
	"$(has out '^holds 40/s in 3 of 3 runs; above: not tried$')$code" = 10

find "$BASE/status/500" --find-limit=4..40 --probe-duration 300ms --resolution 50 \
	--threshold 'http_req_failed: rate<0.01'
ok 'nothing holds: 99' "$code$(has out '^no load was seen to hold; misses 4/s in 3 of 3$')" = 991

find "$BASE/hang" --find-limit=20..40 --probe-duration 300ms \
	--threshold 'http_req_duration: p(95)<100'
ok 'nothing is answered: the probes do not tell' "$code$(has out 'cut off at the end')" = 31

timeout 60 "$ASSAY" load -q "$BASE/echo" --find-limit=10 --probe-duration 700ms --json json \
	--warmup 0s --threshold 'http_req_failed: rate<0.01' >out 2>err &
pid=$!
until grep -q '^  1 ' out; do sleep 0.1; done
kill -INT $pid
wait $pid
code=$?
ok 'a signal: what is known is printed' "$code$(has out '^interrupted; so far: holds 10/s in 1 of 1')" = 1051
ok 'a signal: as JSON too' "$(json_is '.complete == false and (.probes | length) >= 1')" = 1

find "$BASE/echo" --find-limit
ok 'without thresholds there is no question' "$code$(has err 'no thresholds')" = 1041
find "$BASE/echo" --find-limit --rate 5 --threshold 'http_req_failed: rate<0.01'
ok 'flags that do not go with it are named' "$code$(has err '\-\-rate does not go with')" = 1041
find "$BASE/echo" --find-limit=5..x --threshold 'http_req_failed: rate<0.01'
ok 'a range that is none' "$code$(has err 'expected START..MAX')" = 1041
find "$BASE/echo" --resolution 3
ok 'its flags alone are refused' "$code$(has err 'goes with --find-limit')" = 1041
tap_end
