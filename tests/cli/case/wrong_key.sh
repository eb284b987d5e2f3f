cat > c.yaml <<END
name: x
traget: {}
END
"$ASSAY" case run c.yaml
