"$ASSAY" get -H nonsense http://127.0.0.1:1/
