"$ASSAY" complation
