# Bytes by type from sampled events; by ticks, with a word on them; by stack and per request; JSON.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace alloc "$nettrace/alloc_sampled10.nettrace" || exit
"$ASSAY" trace alloc "$nettrace/alloc_ticks10.nettrace" -n 2 --requests 100
"$ASSAY" trace alloc "$nettrace/alloc_sampled10.nettrace" --stacks -n 2 --requests 100
"$ASSAY" trace alloc "$nettrace/alloc_sampled10.nettrace" --json -n 1
"$ASSAY" trace alloc "$nettrace/both10.nettrace" -n 0
