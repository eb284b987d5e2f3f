#!/bin/sh
# Runs assay load on the scripts in load/ against the fixture server, and prints TAP.
#   ASSAY=path HTTP_FIXTURE=path tests/e2e/load.sh
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

# load SCRIPT [OPTIONS]: runs it; $code, out and err hold what came
load() {
	script=$1
	shift
	timeout 60 "$ASSAY" load -q -e BASE="$BASE" "$@" "$here/$script" >out 2>err
	code=$?
}

load basic.js --out json=samples.json --summary-export export.json
ok 'a run ends with 0' $code = 0
ok 'requests are counted' "$(has out 'http_reqs\.+: 18 ')" = 1
ok 'checks are in the summary' "$(has out 'checks_succeeded.*27 out of 27')" = 1
ok 'a metric of the script is in the summary' "$(has out 'seen\.+: 18 ')" = 1
ok 'teardown gets setup()s data' "$(has err 'teardown: hello')" = 1
ok 'every sample is a line' "$(grep -c '"metric":"http_req_duration","type":"Point"' samples.json)$(grep -c '"type":"Point".*"metric":"http_req_duration"' samples.json)" != 00
ok 'every request is a sample' "$(grep -c '"http_reqs".*"name"' samples.json)" = 18
ok 'the name replaces the URL' "$(grep '"http_reqs"' samples.json | grep -c '"name":"echo"')" = 9
ok 'the group is a tag' "$(grep '"http_reqs"' samples.json | grep -c '"group":"::outer"')" = 18
ok 'the summary is exported' "$(has export.json '"http_reqs"')" = 1

load forms.js
ok 'forms and links of pages are followed' $code = 0
ok 'all of them' "$(has out 'checks_succeeded.*9 out of 9')" = 1

load arrivals.js
ok 'crossed thresholds give 99' $code = 99
ok 'arrivals without a free VU are dropped' "$(has out 'dropped_iterations\.+: 3[56] ')" = 1
ok 'those with one are sent' "$(has out 'http_reqs\.+: 4 ')" = 1
ok 'the crossed threshold is named' "$(has err 'dropped_iterations')" = 1

before=$("$ASSAY" get -o before "$BASE/count" >/dev/null; cat before)
load steady.js --warmup 1500ms --run run.assay
after=$("$ASSAY" get -o after "$BASE/count" >/dev/null; cat after)
ok 'the load is counted' "$(has out 'iterations\.+: (100|101) ')" = 1
ok 'the warm-up is sent and not counted' $((after - before)) -ge 170
ok 'a run file is written' -s run.assay
load steady.js --run run.assay
ok 'a run file is not written over' $code = 104

load logs.js --no-summary --http-debug=full --log-format raw --console-output said
ok 'console.log() goes to a file' "$(cat said)" = 'it said "so"'
ok 'requests are logged as they are sent' "$(tr -d '\r' <err | head -n 8 | sed '/^User-Agent\|^Host/d' | tr '\n' '|')" \
	= 'Request:|POST /echo?a=1 HTTP/1.1|Content-Length: 4|X-A: b||text|'
ok 'and answers as they came' "$(tr -d '\r' <err | grep -c '^HTTP/1.1 200 OK$\|^POST /echo?a=1 4$')" = 2
load logs.js --no-summary --http-debug --log-output=file=log,level=info
ok 'without bodies, into a file' "$(grep -c 'Content-Length: 4' log)$(grep -c 'ntext"' log)$(wc -c <err)" = 100
load logs.js --no-summary --log-format json --log-output stdout
ok 'as JSON' "$(sed 's/,"time":"[^"]*"//' out)" = '{"level":"info","msg":"it said \"so\"","source":"console"}'
load logs.js --log-output loki=x
ok 'a place that is not known is refused' "$code$(has err 'assay does not send its log to Loki')" = 1041
load logs.js --log-output file=/nowhere/log
ok 'so is one that cannot be written' "$code$(has err 'No such file')" = 1041

load summary.js
ok 'handleSummary writes to stdout' "$(cat out)" = 'mine: 4 true'
ok 'handleSummary writes files' "$(cat out.json)" = '["metrics","options","root_group","setup_data","state"]'

load syntax.js
ok 'a script that does not parse gives 107' $code = 107
ok 'its place is told' "$(has err 'syntax\.js:4:[0-9]+')" = 1
load throws_init.js
ok 'an exception in the init code gives 107' $code = 107
ok 'with message and place' "$(has err 'init broke.*broken \(.*throws_init\.js:4:[0-9]+')" = 1
load absent_module.js
ok 'an absent module is refused' $code = 107
ok 'by its name' "$(has err 'k6/net/grpc is not available')" = 1
echo "import exec from 'k6/execution'; exec.test.abort('no TOKEN'); export default () => {};" >abort.js
timeout 20 "$ASSAY" load -q abort.js >out 2>err
ok 'test.abort() in the init code gives 108 and its words' "$?$(has err '^assay load: test aborted: no TOKEN')$(wc -l <err)" = 10811
load setup_throws.js
ok 'an exception in setup() gives 107' $code = 107
ok 'nothing else runs then' "$(has err 'must not run')" = 0
timeout 20 "$ASSAY" load -q nowhere.js >out 2>err
ok 'a missing script is told' "$(has err 'nowhere\.js')" = 1

load hostile.js
ok 'hostile servers give codes and do not hang' $code = 0
load interleave.js
ok 'VUs do not disturb each other' $code = 0
load interleave.js --threads 2
ok 'nor do threads' $code = 0
load recursion.js
ok 'endless recursion is an exception' $code = 0
load stuck.js
ok 'a script that never yields is cut off' $code = 0
ok 'and does not count as an iteration' "$(has out ' iterations\.')" = 0

# without a script
plain() { # plain PATH [OPTIONS]
	path=$1
	shift
	timeout 60 "$ASSAY" load -q "$BASE$path" --json json "$@" >out 2>err
	code=$?
}
json_is() { jq -r "if $1 then 1 else 0 end" json 2>/dev/null || echo 0; }

before=$("$ASSAY" get -o before "$BASE/count" >/dev/null; cat before)
plain /echo -i 20 -u 4
after=$("$ASSAY" get -o after "$BASE/count" >/dev/null; cat after)
ok 'a URL: every iteration is a request' "$code-$((after - before))-$(json_is '.metrics.http_reqs.count == 20')" = 0-21-1
ok 'a URL: 7 bytes of body make it a POST' "$(plain /echo -i 1 --body 1234567 -H 'Content-Type: text/plain'
	json_is '.metrics.data_sent.sum > 100 and .metrics.http_req_failed.passes == 0')" = 1
plain /echo --rate 100 -d 1s
ok 'a URL: at a rate' "$(json_is '.metrics.iterations.count >= 99 and .metrics.iterations.count <= 101
	and .scenarios[0].executor == "constant-arrival-rate"')" = 1
plain /echo --stages 300ms:3,300ms:0
ok 'a URL: in stages' "$(json_is '.scenarios[0].executor == "ramping-vus"')" = 1
plain /redirect/2 -i 3 -u 1
ok 'a URL: redirects are followed, each time anew' "$(json_is '.metrics.http_reqs.count == 9
	and .metrics.iterations.count == 3 and .metrics.http_req_failed.passes == 0')" = 1
plain /status/503 -i 2 -u 1 --threshold 'http_req_failed: rate<0.5'
ok 'a URL: thresholds' $code = 99
plain /delay/5000 -u 2 -d 1s --timeout 200ms
ok 'a URL: timeouts are failures' "$(json_is '.metrics.http_req_failed.passes >= 8
	and .metrics.http_req_duration.max < 1000')" = 1
timeout 60 "$ASSAY" load -q "$BASE/hang" -u 3 -d 1s --json json >out 2>err &
pid=$!
sleep 1.5
kill -INT $pid
sleep 0.3
kill -INT $pid
wait $pid
ok 'a URL: a second signal takes back what hangs' $? = 105
plain /echo --rate x
ok 'a URL: a wrong flag is named' "$code$(has err 'rate takes a number')" = 1041
load basic.js --rate 5
ok 'a rate does not go with a script' "$code$(has err 'goes with a URL')" = 1041

load headers.js
ok 'headers have the names that Go gives them' $code = 0
load jslib_more.js
ok 'more modules of jslib do what they should' "$code$(cat err)" = 0
load jslib.js
ok 'carried modules: what they give' "$(has out 'checks\.+: 91\.66% ✓ 11 +✗ 1')" = 1
ok 'carried modules: a failed assertion is a check, and ends its block' \
	"$(has out '✗ expected .* to include 3')$(has out 'never reached')" = 10
ok 'carried modules: JUnit names what failed' "$(has junit.xml 'tests="1" failures="0"')" = 1
ok 'carried modules: the page is escaped' "$(has page.html 'a &#60;b&#62;')$(has page.html '<b>')" = 10

load typed.ts
ok 'TypeScript runs' "$code$(has out 'checks_succeeded.*100.00% 3 out of 3')" = 01
ok 'TypeScript keeps its lines' "$(has err 'typed.ts:25')" = 1
echo 'const x: = 1;' >broken.ts
timeout 60 "$ASSAY" load -q broken.ts >out 2>err
code=$?
ok 'TypeScript that does not parse is named with its place' \
	"$code$(has err 'broken.ts:1:10: SyntaxError')" = 1071

echo "import 'https://example.test/x.js'; export default () => {};" >remote.js
XDG_CACHE_HOME=$tmp/cache timeout 60 "$ASSAY" load -q remote.js >out 2>err
ok 'a module that is not carried is refused with the place it would be taken from' \
	"$(has err "taken from $tmp/cache/assay/modules/example.test/x.js")" = 1
mkdir -p cache/assay/modules/example.test
echo 'console.log("from the folder");' >cache/assay/modules/example.test/x.js
XDG_CACHE_HOME=$tmp/cache timeout 60 "$ASSAY" load -q remote.js >out 2>err
ok 'and taken from there' "$(has err 'from the folder')" = 1

"$ASSAY" load -q -e BASE="$BASE" "$here/long.js" >out 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
code=$?
ok 'a signal gives 105' $code = 105
ok 'the summary still comes' "$(has out 'http_reqs')" = 1
ok 'teardown still runs' "$(has err 'teardown ran')" = 1
"$ASSAY" load -q -e BASE="$BASE" -e SLEEP=40 "$here/long.js" >out 2>err &
pid=$!
sleep 1
kill -INT $pid
sleep 0.5
kill -INT $pid
wait $pid
code=$?
ok 'a second signal ends it at once' $code = 105
tap_end
