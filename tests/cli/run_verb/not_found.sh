"$ASSAY" run -- ./no-such-command
