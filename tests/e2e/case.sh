#!/bin/sh
# Runs whole cases, small ones, and prints TAP.
#   ASSAY=path HTTP_FIXTURE=path BOOKSTORE_C=path tests/e2e/case.sh
. "$(dirname "$0")/../lib/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)/case
top=$here/../../..
tmp=$(mktemp -d) || exit 2
mkfifo "$tmp/hold"
"$HTTP_FIXTURE" 280 <"$tmp/hold" >"$tmp/port" &
fixture=$!
exec 9>"$tmp/hold" # the server ends when we do
end() {
	exec 9>&-
	wait $fixture
	! mountpoint -q "$tmp/small" || umount "$tmp/small"
	rm -rf "$tmp"
}
trap end EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
cd "$tmp" || exit 2

fill() { # fill FILE: the case file with its places filled in
	sed "s#@PID@#$fixture#; s#@PORT@#$(cat port)#; s#@HERE@#$here#; s#@TOP@#$top#
		s#@BOOKSTORE@#$BOOKSTORE_C#" "$here/$1"
}

run_case() { # run_case FILE FOLDER [OPTIONS]: $code, out and err hold what came
	file=$1 folder=$2
	shift 2
	timeout 100 "$ASSAY" case run -q "$file" -o "$folder" "$@" >out 2>err
	code=$?
}

of() { # of FOLDER FILTER: a value of its case.json
	jq -r "$2" "$1/case.json" 2>/dev/null
}

fill delay.yaml >delay.yaml
run_case delay.yaml three
ok 'a case of three variants on a service that is there: the last meets the target' $code = 0
ok 'the verdict is met' "$(of three .verdict.result)" = met
ok 'each variant was run twice, in turn' \
	"$(of three '[.runs[].variant] | join(" ")')" = 'slow half fast fast half slow'
ok 'the base missed' "$(of three '.variants[0].slo')" = missed
ok 'its p99 is the 150 ms it waits' \
	"$(of three '.variants[0].figures.p99_ms.value | . >= 150 and . < 190')" = true
ok 'all came through' "$(of three '.variants[2].dropped + .variants[2].failed')" = 0
ok 'the suspect has a row' "$(of three '.suspects[0].removed_by')" = half
ok 'answers were compared' "$(of three .case.answers.result)" = equal
ok 'the page needs no script' "$(grep -c '<script' three/report.html)" = 0
ok 'the page names the verdict' "$(grep -c PROVEN three/report.md)" -ge 1
timeout 60 "$ASSAY" report three >again 2>err
ok 'the stored runs give the same page' "$(head -n 2 again)" = "$(head -n 2 out)"

run_case delay.yaml three
ok 'a folder that holds a case is not written over' $code = 3
ok 'and the error says so' "$(grep -c 'holds a case already' err)" = 1

sed 's#path: /json}$#path: /count}#; s/runs: 2/runs: 1/' delay.yaml >differ.yaml
run_case differ.yaml differ
ok 'answers that differ are a no' "$(of differ .case.answers.result)" = differ
ok 'whatever the latency' $code = 1

sed 's/^variants:/varaints:/' delay.yaml >wrong.yaml
run_case wrong.yaml wrong
ok 'a wrong key is a usage error' $code = 2
ok 'with its place and the right key' \
	"$(grep -c 'wrong.yaml:15:1: no key "varaints" here; did you mean "variants"?' err)" = 1
ok 'and leaves no folder' ! -e wrong

if [ "$(id -u)" != 0 ]; then
	for name in 'dying target' 'Ctrl-C' 'full disk'; do skip "$name" 'limits need root'; done
	tap_end
	exit 0
fi
# what the target says of itself: 2 MB/s allocated, 3 ms/s of pauses, a heap that grows by 1 MB/s,
# a p99 within a bucket up to 40 ms
fill page.yaml >page.yaml
run_case page.yaml page
ok 'counters of a metrics page are in the figures of every variant' "$(of page '[.variants[].figures |
	(.allocation_bytes_per_s.value | . > 1.9e6 and . < 2.1e6),
	(.gc_pause_ms_per_s.value | . > 2.8 and . < 3.2),
	(.gc_heap_end_bytes.value - .gc_heap_start_bytes.value | . > 2e6 and . < 4.5e6)] | all')" = true
ok 'the server is beside the client' "$(of page '[.variants[] | .figures.server_p99_ms.value == 39.6 and
	(.client_and_server | test("larger|covers"))] | all')" = true
ok 'on the page too' "$(grep -cE '^\| (one|two) \|.*\| 39.6 ms \|.*MiB/s \|.* ms/s \|.*MiB → .*MiB' page/report.md)" = 2
ok 'a stored run gives them again' "$(timeout 60 "$ASSAY" report page --json 2>err |
	jq '.variants[0].figures.allocation_bytes_per_s.value | . > 1.9e6 and . < 2.1e6')" = true

fill bookstore.yaml >bookstore.yaml

run_case bookstore.yaml dead --set LIFE=2
ok 'a target that ends makes no verdict' $code = 3
ok 'the error names it' "$(grep -c 'the target ended during the load' err)" = 1
ok 'the folder says why runs are missing' "$(of dead .case.stopped | grep -c 'target ended')" = 1
ok 'and can be rendered' "$(timeout 60 "$ASSAY" report dead 2>&1 | grep -c INCONCLUSIVE)" -ge 1

"$ASSAY" case run -q bookstore.yaml -o stopped --set LIFE=60 >out 2>err &
pid=$!
until [ -s stopped/case.json ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
sleep 1.5
kill -INT $pid
wait $pid
ok 'Ctrl-C in the second run ends with what there is' $? = 3
ok 'the folder holds the first run and says so' "$(of stopped '.runs | length')" -ge 1
ok 'nothing is left running' -z "$(pgrep -f "$tmp|$BOOKSTORE_C --port" | grep -v $$)"

mkdir small
if mount -t tmpfs -o size=96k assay-test small 2>/dev/null; then
	run_case bookstore.yaml small/full --set LIFE=60
	ok 'a full disk is an error' $code = 3
	ok 'in words' "$(grep -ciE 'no space|full' err)" -ge 1
	umount small
else
	skip 'a full disk is an error' 'no file system can be mounted here'
fi
tap_end
