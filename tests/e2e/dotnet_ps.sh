#!/bin/sh
# assay ps against real runtimes, those that can be looked into and those that cannot; prints TAP.
#   ASSAY=path tests/e2e/dotnet_ps.sh
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/dotnet.sh"
tmp=$(mktemp -d) || exit 2
started=
end() {
	for one in $started; do kill -9 "$one"; done 2>/dev/null
	wait
	for one in t sealed; do ! mountpoint -q "$tmp/$one" || umount "$tmp/$one"; done
	rm -rf "$tmp"
}
trap end EXIT
chmod 755 "$tmp" # for other users
cd "$tmp" || exit 2
unset TMPDIR
starter "$tmp/app" 'assay ps'
cp "$ASSAY" assay

# start NAME COMMAND...: in the background, with t/NAME as its temporary folder; $pid
start() {
	name=$1
	shift
	mkdir -p "t/$name"
	chmod 777 "t/$name"
	TMPDIR=$tmp/t/$name "$@" >"$name.out" 2>"$name.err" &
	pid=$!
	started="$started $pid"
}

ready() { # ready NAME: until it has told of itself
	for i in $(seq 200); do
		[ ! -s "$1.out" ] || return 0
		sleep 0.05
	done
	echo "# $1 does not start: $(cat "$1.err")"
}

list() { timeout 20 ./assay ps --json "$@" >out 2>err; }

of() { # of PID FILTER: a value of the list, "none" when the process is not in it
	jq -r --argjson pid "$1" "[.processes[] | select(.pid == \$pid)] | if length == 0
		then \"none\" else .[0] | $2 end" out
}

start plain "$tmp/app/Starter"
plain=$pid
start dotnet dotnet "$tmp/app/Starter.dll" x y
dotnet=$pid
start suspended env DOTNET_DefaultDiagnosticPortSuspend=1 "$tmp/app/Starter"
suspended=$pid
start off env DOTNET_EnableDiagnostics=0 "$tmp/app/Starter"
off=$pid
start off_ipc env COMPlus_EnableDiagnostics_IPC=0 "$tmp/app/Starter"
off_ipc=$pid
start lost env TMPDIR="$tmp/t/nowhere" "$tmp/app/Starter"
lost=$pid
start removed "$tmp/app/Starter"
removed=$pid
start killed "$tmp/app/Starter"
killed=$pid
start hung "$tmp/app/Starter"
hung=$pid
deep=t/$(printf '%080d' 0)
mkdir "$deep"
start deep env TMPDIR="$tmp/$deep" "$tmp/app/Starter"
deep=$pid
for name in plain dotnet off off_ipc lost removed killed hung deep; do ready $name; done
rm t/removed/dotnet-diagnostic-*
kill -9 "$killed"
kill -STOP "$hung"
begin=$(date +%s)
list
ok 'the list comes though a process is stopped' $(($(date +%s) - begin)) -le 5
read -r told version arch <plain.out
ok 'a process is found' "$(of "$plain" .pid)" = "$told"
ok 'with its version' "$(of "$plain" .version)" = "$version"
ok 'its architecture' "$(of "$plain" .arch)" = "$arch"
ok 'its entry assembly' "$(of "$plain" .name)" = Starter
ok 'and nothing wrong' "$(of "$plain" .problem)" = null
ok 'one of another temporary folder' "$(of "$plain" .socket | grep -c "/t/plain/dotnet-diagnostic-$plain-")" = 1
ok 'one that dotnet runs is called by its assembly' "$(of "$dotnet" .name)" = Starter
ok 'with its command line' "$(of "$dotnet" .command_line)" = "dotnet $tmp/app/Starter.dll x y"
ok 'one that waits at its start answers' "$(of "$suspended" .version)" = "$version"
ok 'one with EnableDiagnostics=0 says so' \
	"$(of "$off" .problem | grep -c 'switched off by DOTNET_EnableDiagnostics=0')" = 1
ok 'and its version is known all the same' "$(of "$off" .version)" = "$version"
ok 'one with the old prefix and _IPC too' \
	"$(of "$off_ipc" .problem | grep -c 'switched off by COMPlus_EnableDiagnostics_IPC=0')" = 1
ok 'one without its temporary folder says so' \
	"$(of "$lost" .problem | grep -c "$tmp/t/nowhere, does not exist")" = 1
ok 'one whose socket was removed says so' "$(of "$removed" .problem | grep -c 'was removed')" = 1
ok 'one that was killed and left its socket is not listed' "$(of "$killed" .)" = none
ok 'its socket is there' -n "$(ls t/killed | grep socket)"
ok 'one that is stopped says so' "$(of "$hung" .problem | grep -c 'may be stopped')" = 1
ok 'one whose path is too long is found' "$(of "$deep" .version)" = "$version"
list --native
ok 'other processes are listed on request' "$(of $$ .kind)" = native

case $(uname -m) in x86_64) rid=linux-x64 ;; aarch64) rid=linux-arm64 ;; *) rid=linux-$(uname -m) ;; esac
if build_dotnet "$top/tests/e2e/dotnet/starter" "$tmp/single" -r $rid --self-contained -p:PublishSingleFile=true; then
	start single env DOTNET_EnableWriteXorExecute=0 "$tmp/single/Starter"
	single=$pid
	ready single
	list
	ok 'a runtime in the program itself' "$(of "$single" '.kind + " " + .version')" = "coreclr $version"
else
	skip 'a runtime in the program itself' 'its packages cannot be had here'
fi

# ---- where only root gets ----

root() { [ "$(id -u)" = 0 ]; }
namespaces() { unshare -mpf --mount-proc mount -t tmpfs none /tmp 2>/dev/null; }

if root && "$ASSAY" run -q --cpus 0.5 --memory 200m -- true 2>/dev/null; then
	start limited "$ASSAY" run -q --cpus 0.5 --memory 200m -- "$tmp/app/Starter"
	ready limited
	read -r limited rest <limited.out
	list
	ok 'the limit of its CPUs' "$(of "$limited" .cpus)" = 0.5
	ok 'the limit of its memory' "$(of "$limited" .memory_bytes)" = 209715200
else
	skip 'limits' 'no control groups may be made here'
fi
if root && command -v setpriv >/dev/null; then
	start other setpriv --reuid 4711 --regid 4711 --clear-groups "$tmp/app/Starter"
	other=$pid
	ready other
	list
	ok "root sees another user's" "$(of "$other" .version)" = "$version"
	timeout 20 setpriv --reuid 4712 --regid 4712 --clear-groups ./assay ps --json >out 2>err
	ok 'a third user is told whose it is' \
		"$(of "$other" .problem | grep -c 'belongs to user 4711: run as that user or as root')" = 1
	ok 'what it is can be told all the same' "$(of "$other" .kind)" = coreclr
else
	skip "other users' processes" 'needs root and setpriv'
fi
if root && namespaces; then
	mkdir sealed
	mount -t tmpfs -o ro none sealed
	start sealed env TMPDIR="$tmp/sealed" "$tmp/app/Starter"
	sealed=$pid
	start boxed unshare -mpf --mount-proc sh -c \
		'mount -t tmpfs none /mnt && TMPDIR=/mnt exec "$0"' "$tmp/app/Starter"
	ready sealed
	ready boxed
	list
	ok 'a read-only temporary folder' "$(of "$sealed" .problem | grep -c 'read-only file system')" = 1
	boxed=$(pgrep -P "$pid" Starter)
	ok 'one of another pid and mount namespace' "$(of "$boxed" .version)" = "$version"
	ok 'has its own pid inside' "$(of "$boxed" .inner_pid)" = "$(cut -d' ' -f1 boxed.out)"
	ok 'and its socket lies below its root' \
		"$(of "$boxed" .socket | grep -c "^/proc/$boxed/root/mnt/dotnet-diagnostic-1-")" = 1
	kill -9 "$boxed"
else
	skip 'other namespaces' 'none may be made here'
fi
tap_end
