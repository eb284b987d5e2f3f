. "${0%/*}/shop.inc"
go tool pprof -h >/dev/null 2>&1 || [ $? = 2 ] || { echo "there is no go tool pprof"; exit 77; }
shop >shop.nettrace
"$ASSAY" trace export shop.nettrace -f pprof >/dev/null
PPROF_TMPDIR=$PWD go tool pprof -top -sample_index=samples shop.pb.gz 2>/dev/null | sed -n '/flat%/,$p'
PPROF_TMPDIR=$PWD go tool pprof -peek PayAsync -sample_index=wall shop.pb.gz 2>/dev/null | sed -n '/flat%/,$p'
