// k6/websockets: each check is one of the module's promises.
import { WebSocket, Blob } from 'k6/websockets';
import { check } from 'k6';
import http from 'k6/http';

const BASE = __ENV.BASE;
export const options = { vus: 1, iterations: 1 };

function talk(path, setup, ...args) {
  return new Promise((resolve) => {
    const log = [];
    const ws = new WebSocket(BASE + path, ...args);
    ws.onopen = () => log.push(`open ${ws.readyState}`);
    ws.addEventListener('message', (e) => log.push(`message ${e.data}`));
    ws.addEventListener('ping', (e) => log.push(`ping ${e.data}`));
    ws.addEventListener('pong', () => log.push('pong'));
    ws.onerror = (e) => log.push(`error ${e.error}`);
    ws.onclose = (e) => {
      log.push(`close ${e.code} ${e.reason}${ws.readyState}`);
      resolve({ log: log.join('; '), ws });
    };
    log.push(ws.readyState);
    if (setup) setup(ws);
  });
}

const is = (name, got, wanted) => {
  if (got !== wanted) console.error(`${name}: ${got}`);
  return check(got, { [name]: (x) => x === wanted });
};

export default async function () {
  const echo = await talk('/echo', (ws) => {
    ws.addEventListener('open', () => { ws.send('hi'); ws.ping(); });
    ws.addEventListener('pong', () => ws.close(3000, 'done'));
  });
  is('echo', echo.log, '0; open 1; message hi; pong; close 3000 3');

  const both = await Promise.all([talk('/bye', (ws) => { ws.addEventListener('open', () => ws.send('x')); }), talk('/pieces')]);
  is('two at once', both.map((x) => x.log).join(' | '),
    '0; open 1; error websocket: close 4001: enough; close 4001 enough3 | 0; open 1; ping p; message one two drei \u00fc; close 1000 3');

  let text;
  await talk('/echo', (ws) => {
    ws.addEventListener('open', () => ws.send(new Blob(['a', new Uint8Array([98, 99])])));
    ws.addEventListener('message', async (e) => { text = `${e.data.size} ${await e.data.text()}`; ws.close(); });
  });
  is('blob', text, '3 abc');

  let length;
  await talk('/echo', (ws) => {
    ws.binaryType = 'arraybuffer';
    ws.addEventListener('open', () => ws.send(new Uint8Array(100000)));
    ws.addEventListener('message', (e) => { length = e.data.byteLength; ws.close(); });
  });
  is('arraybuffer', length, 100000);

  const refused = await talk('/refuse');
  is('refused', refused.log, '0; error websocket: bad handshake; close 1006 3');

  const chosen = await talk('/head', null, ['b', 'c'], { headers: { 'X-Own': 'v' } });
  is('protocol', `${chosen.ws.protocol} ${/X-Own: v\r\n/.test(chosen.log)}`, 'b true');

  let n = 0;
  await talk('/flood', (ws) => { ws.addEventListener('message', () => n++); });
  is('flood', n, 20000);

  let early = '';
  await talk('/bye', (ws) => {
    try { ws.send('x'); } catch (e) { early = e.message; }
    ws.addEventListener('open', () => ws.send('x'));
  });
  is('sent too early', early, 'InvalidStateError: the connection is not open yet');

  const asked = await talk('/echo', (ws) => {
    ws.addEventListener('open', () => {
      const r = http.get(BASE.replace('ws', 'http') + '/refuse');
      ws.send(String(r.status));
    });
    ws.addEventListener('message', () => ws.close());
  });
  is('a request meanwhile', asked.log, '0; open 1; message 403; close 1000 3');
}
