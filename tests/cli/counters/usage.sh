# Wrong command lines: what is missing and what is taken.
"$ASSAY" counters collect
"$ASSAY" counters collect -p 1 -n init
"$ASSAY" counters collect -p 1 -d 10
"$ASSAY" counters collect -p 1 -d 1:2
"$ASSAY" counters collect -p 1 --refresh-interval 0.05
"$ASSAY" counters collect -p 1 --format xml
"$ASSAY" counters collect -p 99999999999
exit 2
