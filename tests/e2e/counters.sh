#!/bin/sh
# assay counters collect against processes whose figures are known: throttled for real, stopped,
# restarted, with a metrics page.   ASSAY=path BOOKSTORE_C=path tests/e2e/counters.sh
. "$(dirname "$0")/../lib/tap.sh"
tmp=$(mktemp -d) || exit 2
cd "$tmp" || exit 2
trap 'kill $server $limited 2>/dev/null; wait; rm -rf "$tmp"' EXIT
server= limited=

# collect FILE [OPTIONS]: JSON Lines into FILE.jsonl, what is said into err; $code
collect() {
	file=$1
	shift
	timeout 60 "$ASSAY" counters collect --format jsonl -o "$file" "$@" >out 2>err
	code=$?
}
# json FILTER FILE: 1 when the filter is true of the list of all lines, else 0
json() { jq -s "if $1 then 1 else 0 end" "$2.jsonl" 2>>err || echo 0; }
SUM='def sum(n): [.[] | select(.name == n) | .value] | add;'

# start_limited QUOTA SCRIPT: runs it under the quota; $pid is what it wrote into ./pid
start_limited() {
	rm -f pid
	"$ASSAY" run -q --cpus "$1" -- sh -c "$2" &
	limited=$!
	until [ -s pid ]; do sleep 0.02; done
	pid=$(cat pid)
}
stop_limited() {
	kill $limited 2>/dev/null
	wait $limited 2>/dev/null
	limited=
}

if [ "$(id -u)" != 0 ]; then
	skip 'throttling for real' 'setting limits needs root'
else
	# one busy loop under 5 ms of 100 ms: throttled in nearly every period, also on a machine that is busy
	start_limited 0.05 'echo $$ >pid; while :; do :; done'
	collect busy -p "$pid" -d 3s
	ok 'a busy loop at a twentieth of a CPU is throttled in nearly every period' \
		"$(json "$SUM sum(\"cgroup.cpu.nr_throttled\") / sum(\"cgroup.cpu.nr_periods\") > 0.8" busy)$code" = 10
	ok 'it has its twentieth' \
		"$(json "$SUM sum(\"process.cpu.time\") | . > 0.09 and . < 0.25" busy)" = 1
	ok 'its throttling is no contention' "$(json "$SUM
		sum(\"process.runqueue.delay\") - sum(\"process.runqueue.contention\") > 0.7" busy)" = 1
	ok 'the limit is there' "$(json 'any(.[]; .name == "cgroup.cpu.limit" and .value == 0.05)' busy)" = 1
	timeout 20 "$ASSAY" counters collect -p "$pid" -d 2s --table >out 2>err
	ok 'the table has it in %' "$(awk 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "throttled") c = i - 2 }
		NR > 1 && $(c + 1) ~ /^[0-9.]+$/ && $(c + 1) > 85 { n++ } END { print n + 0 }' out)" = 2
	stop_limited

	# two busy loops: each CPU's throttling counts, so that the sum may exceed the time that passed
	start_limited 0.05 '(while :; do :; done) & echo $$ >pid; while :; do :; done'
	collect two -p "$pid" -d 3s
	if [ -e /sys/fs/cgroup/cgroup.controllers ] || [ -e /sys/fs/cgroup/unified/cgroup.procs ]; then
		ok 'pressure is a share of the wall time' "$(json "$SUM
			sum(\"cgroup.pressure.cpu.full\") as \$wall | \$wall > 0.5 and \$wall < 3.1 and
			sum(\"cgroup.cpu.throttled_time\") > 0.7" two)" = 1
	else
		skip 'throttled time against pressure' 'no version 2 hierarchy'
	fi
	stop_limited

	# the limit sits on the parent: the child's own cpu.stat counts nothing
	if [ -e /sys/fs/cgroup/cpu/cpu.stat ]; then
		start_limited 0.05 'group=/sys/fs/cgroup/cpu$(sed -n "s/.*:cpu\(,[a-z]*\)*:\(.*\)/\2/p" /proc/self/cgroup)
			mkdir "$group/child" && echo $$ >"$group/child/cgroup.procs"
			echo "$group" >group; echo $$ >pid; while :; do :; done'
		collect child -p "$pid" -d 2s
		ok 'the limit of an ancestor is found, and how it bites' "$(json "$SUM
			any(.[]; .name == \"cgroup.cpu.limit\" and .value == 0.05) and
			sum(\"cgroup.cpu.nr_throttled\") / sum(\"cgroup.cpu.nr_periods\") > 0.8" child)" = 1
		kill -9 "$pid"
		sleep 0.2
		rmdir "$(cat group)/child"
		stop_limited
	else
		skip 'the limit of an ancestor' 'the cpu controller is not on version 1'
	fi
fi

# connections to a full queue, in a network of the target's own: all of that network's are these
cat >overflow.py <<'END'
import os, socket, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
open("pid", "w").write(str(os.getpid()))
time.sleep(1)
clients = []
for i in range(20):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(listener.getsockname())
    clients.append(client)
time.sleep(10)
END
rm -f pid
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
	unshare -n sh -c 'ip link set lo up; exec python3 overflow.py' &
	until [ -s pid ]; do sleep 0.02; done
	pid=$(cat pid)
	collect overflow -p "$pid" -d 3s
	kill "$pid"
	ok "a full listen queue is seen in the target's own network namespace" "$(json "$SUM
		sum(\"net.tcp.listen_overflows\") as \$n | \$n >= 15 and
		([.[] | select(.name == \"net.tcp.listen_overflows\") | .total] | max) == \$n" overflow)" = 1
else
	skip "a full listen queue is seen in the target's own network namespace" 'needs root and unshare -n'
fi

start_server() {
	"$BOOKSTORE_C" --port "$port" >server.log 2>&1 &
	server=$!
	until "$ASSAY" get "$url/health" >/dev/null 2>&1; do sleep 0.05; done
}
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
start_server

(
	sleep 0.7
	"$ASSAY" load "$url/health" -q -u 4 --iterations 400 >/dev/null 2>&1
) &
collect page -p $server --prometheus "$url" -d 3s
wait $!
ok 'a metrics page: 400 requests are 400 requests' "$(json '
	([.[] | select(.name == "http_server_request_duration_seconds" and .quantile == 0.5 and
	(.tags | test("route=/health"))) | .count] | add) == 400 and
	([.[] | select(.name == "http_server_request_duration_seconds_count" and
	(.tags | test("route=/health"))) | .value] | add) == 400' page)$code" = 10
ok 'kernel and page in one row' "$(json '
	[.[] | select(.name == "process.thread.count") | .t_ns] as $host |
	[.[] | select(.name == "process_threads") | .t_ns] as $page |
	($host | length) == 3 and ($page | length) == 3 and
	all(range(3); $page[.] - $host[.] | . >= 0 and . < 400000000)' page)" = 1
ok 'they agree on the CPU' "$(json '
	def sum(n): [.[] | select(.name == n) | .value] | add;
	sum("process.cpu.time") - sum("process_cpu_seconds_total") | . > -0.05 and . < 0.05' page)" = 1

# alone, over a restart and an end
(
	sleep 0.7
	kill $server
	sleep 1.2
	exec "$BOOKSTORE_C" --port "$port" >/dev/null 2>&1
) &
restarted=$!
collect restart --prometheus "$url/metrics" -d 5s --refresh-interval 0.5
ok 'a page that goes and comes back' \
	"$(json 'any(.[]; .note // "" | test("refused")) and any(.[]; .note // "" | test("there again")) and
	any(.[]; .note // "" | test("began anew"))' restart)$code" = 10
ok 'what came over the gap has its true interval' \
	"$(json 'any(.[]; .name == "process_cpu_seconds_total" and .interval_s > 0.9) and
	all(.[]; (.value // 0) >= 0)' restart)" = 1
kill $restarted
wait $server $restarted 2>/dev/null
server=

# a stopped process: said, and not taken for calm
start_server
(
	sleep 0.7
	kill -STOP $server
	sleep 1.5
	kill -CONT $server
) &
collect stopped -p $server --prometheus "$url" -d 4s --refresh-interval 0.5 --run stopped.assay
wait $!
ok 'a stopped process is said, and its page missed' \
	"$(json 'any(.[]; .note == "the process is stopped (by a signal)") and
	any(.[]; .note == "the process goes on") and any(.[]; .note // "" | test("there again"))' stopped)$code" = 10
ok 'the kernel is asked on all the same' \
	"$(json '[.[] | select(.name == "process.thread.count")] | length >= 6' stopped)" = 1
kill $server
wait $server 2>/dev/null
server=

# nothing is left open, nothing hangs: the output's reader goes away
sleep 30 &
target=$!
timeout 10 sh -c '"$1" counters collect -p "$2" --refresh-interval 0.2 | head -n 3 >/dev/null' sh "$ASSAY" $target
ok 'a reader that has seen enough ends it' $? = 0
if [ -w /dev/full ]; then
	timeout 10 "$ASSAY" counters collect -p $target --refresh-interval 0.2 -o /dev/full >out 2>err
	code=$?
	ok 'a full disk is said' "$(has err 'No space left')$code" = 13
fi
kill $target
tap_end
