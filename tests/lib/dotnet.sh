# dotnet.sh - .NET programs for tests; to be sourced after tap.sh.

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

# build_dotnet SOURCE OUT [OPTION...]: the project in the folder SOURCE into the folder OUT, with
# nothing left in SOURCE; build.log tells when it fails
build_dotnet() {
	mkdir -p "$2"
	(source=$1 out=$2 && shift 2 && cd "$source" && export NUGET_SCRATCH="$out/.nuget" &&
		exec dotnet publish -c Release -p:PublishDir="$out/" --artifacts-path "$out/.artifacts" \
			-v quiet --disable-build-servers "$@") >build.log 2>&1
}

# program NAME OUT TEST...: builds the program of tests/e2e/dotnet/NAME; where there is no SDK, skips
# the tests of these names and ends the script
program() {
	source=$top/tests/e2e/dotnet/$1
	built=$2
	shift 2
	if command -v dotnet >/dev/null && dotnet --list-sdks | grep -q '^1[0-9]\.'; then
		build_dotnet "$source" "$built" && return
		echo 'Bail out! the .NET program does not build'
		tail -n 20 build.log
		exit 1
	fi
	for name; do skip "$name" 'no .NET 10 SDK here'; done
	tap_end
	exit 0
}

starter() { program starter "$@"; }
