. "$FIXTURES/http_server.sh"
"$ASSAY" get "http://127.0.0.1:$PORT/to/there?x" | tail -n 1 | sed "s/$PORT/PORT/"
