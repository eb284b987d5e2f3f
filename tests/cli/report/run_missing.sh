$MAKE_CASE . && rm fixed-2.assay && $ASSAY report . | head -n 4
grep -c "runs cannot tell" report.html
$ASSAY report . >/dev/null
