# By what it is, by stack, as JSON; a trace that has none.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace contention "$nettrace/contention10.nettrace" || exit
"$ASSAY" trace contention "$nettrace/contention10.nettrace" --stacks -n 2 --frames 1
"$ASSAY" trace contention "$nettrace/contention10.nettrace" --json -n 1 --stacks
"$ASSAY" trace contention "$nettrace/both10.nettrace"
