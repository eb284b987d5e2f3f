# a pid namespace and a /tmp of our own: what others run here does not matter
may="unshare -mpf --mount-proc"
[ "$(id -u)" = 0 ] || may="unshare -Ur -mpf --mount-proc"
$may mount -t tmpfs none /tmp 2>/dev/null || { echo "no namespaces may be made here"; exit 77; }
# only the folder is shared: the process is out of our sight, but its socket answers
echo "0408 info 3 8.0.31 Beside /srv/Beside" >script
mkfifo hold
"$FAKE_RUNTIME" "$PWD" script <hold >ready &
exec 9>hold
until [ -s ready ]; do sleep 0.05; done
TMPDIR=$PWD $may "$ASSAY" ps --json >all
jq -c '.processes[] | select(.name == "Beside") | [.pid, .version, .command_line, .problem]' all
