# tap.sh - TAP from shell scripts; to be sourced. A script has its results in files of the current folder,
# mostly out and err, and ends with tap_end.

number=0
shown='out err' # what a failure shows, 40 lines in all

# ok NAME CONDITION...: the conditions are words for test(1)
ok() {
	number=$((number + 1))
	name=$1
	shift
	if [ "$@" ]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		echo "# exit code ${code:-unknown}"
		for file in $shown; do
			[ ! -f "$file" ] || cut -c1-400 "$file"
		done | tail -n 40 | sed 's/^/# /'
	fi
}

skip() { # NAME WHY
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# has FILE PATTERN: 1 when a line matches, else 0
has() { grep -qE -- "$2" "$1" && echo 1 || echo 0; }

tap_end() { echo "1..$number"; }
