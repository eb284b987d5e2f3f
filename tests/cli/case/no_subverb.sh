"$ASSAY" case
