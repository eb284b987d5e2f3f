$ASSAY report .
