# Collections of a trace: the table, those that stopped the program longest, JSON.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace gc "$nettrace/gc10.nettrace" || exit
"$ASSAY" trace gc "$nettrace/gc_server10.nettrace" --longest -n 2 | tail -n 4
"$ASSAY" trace gc "$nettrace/gc10.nettrace" --json -n 1
"$ASSAY" trace gc "$nettrace/both10.nettrace"
