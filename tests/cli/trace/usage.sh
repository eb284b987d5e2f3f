. "${0%/*}/shop.inc"
shop >shop.nettrace
"$ASSAY" trace tree shop.nettrace --weight bytes
"$ASSAY" trace tree shop.nettrace --charge all
"$ASSAY" trace tree shop.nettrace --charge gap --weight samples
"$ASSAY" trace tree shop.nettrace --root A --callers B
"$ASSAY" trace tree shop.nettrace --callers '@['
head -c 10 shop.nettrace >short.nettrace
"$ASSAY" trace tree short.nettrace
head -c 3000 shop.nettrace >cut.nettrace
"$ASSAY" trace tree cut.nettrace >/dev/null
echo "0 1 7 managed A!B.C.D()" | "$MAKE_TRACE" >one.nettrace
"$ASSAY" trace tree one.nettrace --weight ms
"$ASSAY" trace tree missing.nettrace
