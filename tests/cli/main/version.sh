"$ASSAY" --version
