$MAKE_CASE . && $ASSAY compare --json slow-1.assay fixed-1.assay | head -n 3
