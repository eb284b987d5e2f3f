echo hello > a; $ASSAY compare a a
