. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace tree shop.nettrace
"$ASSAY" trace tree shop.nettrace --depth 9 --percent 0 --weight ms
LC_ALL=C "$ASSAY" trace tree shop.nettrace --depth 9
"$ASSAY" trace tree shop.nettrace --root PayAsync --names raw -v
"$ASSAY" trace tree shop.nettrace --callers Wait
"$ASSAY" trace tree shop.nettrace --state managed --json
