#!/bin/sh
# assay counters collect against real runtimes, .NET 10, 9 and 8, whose figures are known by construction
# (e2e/dotnet/meters: nothing changes but on request); prints TAP.
#   ASSAY=path tests/e2e/dotnet_counters.sh
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/dotnet.sh"
tmp=$(mktemp -d) || exit 2
lab=
end() {
	kill -9 $lab 2>/dev/null
	wait
	rm -rf "$tmp"
}
trap end EXIT
cd "$tmp" || exit 2
unset TMPDIR
shown='err build.log lab.out'

if ! command -v dotnet >/dev/null || ! dotnet --list-sdks | grep -q '^1[0-9]\.'; then
	skip 'counters of real runtimes' 'no .NET 10 SDK here'
	tap_end
	exit 0
fi

# build VERSION FRAMEWORK RUNTIME: 1 when it is in ./VERSION
build() {
	set -- "$1" -p:Framework="$2" ${3:+-r linux-x64 --self-contained -p:RuntimeFrameworkVersion=$3}
	version=$1
	shift
	build_dotnet "$top/tests/e2e/dotnet/meters" "$tmp/$version" "$@" && echo 1 || echo 0
}

# start VERSION: runs it; $lab is its pid, what it is told goes to descriptor 7
start() {
	rm -f in lab.out
	mkfifo in
	"./$1/Meters" <in >lab.out 2>lab.err &
	lab=$!
	exec 7>in
	until grep -q ready lab.out; do sleep 0.05; done
}
stop() {
	exec 7>&-
	kill -9 $lab 2>/dev/null
	wait $lab 2>/dev/null
	lab=
}
tell() { # tell WORD AFTER: in the background
	(sleep "$2" && echo "$1" >&7) &
}

# collect FILE [OPTIONS]: JSON Lines of the runtime alone into FILE.jsonl; $code
collect() {
	file=$1
	shift
	timeout 60 "$ASSAY" counters collect --no-host --format jsonl -o "$file" -p $lab "$@" >out 2>err
	code=$?
}
# json FILTER FILE: 1 when the filter is true of the list of all lines, else 0
json() { jq -s "$DEFS if $1 then 1 else 0 end" "$2.jsonl" 2>>err || echo 0; }
DEFS='def of(n): [.[] | select(.name == n)];
	def sum(n; t): [of(n)[] | select(.tags | contains(t)) | .value] | add;
	def notes: [.[] | .note // empty] | join("\n");'

# one_go NAME: what a single "go" adds is what is told, each kind in its own way
one_go() {
	tell go 1.5
	collect go -d 3s --counters 'Assay.Lab,Assay-Events'
	ok "$1: counters tell what was added, by tags" "$(json 'sum("lab.orders"; "kind=a") == 7 and
		sum("lab.orders"; "kind=b,region=eu,west=1") == 5 and
		(of("lab.orders") | last | .unit == "{order}" and (.tags | startswith("area=truth,")))' go)$code" = 10
	ok "$1: tags with odd characters come through" "$(json \
		'sum("lab.odd"; "area=truth,größe=\"1\" \\ <€> 🎈") == 0.5' go)" = 1
	ok "$1: an observed counter has its total from the first, and what was added later" "$(json \
		'(of("lab.watched") | length >= 1 and all(.[]; .total == 1010)) and
		sum("lab.watched"; "") == 10' go)" = 1
	ok "$1: levels are levels" "$(json 'all(of("lab.level")[]; .value == 42.5) and
		all(of("lab.queue")[]; .value == 3) and all(of("lab.inside")[]; .value == 3) and
		(of("lab.inside") | length >= 1) and (of("lab.level") | length >= 3)' go)" = 1
	ok "$1: the quantiles of 1 to 100" "$(json '[of("lab.latency")[] | [.quantile, .value, .count]] ==
		[[0.5, 51, 100], [0.95, 96, 100], [0.99, 100, 100]]' go)" = 1
	ok "$1: EventCounters of all kinds" "$(json 'any(of("order-value")[]; .value == 20) and
		sum("served"; "") == 3 and sum("polled"; "") == 6 and all(of("vault")[]; .value == 640)' go)" = 1
	ok "$1: an interval is one row" "$(jq -r 'select(.name == "lab.level" or .name == "vault") | .name' \
		go.jsonl | paste -sd' ' | sed 's/lab.level vault\|vault lab.level/./g' | grep -cE '^\. \. \.( \.)?$')" = 1
}

if [ "$(build 10 net10.0)" = 0 ]; then
	echo 'Bail out! the .NET program does not build'
	tail -n 20 build.log
	exit 1
fi
start 10
one_go '.NET 10'
ok '.NET 10: a gauge' "$(json 'all(of("lab.gauge")[]; .value == 21) and (of("lab.gauge") | length >= 1)' go)" = 1

collect runtime -d 2s
ok 'without a list it is the runtime itself, by its meters' "$(json 'all(.[]; .provider == "System.Runtime") and
	(of("dotnet.process.cpu.time") | length >= 2) and all(of("dotnet.process.cpu.count")[]; .value >= 1)' runtime)$code" = 10
collect old -d 2s --counters 'System.Runtime[working-set,dotnet.assembly.count]'
ok 'names of before .NET 9 are known still' "$(json '(of("working-set") | length >= 1) and
	(of("dotnet.assembly.count") | length >= 1) and ([.[].name] | unique | length == 2)' old)" = 1
collect chosen -d 1s --counters 'assay.l*[lab.le*]'
ok 'stars stand for any rest' "$(json '[.[].name] | unique == ["lab.level"]' chosen)" = 1
collect none -d 1s --counters 'Assay.Lab,Assay.Lob'
ok 'who gave nothing is said' "$(json 'notes | test("nothing came from Assay.Lob")' none)" = 1

tell many 0.5
collect many -d 2s --counters 'Assay.Many'
ok 'of 1,200 series there are as many as the limit, and that is said' "$(json '([of("many.series")[].tags] |
	unique | length == 1000) and (notes | test("the limit of 1000 time series is reached"))' many)" = 1
tell throw 0.2
collect throw -d 3s --counters 'Assay.Lab,Assay.Throws'
ok 'a failing callback is said once, and others go on' "$(json '(notes | [scan("broken on purpose")] |
	length == 1) and (of("lab.level") | length >= 2)' throw)" = 1

# two at a time, with different settings
"$ASSAY" counters collect --no-host --format jsonl -o first -p $lab -d 4s --counters 'Assay.Lab' \
	>out 2>first.err &
first=$!
sleep 1.3
collect second -d 2s --refresh-interval 0.5 --counters 'System.Runtime'
wait $first
ok 'a second one takes the settings of the first, and says so' "$(json '(notes | test("its settings are taken .an interval of 1 s")) and
	(of("dotnet.timer.count") | length >= 1) and all(.[]; .provider != "Assay.Lab")' second)" = 1
ok 'the first does not see the second' "$(json '(notes == "") and all(.[]; .provider == "Assay.Lab") and
	(of("lab.level") | length >= 3)' first)" = 1

# a runtime has room for 64 sessions
n=0
for i in $(seq 66); do
	timeout 10 "$ASSAY" counters collect --no-host -p $lab --refresh-interval 0.1 -d 100ms >out 2>err ||
		grep -q 'nothing was measured' err || n=$((n + 1))
done
ok 'no session is left behind, 66 times' $n = 0

tell_stop() { sleep 1.2 && kill -STOP $lab && sleep 2.5 && kill -CONT $lab; }
tell_stop &
collect stopped -d 6s --counters Assay.Lab
ok 'a process that is stopped is a gap that is said' "$(json '(notes | test("nothing from the runtime for")) and
	(of("lab.level") | length >= 3)' stopped)$code" = 10

(sleep 2.3 && kill -9 $lab) &
collect killed -d 30s --counters Assay.Lab
ok 'a process that is killed leaves what was told' "$(json 'of("lab.level") | length >= 2' killed)$code" = 10
stop

for other in 9:net9.0:9.0.20 8:net8.0:8.0.31; do
	version=${other%%:*} other=${other#*:}
	if [ "$(uname -m)" != x86_64 ] || [ "$(build "$version" "${other%:*}" "${other#*:}")" = 0 ]; then
		skip ".NET $version" "its runtime pack ${other#*:} cannot be had: $(tail -n 1 build.log | cut -c1-100)"
		continue
	fi
	start "$version"
	one_go ".NET $version"
	collect runtime -d 3s
	if [ "$version" = 9 ]; then
		ok '.NET 9: the runtime by its meters' "$(json 'of("dotnet.process.memory.working_set") | length >= 2' runtime)" = 1
	else
		ok '.NET 8: the runtime by its EventCounters' "$(json '(of("working-set") | length >= 2) and
			all(of("working-set")[]; .value > 10 and .value < 500)' runtime)" = 1
		collect new -d 2s --counters 'System.Runtime[dotnet.gc.collections]'
		ok '.NET 8: by what they are called since' "$(json '[.[].name // empty] | unique ==
			["gen-0-gc-count", "gen-1-gc-count", "gen-2-gc-count"]' new)" = 1
	fi
	stop
done
tap_end
