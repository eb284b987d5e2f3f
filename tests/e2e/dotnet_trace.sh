#!/bin/sh
# Traces of a real runtime: recorded, and read; what is in them is known by construction. Prints TAP.
#   ASSAY=path tests/e2e/dotnet_trace.sh
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/dotnet.sh"
tmp=$(mktemp -d) || exit 2
trap 'kill $app 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
app=
program busy "$tmp/app" 'traces of a real runtime'
mkdir t
export TMPDIR="$tmp/t"

app/Busy >app.out &
app=$!
for _ in $(seq 100); do
	[ -s app.out ] && "$ASSAY" ps | grep -q "^ *$app " && break
	sleep 0.1
done

collect() { # $code and err
	timeout 60 "$ASSAY" trace collect "$@" >out 2>err
	code=$?
}

# top FILE OPTIONS: top.json
top() {
	file=$1
	shift
	"$ASSAY" trace top "$file" --json -n 1000 "$@" >top.json 2>err
}

# share PATTERN FIELD: percent of the first frame that matches
share() { jq "[.frames[] | select(.name | test(\"$1\"))][0].$2 // 0 | floor" top.json; }

collect $app -d 2s -o cpu.nettrace
ok 'a trace is recorded' "$code$(has err 'cpu.nettrace: .* events, 0 lost$')" = 01
ok 'what the sampler costs is said' "$(grep -c 'slows the target' err)" = 1
# the pool's threads spin before they sleep: what is not ours is left out
top cpu.nettrace --state managed --inc 'Busy!'
ok 'all of ours that runs is what computes' "$(share 'Busy!Busy.Burn' exc_percent)" -ge 90
ok 'below the lambda that called it' "$(share 'Busy!Busy.*<Main>b__' inc_percent)" -ge 90
top cpu.nettrace --thread "$app"
ok 'the main thread waits' "$(share 'System.Threading.Thread.Sleep' inc_percent)" = 100
top cpu.nettrace --inc 'Busy.Rest'
ok 'so does the one that rests, outside of managed code' \
	"$(share 'Busy!Busy.Rest' inc_percent)$(jq .samples top.json | awk '{ print ($1 > 500) }')" = 1001
ok 'with names as they were written' "$("$ASSAY" trace top cpu.nettrace --names written | grep -c 'Busy.Main() lambda')" -ge 1

"$ASSAY" trace collect -n Busy --profile exceptions,gc -o stopped.nettrace 2>err &
pid=$!
sleep 2
kill -INT $pid
wait $pid
ok 'Ctrl-C ends the session with its names' "$?$(has err 'stopped.nettrace: .* 0 lost$')" = 01
"$ASSAY" trace collect $app --providers Assay-Busy --stopping-event-provider-name Assay-Busy -d 20s \
	-o never.nettrace 2>err &
pid=$!
timeout 30 "$ASSAY" trace collect --providers Assay-Busy --stopping-event-provider-name Assay-Busy \
	--stopping-event-event-name Half --stopping-event-payload-filter number:50 -d 25s -o half.nettrace \
	-- app/Busy 20000 2>err
ok 'an event ends it, in a program of ours' "$?$(awk '/half.nettrace:/ { print ($5 > 1 && $5 < 15) }' err)" = 01
kill -INT $pid
wait $pid

collect $app -d 1s -o - --profile gc
ok 'to standard output' "$(head -c 8 out)" = Nettrace
collect $app --profile aloc
ok 'a wrong profile' "$code$(grep -c 'did you mean alloc' err)" = 21
collect $app -d 1s -o /nowhere/x.nettrace
ok 'a file that cannot be written' "$code$(grep -c 'No such file' err)" = 31
collect 1 -d 1s
ok 'a process without .NET' $code = 3
collect
ok 'no process' "$code$(grep -c 'which process' err)" = 21

timeout 30 "$ASSAY" trace collect $app -o killed.nettrace 2>err &
pid=$!
sleep 1.5
kill -KILL $app
wait $pid
ok 'the death of the target ends it' "$?$(grep -c 'have no names' err)" = 01
app=
top killed.nettrace
ok 'and what came is read' "$(jq '.samples > 300' top.json)" = true
ok 'with a word on its end' "$(grep -c 'cut off' err)" = 1
tap_end
