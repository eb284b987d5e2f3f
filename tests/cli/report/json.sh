$MAKE_CASE . && $ASSAY report --json . >out.json && cmp out.json case.json && $ASSAY report --json . | grep -A3 "\"verdict\""
