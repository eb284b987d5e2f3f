# "load" is a verb, and so is "load new": options of each, files for the first
"$ASSAY" completion bash > c.sh
touch script.js
complete() { bash -c 'source ./c.sh; COMP_WORDS=(assay "$@"); COMP_CWORD=$#; _assay; echo "${COMPREPLY[@]}"' - "$@"; }
complete load n
complete load scr
complete load new --cu
complete load --no-su
complete case r
