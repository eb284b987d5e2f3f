. "$FIXTURES/http_server.sh"
printf '{"book": 7}' >cart.json
"$ASSAY" get -X PUT -H 'X-One: 1' -H 'content-type: application/json' -d @cart.json -o reply \
	"http://user:pw@localhost:$PORT/echo?q" >/dev/null || exit
sed "s/$PORT/PORT/; s/User-Agent: assay.*/User-Agent: assay/" reply
