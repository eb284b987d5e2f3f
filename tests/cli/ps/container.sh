# a pid namespace and a /tmp of our own: what others run here does not matter
may="unshare -mpf --mount-proc"
[ "$(id -u)" = 0 ] || may="unshare -Ur -mpf --mount-proc"
$may mount -t tmpfs none /tmp 2>/dev/null || { echo "no namespaces may be made here"; exit 77; }
# seen from outside: another pid, another root, another folder for temporary files
mkdir shared
cat >inside.sh <<'I'
mount -t tmpfs none /mnt
mkdir /mnt/t
echo "0408 info 3 9.0.1 Boxed /srv/Boxed" >script
mkfifo hold
TMPDIR=/mnt/t "$FAKE_RUNTIME" /mnt/t script <hold >ready &
exec 9>hold
until [ -s ready ]; do sleep 0.05; done
read line <ended
I
mkfifo ended
$may sh inside.sh &
until [ -s ready ]; do sleep 0.05; done
"$ASSAY" ps --json >all
exec 8>ended
echo >&8
jq -r '.processes[] | select(.name == "Boxed") |
	(.pid != .inner_pid), .version, .problem,
	("/proc/\(.pid)/root/mnt/t/dotnet-diagnostic-\(.inner_pid)-" as $begin | .socket | startswith($begin))' all
wait
