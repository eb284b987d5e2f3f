#!/bin/sh
# Is the slow checkout honest? Its CPU time per request must be affine in the number of campaign rules, as
# real parsing is and a sleep or a spin is not: measured at 500, 1,000, 2,000 and 4,000 rules, each point
# within 15 % of the straight line that is relatively nearest to all four, and the line must rise at
# least twofold. As TAP; $ASSAY drives the load, CPU time is the kernel's (/proc/PID/stat). A machine
# that is busy gets five tries.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tmp=$(mktemp -d) || exit 2
pid='' status=0
end() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	wait
	rm -rf "$tmp"
}
trap end EXIT

ticks() { # user and system time of the service so far, in ticks
	sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'
}

drive() { # drive REQUESTS: one user, one request after the other
	BASE_URL=$url ENDPOINT='/api/checkout' timeout 120 "$ASSAY" load --quiet -u 1 -i "$1" \
		"$top/labs/bookstore/checkout.js" >"$tmp/load" 2>&1 || { cat "$tmp/load" >&2; return 1; }
}

measure() { # measure RULES WARMUP REQUESTS COMMAND...: prints "RULES ms-per-request"
	rules=$1 warmup=$2 requests=$3
	shift 3
	"$@" --port 0 --rules "$rules" >"$tmp/out" 2>&1 &
	pid=$!
	url=''
	for _ in $(seq 300); do
		url=$(sed -n 's/^listening on //p' "$tmp/out")
		[ -z "$url" ] || break
		sleep 0.1
	done
	drive "$warmup" && before=$(ticks) && drive "$requests" && after=$(ticks) &&
		echo "$rules $after $before $requests $(getconf CLK_TCK)" |
		awk '{ printf "%d %.4f\n", $1, ($2 - $3) * 1000 / $5 / $4 }'
	kill "$pid"
	wait "$pid" 2>/dev/null
	pid=''
}

# Reads "x y" lines, prints what is wrong with them as a straight line.
off_the_line() {
	awk '{ x[NR] = $1; y[NR] = $2
		if ($2 <= 0) next
		w = 1 / ($2 * $2); n += w
		sx += w * $1; sy += w * $2; sxx += w * $1 * $1; sxy += w * $1 * $2 }
	END {
		if (NR != 4 || !n) { print NR " points of 4 were measured"; exit }
		slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
		base = (sy - slope * sx) / n
		if (base + slope * 4000 < 2 * (base + slope * 500)) print "the line hardly rises"
		for (i = 1; i <= NR; i++) {
			line = base + slope * x[i]
			if (y[i] < line * 0.85 || y[i] > line * 1.15)
				printf "%d rules: %.3f ms, the line says %.3f\n", x[i], y[i], line
		}
	}' "$1"
}

check_edition() { # check_edition NUMBER NAME WARMUP REQUESTS COMMAND...
	number=$1 name=$2 warmup=$3 requests=$4
	shift 4
	for try in 1 2 3 4 5; do
		for rules in 500 1000 2000 4000; do
			measure "$rules" "$warmup" "$requests" "$@"
		done >"$tmp/points"
		wrong=$(off_the_line "$tmp/points")
		sed "s/^/# try $try: rules, ms of CPU per request: /" "$tmp/points"
		[ -n "$wrong" ] || { echo "ok $number - $name: CPU per request is affine in the rules"; return; }
	done
	printf '%s\n' "$wrong" | sed 's/^/# /'
	echo "not ok $number - $name: CPU per request is affine in the rules"
	status=1
}

echo 1..2
check_edition 1 c 100 400 "$BOOKSTORE_C"
if ! command -v dotnet >/dev/null; then
	echo 'ok 2 - dotnet # SKIP no dotnet SDK'
elif ! "$top/labs/bookstore/dotnet/build.sh" "$tmp/dotnet" >"$tmp/build" 2>&1; then
	sed 's/^/# /' "$tmp/build" | tail -n 5
	echo 'not ok 2 - dotnet: builds'
	status=1
else
	# compiled once: in tiers, how far the code has come depends on how long the warm-up took
	DOTNET_TieredCompilation=0
	export DOTNET_TieredCompilation
	check_edition 2 dotnet 200 300 dotnet "$tmp/dotnet/bookstore.dll"
fi
exit $status
