$MAKE_CASE . && $ASSAY compare slow-1.assay fixed-1.assay
