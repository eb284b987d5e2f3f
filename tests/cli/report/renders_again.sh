$MAKE_CASE . && rm report.html report.md
COLUMNS=100 $ASSAY report . && test -s report.html && test -s report.md
