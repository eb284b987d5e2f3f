"$ASSAY" run --cpus many -- true
