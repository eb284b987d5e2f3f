# A run file beside the values: written once, not over; none when nothing was measured. --counters
# chooses for both.
sleep 20 &
trap "kill $!" EXIT
"$ASSAY" counters collect -p $! -d 600ms --refresh-interval 0.2 --counters 'process[process.thread.*,process.cpu.time]' --run one.assay -o one || exit
cut -d, -f3 one.csv | sed 's/ (.*//' | sort -u
"$ASSAY" counters collect -p $! -d 1s --run one.assay -o two
echo "again: $?"
"$ASSAY" counters collect --prometheus 127.0.0.1:1 --run none.assay 2>/dev/null
echo "nothing: $?"
ls ./*.assay
