"$ASSAY" run -q -- sh -c "echo out; exit 7"
