# By what it is, by stack, as JSON; a trace that has none.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace exceptions "$nettrace/exceptions10.nettrace" || exit
"$ASSAY" trace exceptions "$nettrace/exceptions10.nettrace" --stacks -n 2 --frames 1
"$ASSAY" trace exceptions "$nettrace/exceptions10.nettrace" --json -n 1 --stacks
"$ASSAY" trace exceptions "$nettrace/both10.nettrace"
