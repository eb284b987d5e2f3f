echo "{" > case.json; $ASSAY report .
