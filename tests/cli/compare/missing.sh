$ASSAY compare a b
