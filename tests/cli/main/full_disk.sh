"$ASSAY" --version >/dev/full
