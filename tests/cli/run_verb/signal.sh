"$ASSAY" run -q -- sh -c "kill -9 \$\$"
