$MAKE_CASE . && $ASSAY compare slow-1.assay slow-2.assay
