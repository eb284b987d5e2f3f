"$ASSAY" run --cpus 0.000001 -- true
