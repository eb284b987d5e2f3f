#!/bin/sh
# Runs assay load with every output that sends, against a receiver that decodes by itself, and prints TAP.
#   ASSAY=path HTTP_FIXTURE=path tests/e2e/outputs.sh
. "$(dirname "$0")/../lib/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 2
cd "$tmp" || exit 2
mkfifo hold
"$HTTP_FIXTURE" 120 <hold >port &
fixture=$!
python3 "$here/../helper/receiver.py" "$tmp/got" <hold >receiver_port &
receiver=$!
exec 9>hold # both end when we do
trap 'exec 9>&-; wait $fixture $receiver; rm -rf "$tmp"' EXIT
until [ -s port ] && [ -s receiver_port ]; do sleep 0.05; done
BASE=http://127.0.0.1:$(cat port)
TO=127.0.0.1:$(cat receiver_port)
shown='err got'

cat >script.js <<'END'
import http from 'k6/http';
import { check, sleep } from 'k6';
import { Counter, Gauge } from 'k6/metrics';
const hits = new Counter('hits');
const level = new Gauge('level');
export const options = { vus: 1, iterations: 10, tags: { 'a b': 'c,d=e' } };
export default function () {
  const r = http.get(`${__ENV.BASE}/delay/20`, { tags: { name: 'delay' } });
  check(r, { 'is 200': (x) => x.status === 200, 'never': () => false });
  hits.add(2.5);
  level.add(__ITER);
  sleep(0.1);
}
END

# load OPTIONS: runs it; $code, out, err, result and got hold what came
load() {
	rm -f got result
	timeout 60 "$ASSAY" load -q -e BASE="$BASE" --json result "$@" >out 2>err
	code=$?
	touch got
}

# is FILTER: 1 when the filter on the list of what was received is true; result_is: on the result
is() { jq -rs "if ($1) then 1 else 0 end" got 2>err.jq || cat err.jq; }
result_is() { jq -r "if ($1) then 1 else 0 end" result 2>err.jq || cat err.jq; }

load --out influxdb="http://me:secret@$TO/db" script.js
ok 'influxdb: every sample comes' "$(is 'map(select(.name == "http_reqs")) | length == 10 and all(.value == 1)')" = 1
ok 'influxdb: tags, and tags as fields' "$(is 'map(select(.name == "http_req_duration")) | all(
	.labels["a b"] == "c,d=e" and .labels.name == "delay" and .labels.status == "200" and .labels.url == null
	and .fields.url == "\"delay\"" and .value >= 20 and .value < 2000)')" = 1
ok 'influxdb: times are wall time in ns' "$(is "all(.time / 1e9 > $(date +%s) - 60 and .time / 1e9 < $(date +%s) + 1)")" = 1
ok 'influxdb: who we are' "$(is 'all(.headers.Authorization == "Basic bWU6c2VjcmV0")')" = 1
ok 'influxdb: nothing is lost' "$(result_is '.outputs == [{output: "influxdb=http://'"$TO"'/db", samples_lost: 0, because: null}]')" = 1

export K6_PROMETHEUS_RW_SERVER_URL=http://$TO/write K6_PROMETHEUS_RW_TREND_STATS='p(95),count,min,max' \
	K6_PROMETHEUS_RW_PUSH_INTERVAL=300ms K6_PROMETHEUS_RW_STALE_MARKERS=true
load --out experimental-prometheus-rw script.js
last='group_by(.name) | map(map(select(.value != "stale")) | last) | map({(.name): .}) | add'
ok 'remote write: counters' "$(is "$last | .k6_http_reqs_total.value == 10 and .k6_hits_total.value == 25")" = 1
ok 'remote write: gauges' "$(is "$last | .k6_level.value == 9 and .k6_vus.value == 1")" = 1
ok 'remote write: rates' "$(is 'map(select(.name == "k6_checks_rate" and .value != "stale")) | group_by(.labels.check)
	| map(last | .value) == [1, 0]')" = 1
ok 'remote write: trends in seconds' "$(is "$last | .k6_http_req_duration_count.value == 10
	and .k6_http_req_duration_min.value >= 0.02 and .k6_http_req_duration_p95.value <= .k6_http_req_duration_max.value
	and .k6_http_req_duration_max.value < 2")" = 1
ok 'remote write: labels' "$(is "$last"' | .k6_http_reqs_total.labels.a_b == "c,d=e"')" = 1
ok 'remote write: it grows' "$(is 'map(select(.name == "k6_hits_total" and .value != "stale") | .value)
	| length >= 2 and . == sort and .[0] < 25')" = 1
ok 'remote write: a sample a millisecond' "$(is 'map(select(.name == "k6_hits_total") | .time) | . == unique')" = 1
ok 'remote write: at the end all are stale' "$(is 'group_by([.name, .labels]) | all(last | .value == "stale")')" = 1
ok 'remote write: nothing is lost' "$(result_is '.outputs[0].samples_lost == 0')" = 1

export K6_OTEL_HTTP_EXPORTER_ENDPOINT="$TO" K6_OTEL_HTTP_EXPORTER_INSECURE=true K6_OTEL_METRIC_PREFIX=k6. \
	K6_OTEL_EXPORT_INTERVAL=400ms K6_OTEL_EXPORTER_PROTOCOL=http/protobuf
load --out opentelemetry script.js
last='group_by([.name, .labels.check, .labels.condition]) | map(last)'
ok 'opentelemetry: counters' "$(is "$last"' | map(select(.name == "k6.hits"))
	| length == 1 and .[0].kind == "sum" and .[0].value == 25 and .[0].temporality == 2 and .[0].monotonic == 1')" = 1
ok 'opentelemetry: gauges' "$(is "$last"' | map(select(.name == "k6.level")) | .[0].kind == "gauge" and .[0].value == 9')" = 1
ok 'opentelemetry: rates' "$(is "$last"' | map(select(.name == "k6.checks")) | map([.labels.check, .labels.condition, .value])
	== [["is 200", "nonzero", 10], ["never", "zero", 10]]')" = 1
ok 'opentelemetry: trends' "$(is "$last"' | map(select(.name == "k6.http_req_duration")) | .[0]
	| .kind == "histogram" and .unit == "ms" and .value == 10 and (.buckets | add == 10 and length == 16)
	and .buckets[0] + .buckets[1] + .buckets[2] == 0 and .sum >= 200')" = 1
ok 'opentelemetry: whose they are' "$(is 'all(.resource["service.name"] == "k6" and .time >= 0)')" = 1
ok 'opentelemetry: nothing is lost' "$(result_is '.outputs[0].samples_lost == 0')" = 1
K6_OTEL_EXPORTER_PROTOCOL=http/json load --out experimental-opentelemetry script.js
ok 'opentelemetry: as JSON' "$(is "$last"' | map(select(.name == "k6.hits" or .name == "k6.http_req_duration") | .value) == [25, 10]')" = 1

load --out influxdb="http://$TO/later/db" --out json=lines.json --out csv=lines.csv script.js
ok 'a receiver that says "later" gets all' "$(is 'map(select(.name == "http_reqs")) | length == 10')" = 1
ok 'several outputs at once' "$(grep -c '^{"metric":"http_reqs"' lines.json)-$(grep -c '^http_reqs,' lines.csv)" = 10-10

load --out influxdb="http://$TO/no/db" script.js
ok 'a receiver that refuses costs the samples, not the run' $code = 0
ok 'it is told with its words' "$(grep -c "samples were lost by output influxdb=http://$TO/no/db, because http://$TO/no/write answered 400: why?" err)" = 1
ok 'and kept in the result' "$(result_is '.outputs[0].samples_lost > 100 and (.outputs[0].because | contains("400"))')" = 1

# nobody listens, or nobody answers: as many requests as without, within the run's time and 13 s
cat >steady.js <<'END'
import http from 'k6/http';
export const options = { scenarios: { open: { executor: 'constant-arrival-rate', rate: 400, duration: '2s',
  preAllocatedVUs: 20 } } };
export default function () { http.get(`${__ENV.BASE}/echo`); }
END
for url in http://127.0.0.1:1/db "http://$TO/slow/db"; do
	begun=$(date +%s)
	K6_PROMETHEUS_RW_SERVER_URL=$url load --out influxdb="$url" --out experimental-prometheus-rw steady.js
	took=$(($(date +%s) - begun))
	ok "$url: the run is not hurt" "$code-$(result_is '.metrics.http_reqs.count >= 795 and .metrics.iterations.count
		+ ([.scenarios[].dropped] | add) >= 800')" = 0-1
	ok "$url: all samples are counted as lost" "$(result_is '(.metrics.http_reqs.count * 8) as $n
		| .outputs | length == 2 and all(.samples_lost > $n and .because != null)')" = 1
	ok "$url: it ends in bounded time" $took -le 15
done

load --out json=/dev/full --out csv=/dev/full script.js
ok 'a full disk costs the samples, not the run' "$code-$(result_is '.outputs | length == 2 and all(.samples_lost > 100
	and .because == "writing /dev/full failed: No space left on device")')" = 0-1
tap_end
