#!/bin/sh
# labs/bookstore/dotnet/build.sh OUT - publishes the .NET edition into the folder OUT; start it with
# `dotnet OUT/bookstore.dll`. Needs a .NET 10 SDK and no package from elsewhere. Intermediate files
# stay inside OUT too, so that a checkout is left as it was.
set -eu
[ $# = 1 ] || {
	echo "usage: $0 OUT" >&2
	exit 2
}
command -v dotnet >/dev/null || {
	echo "$0: no dotnet here; install a .NET 10 SDK (https://dotnet.microsoft.com/download)" >&2
	exit 3
}
mkdir -p "$1"
out=$(cd "$1" && pwd)
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
cd "$(dirname "$0")"
exec dotnet publish Bookstore.csproj -c Release -p:PublishDir="$out/" \
	--artifacts-path "$out/.artifacts" -v quiet --disable-build-servers
