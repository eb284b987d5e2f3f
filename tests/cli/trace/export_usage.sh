. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace export shop.nettrace
"$ASSAY" trace export shop.nettrace -f svg
"$ASSAY" trace export shop.nettrace -f folded --inc Nothing
"$ASSAY" trace export shop.nettrace -f folded -o /dev/full
"$ASSAY" trace export shop.nettrace -f chrome --weight samples
"$MAKE_TRACE" </dev/null >none.nettrace
"$ASSAY" trace export none.nettrace -f folded
