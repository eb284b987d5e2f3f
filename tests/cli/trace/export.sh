. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace export shop.nettrace -f folded -o -
"$ASSAY" trace export shop.nettrace -f folded -o - --names raw --weight ms --inc PayAsync
for format in speedscope pprof folded chrome firefox; do
	"$ASSAY" trace export shop.nettrace -f $format
done
"$ASSAY" trace export shop.nettrace -f speedscope -o - --inc Price
"$ASSAY" trace export shop.nettrace -f chrome -o - --inc Price
"$ASSAY" trace export shop.nettrace -f firefox -o - --inc Log
for name in *; do echo "$name"; done
