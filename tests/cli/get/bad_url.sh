"$ASSAY" get "http://127.0.0.1:80x/"
