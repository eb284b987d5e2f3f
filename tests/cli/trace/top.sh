. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace top shop.nettrace
"$ASSAY" trace top shop.nettrace --weight ms --inc PayAsync
"$ASSAY" trace top shop.nettrace --charge gap
"$ASSAY" trace top shop.nettrace --charge gap --json -n 1
"$ASSAY" trace top shop.nettrace --callers Monitor.Wait --names written
