#!/bin/sh
# Scripts, signals and files that mean no good: each ends with a message and the right exit code, and
# never with a crash, a hang or without bounds. Prints TAP.
#   ASSAY=path tests/e2e/hostile.sh
. "$(dirname "$0")/../lib/tap.sh"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
nothing='export default function () {}'
ulimit -c 0

# load CODE [OPTION...]: runs a script of this text; $code, out and err hold what came
load() {
	printf '%s\n' "$1" >script.js
	shift
	timeout -k 5 60 "$ASSAY" load -q "$@" script.js >out 2>err </dev/null
	code=$?
}

# signal N CODE: sends N interrupts to a run, the first when the script has begun
signal() {
	times=$1
	printf '%s\n' "$2" >script.js
	# in the foreground: it passes signals on once
	timeout --foreground -s KILL 40 "$ASSAY" load -q script.js >out 2>err </dev/null &
	pid=$!
	sleep 0.7
	for i in $(seq "$times"); do
		kill -INT $pid
		sleep 0.3
	done
	wait $pid
	code=$?
}

says() { grep -q -- "$1" err && echo 1; }

# ---- without end ----

forever='while (true) {}'
load "export const options = { setupTimeout: '1s' };
	export function setup() { $forever } $nothing"
ok 'setup() without end' "$code$(says 'took longer than setupTimeout')" = 1001
load "export const options = { setupTimeout: '1s' };
	export function setup() { return { toJSON() { $forever } } } $nothing"
ok 'what setup() returns, without end' "$code$(says 'took longer than setupTimeout')" = 1001
load "export const options = { teardownTimeout: '1s' };
	export function teardown() { $forever } $nothing"
ok 'teardown() without end' "$code$(says 'took longer than teardownTimeout')" = 1011
load "export const options = { handleSummaryTimeout: '1s' };
	export function handleSummary() { $forever } $nothing"
ok 'handleSummary() without end' "$code$(says 'took longer than handleSummaryTimeout')" = 01
ok 'the ordinary summary is there all the same' "$(grep -c 'iterations\.' out)" = 1
load "export const options = { handleSummaryTimeout: '1s' };
	export function handleSummary() { return { x: 'x', get y() { $forever } } } $nothing"
ok 'what handleSummary() returns, without end' \
	"$code$(says 'took longer than handleSummaryTimeout')" = 01
ok 'nothing of it is written' ! -e x
brief="scenarios: { a: { executor: 'shared-iterations', maxDuration: '1s', gracefulStop: '0s' } }"
load "export const options = { $brief };
	export default function () { throw { toString() { $forever } } }"
ok 'what an iteration throws, without end' $code = 0
load "export const options = { $brief };
	export default function () { /^(a+)+\$/.test('a'.repeat(50) + 'b') }"
ok 'a regular expression without end' $code = 0

# ---- signals ----

signal 1 "$forever $nothing"
ok 'a signal in the init code' "$code$(says 'stopped by a signal')" = 1051
signal 1 "export const options = { get a() { $forever } }; $nothing"
ok 'a signal while options are read' "$code$(says 'stopped by a signal')" = 1051
signal 1 "throw { toString() { $forever } }; $nothing"
ok 'a signal while an error is described' "$code$(says 'stopped by a signal')" = 1051
signal 1 "if (__VU > 1) $forever; export const options = { vus: 3, duration: '20s' }; $nothing"
ok "a signal in a VU's init code" "$code$(says 'stopped by a signal')" = 1051
signal 1 "export function setup() { $forever } $nothing"
ok 'a signal in setup()' "$code$(says 'stopped by a signal')" = 1051
signal 1 "import { sleep } from 'k6'; export function setup() { sleep(50) } $nothing"
ok 'a signal while setup() sleeps' "$code$(says 'stopped by a signal')" = 1051
signal 1 "export function handleSummary() { $forever } $nothing"
ok 'a signal in handleSummary()' "$code$(says 'stopped by a signal')" = 1051
signal 1 "import { sleep } from 'k6';
	export const options = { duration: '20s' }; export default function () { sleep(0.1) }"
ok 'a signal in the load' "$code$(says 'stopped by a signal')$(grep -c 'iterations\.' out)" = 10511
signal 2 "export const options = { duration: '20s' }; export default function () { $forever }"
ok 'two signals in an iteration without end' "$code$(says 'stopped by a signal')" = 1051
signal 2 "import { sleep } from 'k6'; export function teardown() { sleep(50) } $nothing"
ok 'two signals while teardown() sleeps' "$code$(says 'stopped by a signal')" = 1051
native='Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'
signal 2 "$native; $nothing"
ok 'two signals in a native function without end' "$code$(says 'does not let go')" = 1051
signal 3 "$native; $nothing"
ok 'three signals' $code = 105

# ---- options ----

# Two arrivals a nanosecond of a scenario's second: all are counted and none is waited for.
load "export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 2,
	timeUnit: '1ns', duration: '1s', preAllocatedVUs: 2 } } }; $nothing" --json json
ok 'arrivals faster than any generator' $code = 0
ok 'are sent or dropped, every one' "$(jq '.scenarios[0] | .iterations + .dropped' json)" = 2000000000

# refused NAME OPTIONS: is told with exit code 104, or 107 when reading them throws
refused() {
	load "export const options = $2; $nothing"
	ok "$1" "$code$(grep -c '^assay load: ' err)" = "${3:-104}1"
}

refused '10^9 VUs' '{ vus: 1e9 }'
refused '10^300 VUs' "{ vus: 1e300, duration: '1s' }"
refused 'a negative duration' '{ vus: 1, duration: -5 }'
refused 'a duration beyond all bounds' "{ vus: 1, duration: '99999999999999999h' }"
refused 'a negative duration in words' "{ vus: 1, duration: '-5s' }"
refused '10^6 stages' "{ stages: Array(1e6).fill({ duration: '1h', target: 1 }) }"
refused 'stages that are none' '{ stages: [null] }'
refused 'an executor that is a number' '{ scenarios: { a: { executor: 5 } } }'
refused 'no time unit' "{ scenarios: { a: { executor: 'constant-arrival-rate', rate: 1,
	timeUnit: '0s', duration: '1s', preAllocatedVUs: 1 } } }"
refused '10^18 arrivals a second' "{ scenarios: { a: { executor: 'constant-arrival-rate',
	rate: 1e18, duration: '1s', preAllocatedVUs: 1 } } }"
refused 'too many scenarios' "{ scenarios: Object.fromEntries(Array.from({ length: 2000 },
	(_, i) => ['s' + i, { executor: 'shared-iterations' }])) }"
refused 'a threshold that is a number' '{ thresholds: { http_reqs: [5] } }'
refused 'too many thresholds on tags' "{ thresholds: Object.fromEntries(
	Array.from({ length: 20000 }, (_, i) => ['http_reqs{a:' + i + '}', ['count>=0']])) }"
refused 'a key that is no PEM' "{ tlsAuth: [{ cert: 'x', key: 'y' }] }"
refused 'a NUL in a name' "{ 'vus\\0x': 5 }"
refused 'options in a circle' '(() => { const a = {}; a.a = a; return a })()' 107
refused 'options 10^5 deep' '(() => { let a = {}; for (let i = 0; i < 1e5; i++) a = { a };
	return a })()' 107
refused 'options that are a text' "'{'"
refused 'a toJSON() that gives a text' "{ toJSON() { return '{' } }"
refused 'a proxy that throws' '{ a: new Proxy({}, { ownKeys() { throw 1 } }) }' 107
refused 'a BigInt' '{ vus: 1n }' 107

# ---- series ----

load "import { Counter } from 'k6/metrics';
	const c = new Counter('hits');
	export const options = { thresholds: { 'hits{kind:even}': ['count==65000'] } };
	export default function () {
		for (let i = 0; i < 130000; i++) c.add(1, { kind: i % 2 ? 'odd' : 'even', user: 'u' + i });
	}"
ok 'more sets of tags than are kept: no sample is lost' "$code$(grep -c 'hits\.*: 130000 ' out)" = 01
ok 'the tag at fault is named' "$(tr -s '\n ' ' ' <out | grep -c \
	"samples lost a tag: there were more than 100000 sets of tags, most of them because of the tag 'user'")" = 1

# ---- memory ----

# within NAME CODE EXIT_CODE: in 2 GiB, whose end the kernel does not have to enforce
within() {
	if [ "$(id -u)" != 0 ] || ! "$ASSAY" run -m 2G -- true 2>/dev/null; then
		skip "$1" 'needs the right to make cgroups'
		return
	fi
	printf '%s\n' "$2" >script.js
	timeout -k 5 100 "$ASSAY" run -m 2G -- "$ASSAY" load -q script.js >out 2>err </dev/null
	code=$?
	ok "$1" "$(says 'all virtual users share 1536 MB')$(says 'OOM kills 0')$code" = "11$3"
}

within 'an iteration that eats memory' \
	'export default function () { const a = []; for (;;) a.push(new ArrayBuffer(1 << 24)) }' 0
within 'init code that eats memory' \
	"const a = []; for (;;) a.push(new ArrayBuffer(1 << 24)); $nothing" 107
within 'many virtual users that eat memory' "export const options = { vus: 100, iterations: 100 };
	const a = []; export default function () { for (;;) a.push(new ArrayBuffer(1 << 22)) }" 0
tap_end
