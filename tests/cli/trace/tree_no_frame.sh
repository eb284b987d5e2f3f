. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace tree shop.nettrace --root Nothing
