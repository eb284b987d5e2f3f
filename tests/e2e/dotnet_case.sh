#!/bin/sh
# A case whose target runs .NET: the runtime's own figures stand in it for every variant. TAP.
#   ASSAY=path tests/e2e/dotnet_case.sh
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/dotnet.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
what='the runtime is asked, for every variant'

if ! command -v dotnet >/dev/null || ! dotnet --list-sdks | grep -q '^1[0-9]\.'; then
	skip "$what" 'no .NET 10 SDK here'
	tap_end
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	skip "$what" 'setting limits needs root'
	tap_end
	exit 0
fi
"$top/labs/bookstore/dotnet/build.sh" "$tmp/lab" >out 2>err || { cat out err; exit 1; }
sed "s#@DLL@#$tmp/lab/bookstore.dll#; s#@TOP@#$top#" "$top/tests/e2e/case/dotnet.yaml" >case.yaml
timeout 150 "$ASSAY" case run -q case.yaml -o case >out 2>err
code=$?
of() { jq -r "$1" case/case.json 2>/dev/null; }

# one run of each: the verdict is that two are the least
ok "$what" "$(of '[.variants[] | .runs == 1 and .figures.allocation_bytes_per_s.value > 1e4 and
	.figures.gc_pause_ms_per_s.value >= 0 and .figures.gc_pause_ms_per_s.value < 200] | all')$code" = true3
ok 'the slow checkout allocates, the fixed one hardly does' "$(of '[.variants[].figures.allocation_bytes_per_s.value] |
	.[0] > 10 * .[1] and .[0] > 5e6')" = true
ok 'its heap is told at both ends' "$(of '.variants[0].figures |
	.gc_heap_start_bytes.value > 1e5 and .gc_heap_end_bytes.value > 1e5')" = true
ok "the server's own p99 comes from the runtime, below the client's" "$(of '[.variants[].figures |
	.server_p99_ms.value > 0.1 and .server_p99_ms.value < .p99_ms.value * 1.34] | all')" = true
ok 'why they differ is said' "$(of '[.variants[].client_and_server | length > 10] | all')" = true
tap_end
