"$ASSAY" completion bash > c.sh
bash -n c.sh && bash -c 'source ./c.sh; COMP_WORDS=(assay compl); COMP_CWORD=1; _assay; echo "${COMPREPLY[@]}"'
