. "$FIXTURES/http_server.sh"
"$ASSAY" get "http://127.0.0.1:$PORT/status/503" | head -n 1 | grep -o '503.*[a-z]  '
"$ASSAY" get "http://127.0.0.1:$PORT/status/503" >/dev/null && echo ok
"$ASSAY" get --fail "http://127.0.0.1:$PORT/status/399" >/dev/null && echo ok
"$ASSAY" get --fail "http://127.0.0.1:$PORT/status/503" >/dev/null
