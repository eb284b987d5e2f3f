#!/bin/sh
# The contract of the bookstore's two editions, as TAP: same carts, same quotes, on every route and with
# every fault removed. $BOOKSTORE_C is the C edition's binary; the .NET edition is built when there is a
# dotnet, and skipped with the reason when there is none.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tmp=$(mktemp -d) || exit 2
number=0 failed=0 pids=
end() {
	for pid in $pids; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$tmp"
}
trap end EXIT

report() { # report NAME WHY; an empty WHY is a pass
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		printf '%s\n' "$2" | head -n 5 | sed 's/^/# /'
		echo "not ok $number - $1"
		failed=1
	fi
}

start() { # start NAME COMMAND...: sets $url
	out=$tmp/$1.out
	shift
	"$@" --port 0 >"$out" 2>&1 &
	pids="$pids $!"
	for _ in $(seq 300); do
		url=$(sed -n 's/^listening on //p' "$out")
		[ -n "$url" ] && return 0
		sleep 0.1
	done
	return 1
}

post() { # post PATH BODY: the status on the first line, then the answer in canonical form
	curl -s -m 20 -o "$tmp/body" -w '%{http_code}\n' -H 'Content-Type: application/json' \
		-d "$2" "$url$1"
	jq -Sc . "$tmp/body" 2>/dev/null || cat "$tmp/body"
}

quotes_of() { # every cart to one path
	while read -r cart; do
		post "$1" "$cart" | tail -n 1
	done <"$here/carts.jsonl"
}

entries() { curl -s -m 20 "$url/diag/cache" | jq ".$1"; }

check_edition() { # check_edition NAME
	for path in /api/checkout /api/checkout-v2 '/api/checkout?fix=options' '/api/checkout?fix=rules' \
		'/api/checkout?fix=cache' '/api/checkout?fix=options,rules,cache'; do
		quotes_of "$path" >"$tmp/quotes"
		report "$1: quotes of $path" "$(diff "$here/quotes.jsonl" "$tmp/quotes")"
	done

	cart='{"customer":"c-again","lines":[{"book":9,"quantity":3}]}'
	hits=$(entries totalHits)
	post /api/checkout "$cart" >/dev/null
	post /api/checkout "$cart" >/dev/null
	more=$(($(entries totalHits) - hits))
	report "$1: a cart that comes again is one hit" "$([ $more = 1 ] || echo "$more hits")"

	before=$(entries currentEntryCount)
	post '/api/checkout?fix=cache' '{"customer":"c-new","lines":[{"book":8,"quantity":3}]}' >/dev/null
	report "$1: without the cache nothing is kept" \
		"$([ "$(entries currentEntryCount)" = "$before" ] || echo "an entry was added")"

	for bad in 'no json' '{}' '{"customer":"c","lines":[{"book":0,"quantity":1}]}' \
		'{"customer":"c","lines":[{"book":1,"quantity":0}]}' \
		'{"customer":"c","coupon":"NOPE-99","lines":[{"book":1,"quantity":1}]}'; do
		answer=$(post /api/checkout "$bad")
		report "$1: refused: $bad" \
			"$(case $answer in 400*error*) ;; *) echo "$answer" ;; esac)"
	done
	report "$1: no such fault" \
		"$(case $(post '/api/checkout?fix=luck' "$cart") in 400*error*) ;; *) echo taken ;; esac)"
	report "$1: no such route" \
		"$(case $(post /api/nowhere "$cart") in 404*) ;; *) echo found ;; esac)"
	curl -s -m 20 "$url/metrics" >"$tmp/metrics"
	report "$1: metrics have the histogram" "$(grep -q \
		'^http_server_request_duration_seconds_bucket{.*le="+Inf"} [1-9]' "$tmp/metrics" ||
		echo missing)"
}

if start c "$BOOKSTORE_C"; then
	check_edition C
else
	report 'C: starts' "$(cat "$tmp/c.out")"
fi
if ! command -v dotnet >/dev/null; then
	number=$((number + 1))
	echo "ok $number - .NET # SKIP no dotnet here; install a .NET 10 SDK"
elif "$top/labs/bookstore/dotnet/build.sh" "$tmp/dotnet" >"$tmp/build.log" 2>&1 &&
	start dotnet dotnet "$tmp/dotnet/bookstore.dll"; then
	check_edition .NET
else
	report '.NET: builds and starts' "$(tail -n 20 "$tmp/build.log" "$tmp/dotnet.out" 2>/dev/null)"
fi
echo "1..$number"
exit $failed
