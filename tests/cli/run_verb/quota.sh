[ "$(id -u)" = 0 ] || { echo 'limits need root'; exit 77; }
burn='timeout 1 sh -c "while :; do :; done"'
"$ASSAY" run --cpus 0.2 --memory 64m --json usage.json -- sh -c "$burn & $burn"
grep -qE '"nr_throttled": [1-9]' usage.json && grep -q '"limit_cpus": 0.2' usage.json && echo throttled
