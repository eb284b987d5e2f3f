. "$FIXTURES/http_server.sh"
"$ASSAY" get --timeout 100ms --json "http://127.0.0.1:$PORT/slow/5000" 2>err | jq -c '.error.kind'
sed "s/$PORT/PORT/" err
