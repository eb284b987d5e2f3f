# dotnet-counters' CSV: header, rows of the process and the group, the nominal interval in names.
sleep 20 &
trap "kill $!" EXIT
mkdir here # a folder of that name is not in the way
"$ASSAY" counters collect -p $! -d 400ms --refresh-interval 0.2 -o here || exit
head -n 1 here.csv
cut -d, -f2-4 here.csv | grep -E '^process,process.(cpu|mem|paging|thread.count|context)' | sort | uniq -c
grep -c '^[01][0-9]/[0-3][0-9]/20[0-9][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9],process,process.thread.count ({thread}),Metric,1$' here.csv
