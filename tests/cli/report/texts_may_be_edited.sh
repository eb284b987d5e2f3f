$MAKE_CASE . && sed -i "s/1a2b3c4/5d6e7f8/" case.json && $ASSAY report . >/dev/null && grep -o "Commit: [a-z0-9]*" report.md
