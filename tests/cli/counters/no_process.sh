# A process that has ended.
sleep 0 &
pid=$!
wait $pid
"$ASSAY" counters collect -p $pid 2>err
code=$?
sed "s/$pid/PID/" err >&2
exit $code
