echo text > file
"$ASSAY" run -- ./file
