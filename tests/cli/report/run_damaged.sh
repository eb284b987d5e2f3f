$MAKE_CASE . && truncate -s 20000 slow-1.assay && $ASSAY report . | head -n 3
$ASSAY report . >/dev/null 2>&1
