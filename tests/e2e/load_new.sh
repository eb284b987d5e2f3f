#!/bin/sh
# Scripts that `assay load new` makes, run against the fixture server; the requests that arrive are
# held against what the source says - for curl commands, against what curl itself sends. Prints TAP.
#   ASSAY=path HTTP_FIXTURE=path tests/e2e/load_new.sh
. "$(dirname "$0")/../lib/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)/load_new
tmp=$(mktemp -d) || exit 2
mkfifo "$tmp/hold"
"$HTTP_FIXTURE" 300 "$tmp/log" <"$tmp/hold" >"$tmp/port" &
fixture=$!
exec 9>"$tmp/hold" # the server ends when we do
trap 'exec 9>&-; wait $fixture; rm -rf "$tmp"' EXIT
until [ -s "$tmp/port" ]; do sleep 0.05; done
BASE=http://127.0.0.1:$(cat "$tmp/port")
export BASE
cd "$tmp" || exit 2
shown='script.js err difference'

# is NAME: ok when the files wanted and got are the same
is() { ok "$1" "$(diff -au wanted got >difference && echo same)" = same; }

mark() { before=$(wc -c <log); }

# What arrived since mark, without what each client says of itself, header names in lower case.
arrived() {
	tail -c "+$((before + 1))" log | tr -d '\r' | LC_ALL=C sed -E '
		/^[A-Za-z0-9-]+:/{
			s/^([A-Za-z0-9-]+): ?/\L\1: /
			/^(host|connection|expect): /d
			/^accept: \*\/\*$/d
			/^user-agent: (curl|k6|assay)/d
			/^content-length: 0$/d
		}
		s/-{4,}[A-Za-z0-9-]+/BOUNDARY/g' | sort_heads
}

# Header lines of each request in the order of their names.
sort_heads() {
	awk '
		function flush(  i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && h[j] < h[j - 1]; j--) { t = h[j]; h[j] = h[j - 1]; h[j - 1] = t }
			for (i = 1; i <= n; i++) print h[i]
			n = 0
		}
		BEGIN { state = 0 }
		state == 0 { print; state = 1; next }
		state == 1 && /^$/ { flush(); print; state = 2; next }
		state == 1 { h[++n] = $0; next }
		/^----$/ { print; state = 0; next }
		{ print }'
}

# both COMMAND: runs it, and the script made of it; what arrives is in wanted and got
both() {
	mark
	sh -c "$1" >/dev/null 2>&1
	arrived >wanted
	"$ASSAY" load new --curl "$1" -o script.js --force 2>err
	mark
	"$ASSAY" load -q --no-summary script.js >out 2>>err
	code=$?
	arrived >got
}

# as_curl NAME COMMAND: the script made of the command sends what the command does
as_curl() {
	both "$2"
	is "curl: $1"
}

printf 'a line\r\nand another\n' >text.txt
printf '\001\377\000binary' >data.bin

as_curl 'a plain GET' 'curl -s $BASE/echo'
as_curl 'headers and a query' "curl -s -H 'X-A: it'\\''s \"b\"' -H 'X-B;' -A me -e http://r/ '$BASE/echo?a=b&c={d}' -g"
as_curl 'several -d' "curl -s -d a=1 -d 'b=2 3' --data-urlencode 'c=d e&f' $BASE/echo"
as_curl 'data of files' "curl -s -d @text.txt --data-urlencode n@text.txt $BASE/echo"
as_curl 'binary data' "curl -s --data-binary @data.bin -H 'Content-Type: a/b' $BASE/echo"
as_curl '--data-raw with @' "curl -s --data-raw @a $BASE/echo"
as_curl '-G' "curl -s -G -d a=1 --data-urlencode 'q=x y' '$BASE/echo?z=0#frag'"
as_curl 'another method, no body' "curl -s -X DELETE $BASE/echo"
as_curl 'HEAD' "curl -s -I $BASE/status/200"
as_curl 'an upload' "curl -s -T data.bin $BASE/echo/"
as_curl 'credentials' "curl -s -u 'me:p:w d' $BASE/echo"
as_curl 'cookies' "curl -s -b 'a=1; b=x=y' $BASE/echo"
as_curl 'no redirect' "curl -s $BASE/redirect/2"
as_curl 'redirects' "curl -s -L $BASE/redirect/2"
both "curl -s -F a=1 -F 'b=x y;type=text/plain' -F 'c=<text.txt' --form-string 'd=@e' $BASE/echo"
# a boundary's length is the client's to choose
grep -av ^content-length wanted >w && mv w wanted
grep -av ^content-length got >g && mv g got
is 'curl: a form of text'
as_curl 'two requests' "curl -s $BASE/echo/1 --next -s -d x $BASE/echo/2; curl -s $BASE/echo/3"
as_curl 'a header taken away' "curl -s -d a -H Content-Type: $BASE/echo"
as_curl 'several lines' "curl -s \\
  -H 'A: b' \\
  --data-raw '{
  \"a\": \"\\u00e9 \$x\`\"
}' $BASE/echo"

# what only bash has; dash, our own shell, does not
cat >command <<END
curl '$BASE/echo' -X 'PUT' -H 'content-type: text/plain' --data-raw \$'it\\'s \\u00e9\\n\\x41' --compressed
END
mark
bash command >/dev/null 2>&1
arrived | grep -av ^accept-encoding >wanted
"$ASSAY" load new --curl - <command >script.js 2>err
mark
"$ASSAY" load -q --no-summary script.js >out 2>>err
arrived | grep -av ^accept-encoding >got
is "curl: as browsers copy it"

"$ASSAY" load new --curl "curl -H 'X-Token: '\$TOKEN $BASE/echo" >script.js 2>err
mark
TOKEN=abc "$ASSAY" load -q --no-summary script.js >out 2>>err
ok 'curl: a variable of the shell comes from the environment' \
	"$(arrived | grep -ac '^x-token: abc$')" = 1

mark
"$ASSAY" load new --curl "curl -F a=1 -F f=@data.bin $BASE/echo" -o script.js --force 2>err
"$ASSAY" load -q --no-summary script.js >out 2>>err
ok 'curl: a form with a file' "$(arrived | grep -acE 'name="a"$|name="f"; filename="data.bin"$|^.?binary$')" = 2
ok 'curl: its bytes arrive' "$(grep -ac "$(printf '\001')" log)" -ge 1

# an archive: what it says was sent, in its order, arrives; the jar's cookie is the server's
sed "s|BASE|${BASE#http://}|g" "$here/shop.har" >shop.har
"$ASSAY" load new --har shop.har --skip '*.example' --no-static --think -o script.js --force 2>err
mark
begun=$(date +%s%N)
"$ASSAY" load -q script.js >out 2>>err
code=$?
took=$((($(date +%s%N) - begun) / 1000000))
arrived | grep -av '^content-length' >got
cat >wanted <<'END'
GET /cookie/sid HTTP/1.1
accept: */*; q=0.5
cookie: theme=dark


----
POST /echo/order?x=1 HTTP/1.1
accept: */*; q=0.5
content-type: application/json
cookie: theme=dark; sid=jar
x-token: it's "t"

{"a":"é"}
----
POST /echo/form HTTP/1.1
accept: */*; q=0.5
content-type: application/x-www-form-urlencoded
cookie: sid=jar

a+b=1%262&c=
----
POST /echo/parts HTTP/1.1
accept: */*; q=0.5
content-type: multipart/form-data; boundary=BOUNDARY
cookie: sid=jar

BOUNDARY
content-disposition: form-data; name="a"

1
BOUNDARY
content-disposition: form-data; name="f"; filename="f.txt"
content-type: text/plain

hi
BOUNDARY

----
GET /redirect/1 HTTP/1.1
accept: */*; q=0.5
cookie: sid=jar


----
GET /status/404 HTTP/1.1
accept: */*; q=0.5
cookie: sid=jar


----
END
is 'an archive: what was recorded arrives'
ok 'an archive: the recorded statuses are checked' "$code$(grep -c 'checks_succeeded.*6 out of 6' out)" = 01
ok 'an archive: pages are groups' "$(grep -c "group('" script.js)" = 2
ok 'an archive: pauses are as recorded' $took -ge 5000
"$ASSAY" load new --har shop.har --only ads.example >script.js 2>err
ok 'an archive: one host alone' "$(grep -c '= http\.' script.js)$(grep -c ads.example/x script.js)" = 11
printf '{"log": {"entries": [\n {"request": {"url": 1}}]}}' >bad.har
"$ASSAY" load new --har bad.har >script.js 2>err
ok 'an archive: what is wrong is named with its place' \
	"$?$(grep -c 'bad.har:2:14: the key "method" is missing' err)" = 21

# an interface's description: what its examples and schemas allow arrives, in its order
"$ASSAY" load new --openapi "$here/library.yaml" -o script.js --force 2>err
mark
"$ASSAY" load -q -e BASE_URL="$BASE/echo" -e TOKEN=t -e KEY='k' -e USERNAME=me -e PASSWORD=pw script.js >out 2>>err
code=$?
arrived | grep -av '^content-length' | LC_ALL=C sed -E 's/-*[0-9a-f]{60}-*/BOUNDARY/' >got
cat >wanted <<'END'
GET /echo/books/7?fields=title HTTP/1.1
accept: application/json
authorization: Bearer t
cookie: lang=de
x-trace: abc


----
DELETE /echo/books/7 HTTP/1.1


----
POST /echo/books?key=k HTTP/1.1
content-type: application/json

{"made":"2026-01-01","title":"textxx","pages":11,"price":1.5,"cover":"hard","parts":[],"code":"0012","sold":true}
----
PUT /echo/books HTTP/1.1
authorization: Basic bWU6cHc=
content-type: application/x-www-form-urlencoded

title=One+%26+two&kinds=a&kinds=b
----
POST /echo/files HTTP/1.1
content-type: multipart/form-data; boundary=BOUNDARY

BOUNDARY
content-disposition: form-data; name="name"

te
BOUNDARY
content-disposition: form-data; name="file"; filename="file.txt"
content-type: application/octet-stream

text
BOUNDARY

----
END
is 'a description: every operation is called as it says'
ok 'a description: what it promises is checked' "$code$(grep -c 'checks_succeeded.*5 out of 5' out)" = 01
ok 'a description: samples carry the path, not the values' "$(grep -c "name: 'GET /books/{id}'" script.js)" = 1
"$ASSAY" load new --openapi "$here/library.yaml" --only books --skip writes >script.js 2>err
ok 'a description: operations by tag' "$(grep -c '= http\.' script.js)$(grep -c getBook script.js)" = 12
"$ASSAY" load new --openapi "$here/petshop.json" -o script.js --force 2>err
mark
"$ASSAY" load -q -e BASE_URL="$BASE/echo" script.js >out 2>>err
arrived | grep -av '^content-length' >got
cat >wanted <<'END'
POST /echo/pets/a%2Fb HTTP/1.1
content-type: application/json
x-tags: x,y

{"name":"Rex","born":"2026-01-01T00:00:00Z"}
----
PATCH /echo/pets/a%2Fb?only=1 HTTP/1.1
content-type: application/x-www-form-urlencoded

age=3
----
END
is 'a description: version 2.0'
ok 'a description: what it points at and does not hold is said' \
	"$(grep -c 'not carried over: other.json#/Pet, which is not in the document' err)" = 1
printf '{"openapi": "3.0.0",\n "paths": {"/a": {"get": 1}}}' >bad.json
"$ASSAY" load new --openapi bad.json >script.js 2>err
ok 'a description: what is wrong is named with its place' \
	"$?$(grep -c 'bad.json:2:26: expected an operation' err)" = 21

"$ASSAY" load new -o script.js 2>err
ok 'a script is not written over' $? = 1
"$ASSAY" load new -o first.js 2>err
"$ASSAY" load -q -e BASE_URL="$BASE/echo" first.js >out 2>>err
ok 'the script to begin with runs' $? = 0
ok 'and its load is what it says' "$(grep -cE 'iterations\.+: (3[5-9]|4[0-3]) ' out)" = 1
tap_end
