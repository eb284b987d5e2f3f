#!/bin/sh
# Real runtimes from their first instruction on: started by us, or dialling a port; prints TAP.
#   ASSAY=path REACH=path tests/e2e/dotnet_start.sh
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/dotnet.sh"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
starter "$tmp/app" 'a start from its first instruction'
mkdir t
export TMPDIR="$tmp/t"

reach() { # $code, out and err
	timeout 60 "$REACH" "$@" >out 2>err
	code=$?
}

reach child 20 app/Starter 300
ok 'a program of ours is seen from its first line on' "$(grep -c '^event Line 42$' out)" = 1
ok 'with its pid' "$(sed -n 's/^pid //p' out)" = "$(grep -o '^[0-9]* [0-9.]* ' out | cut -d' ' -f1)"
ok 'the stream has its end' "$(has out '^ended$')" = 1
ok 'its exit code is known' "$(has out '^exit 7$')" = 1
ok 'nothing is left of the port' -z "$(ls t | grep assay-port)"

reach child 1 dotnet app/Starter.dll
ok 'one that runs on is ended with us' "$(has out '^exit 143$')" = 1
ok 'and is gone' ! -e "/proc/$(sed -n 's/^pid //p' out)"
ok 'what it did was seen' "$(has out '^event Line 42$')" = 1

reach child 20 sh -c 'app/Starter 200; app/Starter 300'
ok 'a second runtime with its environment is not kept waiting' "$(has out '^exit 7$')" = 1
ok 'both ran' "$(grep -c ' [0-9]*\.[0-9.]* ' out)" = 2
ok 'the first was watched' "$(grep -c '^event Line' out)" = 1

mkdir run
cp "$top"/tests/e2e/dotnet/starter/* run
(cd run && timeout 100 "$REACH" child 60 dotnet run -c Release -- 300 >../out 2>../err)
ok "dotnet run: the program is watched, not the SDK" "$(has out '^event Line 42$')" = 1
ok 'to its end' "$(has out '^exit 7$')" = 1

DOTNET_DiagnosticPorts=/nowhere,nosuspend reach child 5 sh -c 'echo "$DOTNET_DiagnosticPorts"'
ok 'ports that were wanted stay' "$(has out '^/.*/assay-port-[^/]*/port;/nowhere,nosuspend$')" = 1
ok 'a command without .NET is refused' "$(grep -c 'before a .NET program came up' err)" = 1
reach child 5 sleep 60
ok 'also when it does not end' "$(grep -c 'no .NET runtime came up in sleep within 3 s' err)" = 1

# ---- ports ----

port=$tmp/port
rm out
"$REACH" port "$port" 2 >out 2>err &
reach=$!
until grep -qs listening out; do sleep 0.05; done
DOTNET_DiagnosticPorts=$port app/Starter 500 >first &
first=$!
until grep -q '^event' out || ! kill -0 $reach 2>/dev/null; do sleep 0.05; done
DOTNET_DiagnosticPorts=$port timeout 20 app/Starter 100 >second
ok 'a second that dials is not kept waiting' $? = 7
wait $first
ok 'the first ends as it would' $? = 7
wait $reach
ok 'one that dials is seen from its first line on' "$(grep -c '^event Line 42$' out)" = 1
ok 'it is the first' "$(sed -n 's/^pid //p' out)" = "$(cut -d' ' -f1 first)"
ok 'nothing is left of the socket' ! -e "$port"

rm first
DOTNET_DiagnosticPorts=$port,suspend,connect app/Starter 500 >first &
first=$!
sleep 0.7
ok 'one that was there before its port waits' ! -s first
reach port "$port,listen" 1
wait $first
ok 'and is seen from its first line on' "$(grep -c '^event Line 42$' out)" = 1

rm first
DOTNET_DiagnosticPorts=$port,nosuspend app/Starter 2000 >first &
first=$!
until [ -s first ]; do sleep 0.05; done
reach port "$port" 1
wait $first
ok 'one that does not wait is found later' "$(sed -n 's/^pid //p' out)" = "$(cut -d' ' -f1 first)"
ok 'without its start' "$(grep -c '^event Line' out)" = 0

DOTNET_DefaultDiagnosticPortSuspend=1 app/Starter 500 >first &
first=$!
until ls t | grep -q "^dotnet-diagnostic-$first-.*socket"; do sleep 0.05; done
reach port "$(echo t/dotnet-diagnostic-$first-*-socket),connect" 1
wait $first
ok 'one that listens is connected to' "$(grep -c '^event Line 42$' out)" = 1
ok 'with its pid' "$(sed -n 's/^pid //p' out)" = "$first"
reach port "$tmp/nobody,connect" 1
ok 'where nobody listens it says so' "$(grep -c 'there is no socket' err)" = 1

# ---- the same by counters collect ----

collect() { # $code, out and err
	timeout 60 "$ASSAY" counters collect --no-host --counters Assay.Start --format jsonl "$@" >out 2>err
	code=$?
}

ended() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" && echo yes; } # reaped or not

begun() { jq -s 'map(select(.name == "begun").value) | add' out; }

collect -- app/Starter 2500
ok 'counters: what the first line of a command counts' "$(begun)" = 3
ok 'its end is told' "$(has err 'the command has ended .exit code 7.')" = 1
ok 'and is no failure of ours' "$code" = 0
ok 'its output is hidden' "$(grep -c '^[0-9]* [0-9]*\.[0-9.]* ' out)" = 0

collect -d 2s --show-child-io -o values -- sh -c 'app/Starter; echo after'
ok 'its output is shown on request' "$(grep -c '^[0-9]* [0-9]*\.[0-9.]* ' out)" = 1
ok 'when the time is over it is ended' "$(has err 'the command was ended .signal 15.')" = 1
ok 'and what runs below it' "$(ended "$(head -n 1 out | cut -d' ' -f1)")" = yes
mv values.jsonl out
ok 'with its values in the file' "$(begun)" = 3

rm -f out err
"$ASSAY" counters collect --counters Assay.Start --diagnostic-port "$port" --format jsonl -d 2s >out 2>err &
collect=$!
until grep -qs "DOTNET_DiagnosticPorts=$port" err; do sleep 0.05; done
rm -f first
DOTNET_DiagnosticPorts=$port app/Starter 3500 >first
ok 'counters: one that dials goes on when we are done' $? = 7
wait $collect
ok 'what its first line counts' "$(begun)" = 3
ok 'with what the kernel says of it' "$(grep -c '"process.cpu.time"' out)" -ge 2
ok 'no socket is left' ! -e "$port"

rm -f out err
"$ASSAY" counters collect --diagnostic-port "$port" >out 2>err &
collect=$!
until grep -qs "DOTNET_DiagnosticPorts=$port" err; do sleep 0.05; done
kill -TERM $collect
wait $collect
ok 'the wait for one that never dials can be ended' $? = 3
ok 'and leaves no socket' ! -e "$port"

rm -f out err
setsid "$ASSAY" counters collect --counters Assay.Start --format jsonl -- app/Starter >out 2>err &
collect=$!
until grep -qs begun out; do sleep 0.05; done
kill -INT -$collect
wait $collect
code=$?
ok 'a Ctrl-C is for both' "$code" = 0
ok 'the command had it too' "$(has err 'the command (has|was) ended .(exit code 130|signal 2).')" = 1
ok 'nothing is left of the ports' -z "$(ls t | grep assay-port)"

# ---- the runtimes before ----

for version in 9.0.20 8.0.31; do
	major=${version%%.*}
	if [ "$(uname -m)" != x86_64 ] || ! build_dotnet "$top/tests/e2e/dotnet/starter" "$tmp/net$major" \
		-p:Framework="net$major.0" -r linux-x64 --self-contained -p:RuntimeFrameworkVersion=$version; then
		skip ".NET $major" "its runtime pack $version cannot be had: $(tail -n 1 build.log | cut -c1-100)"
		continue
	fi
	reach child 20 "net$major/Starter" 300
	ok ".NET $major is seen from its first line on" "$(grep -c '^event Line 42$' out)" = 1
	ok ".NET $major tells its version before that" "$(has out "^version $version\$")" = 1
	rm -f first
	"net$major/Starter" 3000 >first &
	until [ -s first ]; do sleep 0.05; done
	timeout 20 "$ASSAY" ps --json >out 2>err
	ok ".NET $major is listed" "$(jq -r --argjson pid $! \
		'.processes[] | select(.pid == $pid) | .version' out)" = "$version"
done
tap_end
