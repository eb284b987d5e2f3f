. "${0%/*}/shop.inc"
shop >shop.nettrace
shop_before >before.nettrace
"$ASSAY" trace export shop.nettrace -f html
"$ASSAY" trace export shop.nettrace -f html -o diff.html --state managed --baseline before.nettrace
for page in shop.html diff.html; do
	grep -E '^<(h1|p|tr|div|button|noscript)' $page
	grep -o 'id="data".*' $page
done
"$ASSAY" trace export shop.nettrace -f folded --baseline shop.nettrace
