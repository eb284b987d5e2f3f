# a pid namespace and a /tmp of our own: what others run here does not matter
may="unshare -mpf --mount-proc"
[ "$(id -u)" = 0 ] || may="unshare -Ur -mpf --mount-proc"
$may mount -t tmpfs none /tmp 2>/dev/null || { echo "no namespaces may be made here"; exit 77; }
unset TMPDIR
$may sh -c '
	mount -t tmpfs none /mnt
	cp "$ASSAY" /mnt/assay
	cp "$FAKE_RUNTIME" /mnt/fake_runtime
	mount -t tmpfs none /tmp
	mount -t tmpfs none /sys # no limits
	cd /tmp
	mkdir other
	echo "0408 info 3 10.0.12 Shop.Api /srv/Shop.Api --port 80" >script
	echo "0404 info 2 6.0.36 Shop.A.Name.That.Goes.On.And.On /srv/x" >old
	mkfifo hold
	/mnt/fake_runtime /tmp script </tmp/hold >1 &
	TMPDIR=/tmp/other /mnt/fake_runtime other old log </tmp/hold >2 &
	DOTNET_EnableDiagnostics=0 /mnt/fake_runtime /tmp script </tmp/hold >3 &
	exec 9>hold
	until [ -s 1 ] && [ -s 2 ] && [ -s 3 ]; do sleep 0.05; done
	rm "$(cut -d" " -f2 3)"
	: >dotnet-diagnostic-77-1-socket
	tidy() { sed "s#  *[^ ]*/fake_runtime#  fake_runtime#; s/^ *[0-9][0-9]* /PID /; s/process [0-9]*/process PID/"; }
	/mnt/assay ps | tidy
	echo "--- 60 columns"
	script -qc "stty cols 60; /mnt/assay ps" /dev/null | tidy | tr -d "\r" | awk "{ if (length(\$0) > 60) print \"too wide: \" \$0 } { print }"
'
