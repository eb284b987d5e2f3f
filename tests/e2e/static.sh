#!/bin/sh
# The static binary in a root folder that holds nothing but itself and /proc; prints TAP.
#   ASSAY=path MAKE_STATIC=1 tests/e2e/static.sh
# ASSAY is a static binary, or, with MAKE_STATIC, any: build-static/assay is made and used then.
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/dotnet.sh"
# as an ordinary user: root of a user namespace, in which the target runs too
[ "$(id -u)" = 0 ] || ! unshare -Ur true 2>/dev/null || exec unshare -Ur "$0"
tmp=$(mktemp -d) || exit 2
started=
end() {
	for one in $started; do kill -9 "$one"; done 2>/dev/null
	wait
	rm -rf "$tmp"
}
trap end EXIT
cd "$tmp" || exit 2

if ! unshare -m true 2>/dev/null; then
	skip 'a root folder with nothing but assay and /proc' 'no namespaces may be made here'
	tap_end
	exit 0
fi
if [ -n "${MAKE_STATIC:-}" ]; then
	make -C "$top" static >build.log 2>&1 || {
		echo 'Bail out! no static binary'
		tail -n 20 build.log
		exit 1
	}
	ASSAY=$top/build-static/assay
fi
mkdir -p root/proc
cp "$ASSAY" root/assay
ok 'the root folder holds the binary and a place for /proc' "$(find root | sort | tr '\n' ' ')" = \
	'root root/assay root/proc '

# inside COMMAND...: in that root, as one would in a container made from scratch
inside() {
	# shellcheck disable=SC2016
	timeout 60 unshare -m sh -c 'mount --rbind /proc root/proc && exec chroot root "$@"' sh "$@" >out 2>err
	code=$?
}

inside /assay --version
ok 'it runs there' "$code" = 0
inside /assay ps --native --json
ok 'it sees processes' "$(jq --argjson pid $$ '[.processes[] | select(.pid == $pid)] | length' out)" = 1

starter "$tmp/app" 'a .NET process from a root folder with nothing else'
mkdir t
run='env'
[ "$(id -u)" != 0 ] || ! "$ASSAY" run -q --cpus 0.5 -- true 2>/dev/null || run="$ASSAY run -q --cpus 0.5 --"
TMPDIR=$tmp/t $run app/Starter >told &
started=$!
until [ -s told ]; do sleep 0.05; done
read -r pid version arch <told
inside /assay ps --json
of() { jq -r --argjson pid "$pid" ".processes[] | select(.pid == \$pid) | $1" out; }
ok 'a .NET process is found from there' "$(of .name)" = Starter
ok 'and answers' "$(of .version)" = "$version"
ok 'on the socket below its own root' "$(of .socket)" = "$(echo /proc/"$pid"/root"$tmp"/t/dotnet-diagnostic-*-socket)"
[ "$run" = env ] || ok 'its limit is known, through its root too' "$(of .cpus)" = 0.5
inside /assay counters collect -p "$pid" -d 3s --format jsonl
ok 'its figures are read from there' "$code" = 0
ok 'those of the kernel' "$(grep -c '"process.cpu' out)" -ge 1
ok 'and those of the runtime' "$(grep -c '"dotnet.process.memory.working_set"' out)" -ge 1
tap_end
