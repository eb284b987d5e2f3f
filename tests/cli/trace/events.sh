# Counts by kind; the runtime's own events by name and field; events that describe themselves.
nettrace=$FIXTURES/dotnet/nettrace
"$ASSAY" trace events "$nettrace/gc10.nettrace" || exit
"$ASSAY" trace events "$nettrace/gc10.nettrace" --name '^GCStart' --filter Depth=2 --list
"$ASSAY" trace events "$nettrace/exceptions10.nettrace" --id 80 --json -n 1
"$ASSAY" trace events "$nettrace/exceptions10.nettrace" --filter ExceptionType=PayError
"$ASSAY" trace events "$nettrace/contention10.nettrace" --id 91 --list -n 1
"$ASSAY" trace events "$nettrace/both10.nettrace" --provider Metrics --filter instrumentName=lab.orders -n 1 --json
head -c 9000 "$nettrace/gc10.nettrace" >cut.nettrace
"$ASSAY" trace events cut.nettrace --id 4
"$ASSAY" trace events "$nettrace/gc10.nettrace" --filter Depth
