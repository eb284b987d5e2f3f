# a pid namespace and a /tmp of our own: what others run here does not matter
may="unshare -mpf --mount-proc"
[ "$(id -u)" = 0 ] || may="unshare -Ur -mpf --mount-proc"
$may mount -t tmpfs none /tmp 2>/dev/null || { echo "no namespaces may be made here"; exit 77; }
unset TMPDIR
$may sh -c '
	mount -t tmpfs none /mnt
	cp "$ASSAY" /mnt/assay
	mount -t tmpfs none /tmp
	/mnt/assay ps
	echo "exit $?"
	/mnt/assay ps --json
	echo "exit $?"
'
