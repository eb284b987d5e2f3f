# The target's death, Ctrl-C: what was measured is there, JSON is whole.
sleep 1.1 &
"$ASSAY" counters collect -p $! --refresh-interval 0.2 --format json -o dies 2>err
echo "death: $?"
sed -E "s/: (sleep|sh) has/: NAME has/" err # sh, before it becomes sleep
jq -r '(.TargetProcess | IN("sh", "sleep")), ([.Events[] | select(.name == "process.thread.count ({thread})")] | length >= 3)' dies.json
sleep 20 &
target=$!
trap "kill $target" EXIT
"$ASSAY" counters collect -p $target --refresh-interval 10 --format jsonl -o cut 2>err &
sleep 2
kill -INT $!
wait $!
echo "interrupted: $?"
cat err
jq -r 'select(.name == "process.cpu.time" and .tags == "state=user") | .interval_s > 1.2 and .interval_s < 3' cut.jsonl
