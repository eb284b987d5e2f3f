. "$FIXTURES/http_server.sh"
"$ASSAY" get -i "http://127.0.0.1:$PORT/"
