#!/bin/sh
# Runs assay load with scripts that use WebSockets, against a server of its own kind, and prints TAP.
#   ASSAY=path tests/e2e/websockets.sh
. "$(dirname "$0")/../lib/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 2
cd "$tmp" || exit 2
mkfifo hold
python3 "$here/../helper/websocket.py" <hold >port &
server=$!
exec 9>hold # it ends when we do
trap 'exec 9>&-; wait $server; rm -rf "$tmp"' EXIT
until [ -s port ]; do sleep 0.05; done
BASE=ws://127.0.0.1:$(cat port)

# load OPTIONS: runs it; $code, out, err and result hold what came
load() {
	timeout 60 "$ASSAY" load -q -e BASE="$BASE" --summary-export result "$@" >out 2>err
	code=$?
}

result_is() { jq -r "if ($1) then 1 else 0 end" result 2>err.jq || cat err.jq; }

load "$here/load/ws.js"
ok 'k6/ws: all its promises' "$(has out '100.00% 15 out of 15')$code" = 10
ok 'k6/ws: sessions, messages both ways, pings' \
	"$(result_is '.metrics | .ws_sessions.count == 12 and .ws_msgs_sent.count == 4 and
		.ws_msgs_received.count == 40005')" = 1
ok 'k6/ws: times' "$(has out 'ws_ping.*avg=')$(has out 'ws_connecting.*avg=')$(has out \
	'ws_session_duration.*avg=')" = 111

load "$here/load/websockets.js"
ok 'k6/websockets: all its promises' "$(has out '100.00% 9 out of 9')$code" = 10
load -e X=1 "$here/load/websockets.js" --out json=samples.json
ok 'samples have the tags of a session' "$(jq -rs 'map(select(.metric == "ws_sessions" and .type == "Point")
	| .data.tags | select(.status == "101") | .url | startswith("ws://127.0.0.1")) | (length == 9 and all)' samples.json)" = true

# those that last are ended with the iteration, and count
cat >stay.js <<'END'
import ws from 'k6/ws';
import { WebSocket } from 'k6/experimental/websockets';
export const options = {
  scenarios: { a: { executor: 'constant-vus', vus: 5, duration: '1s', gracefulStop: '0s', exec: 'sync' },
    b: { executor: 'constant-vus', vus: 5, duration: '1s', gracefulStop: '0s', exec: 'later' } },
};
export function sync() { ws.connect(`${__ENV.BASE}/mute`, {}, () => {}); }
export function later() { new WebSocket(`${__ENV.BASE}/mute`); }
END
load stay.js
ok 'a session that lasts is cut off with its iteration' "$(result_is '.metrics | .ws_sessions.count == 10 and
	.ws_session_duration.min > 500 and .ws_session_duration.max < 5000')$code" = 10

cat >fail.js <<'END'
import { WebSocket } from 'k6/websockets';
export default function () {
  const w = new WebSocket(`${__ENV.BASE}/echo`);
  w.onopen = () => { throw new Error('from the handler'); };
}
END
load fail.js
ok 'an exception in a handler ends the iteration' "$(has err 'from the handler')$code" = 10

cat >nobody.js <<'END'
import ws from 'k6/ws';
export default function () {
  const r = ws.connect('ws://127.0.0.1:1/', {}, (s) => s.on('error', (e) => console.log(`told: ${e.error()}`)));
  console.log(`status ${r.status}`);
}
END
load nobody.js
ok 'nobody there: an event and a response without status' "$(has err 'told: connecting to 127.0.0.1:1')$(has err \
	'status 0')$code" = 110
tap_end
