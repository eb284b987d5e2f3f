. "$FIXTURES/http_server.sh"
"$ASSAY" get --json -i "127.0.0.1:$PORT/slow/50" | jq -c '[.status, .reason, .proto, .bytes.body,
	(.headers[] | select(.name == "Content-Length").value), .phases_ns.wait >= 50000000,
	.phases_ns.lookup, ([.phases_ns[]] | add - 2 * max <= 0), .error]'
