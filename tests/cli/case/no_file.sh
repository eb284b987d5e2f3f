"$ASSAY" case run none.yaml
