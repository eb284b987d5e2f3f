. "$FIXTURES/http_server.sh"
"$ASSAY" get "http://127.0.0.1:$PORT/short" 2>err
code=$?
sed "s/$PORT/PORT/" err
exit $code
