# Adjustments with their reasons, starvation; a trace that has none.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace threadpool "$nettrace/threadpool10.nettrace" -n 2 || exit
"$ASSAY" trace threadpool "$nettrace/threadpool10.nettrace" --json -n 1
"$ASSAY" trace threadpool "$nettrace/both10.nettrace"
