# The table: as many lines as intervals, a head before them.
sleep 20 &
trap "kill $!" EXIT
"$ASSAY" counters collect -p $! -d 00:00:00:01 --refresh-interval 0.5 --table >out || exit
head -n 1 out | grep -o 'CPU %.*' | sed 's/throttled %  *//; s/  */ /g'
grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9] +[0-9]' out
