// k6/ws: each check is one of the module's promises.
import ws from 'k6/ws';
import { check, sleep } from 'k6';

const BASE = __ENV.BASE;
export const options = { vus: 1, iterations: 1 };

function talk(path, params, setup) {
  const log = [];
  const response = ws.connect(BASE + path, params, (socket) => {
    for (const name of ['open', 'message', 'ping', 'pong', 'close']) {
      socket.on(name, (x) => log.push(x === undefined ? name : `${name} ${x}`));
    }
    socket.on('error', (e) => log.push(`error ${e.error()}`));
    socket.setTimeout(() => { log.push('late'); socket.close(); }, 5000);
    if (setup) setup(socket, log);
  });
  return { log: log.join('; '), response };
}

const is = (name, got, wanted) => {
  if (got !== wanted) console.error(`${name}: ${got}`);
  return check(got, { [name]: (x) => x === wanted });
};

export default function () {
  const echo = talk('/echo', {}, (socket) => {
    socket.on('open', () => { socket.send('\u00fcber'); socket.ping(); });
    socket.on('pong', () => socket.close(1000));
  });
  is('echo', echo.log, 'open; message \u00fcber; pong 1; close 1000');
  is('response', `${echo.response.status} ${echo.response.headers['X-Server']} ${echo.response.error}`, '101 one ');

  let sum = 0;
  talk('/echo', null, (socket) => {
    socket.on('open', () => socket.sendBinary(new Uint8Array([1, 2, 250]).buffer));
    socket.on('binaryMessage', (data) => {
      for (const b of new Uint8Array(data)) sum += b;
      socket.close();
    });
  });
  is('binary', sum, 253);

  is('closed by the server', talk('/bye', {}, (s) => s.on('open', () => s.send('x'))).log,
    'open; error websocket: close 4001: enough; close 4001');
  is('cut off', talk('/cut', {}, (s) => s.on('open', () => s.send('x'))).log,
    'open; error websocket: close 1006 (abnormal closure): the connection ended without a close; close 1006');
  is('pinged', talk('/ping', {}).log, 'open; ping are you there; message 10:are you there; close 1000');
  is('in pieces', talk('/pieces', {}).log, 'open; ping p; message one two drei \u00fc; close 1000');

  const refused = talk('/refuse', {});
  is('refused', `${refused.response.status} ${refused.log}`, '403 error websocket: bad handshake');

  const head = talk('/head', { headers: { 'X-Own': 'v', 'Sec-WebSocket-Protocol': 'b, c' }, cookies: { k: 'w' } });
  is('headers', /X-Own: v\r\n[^]*Cookie: k=w\r\n/.test(head.log), true);
  is('protocol', head.response.headers['Sec-Websocket-Protocol'], 'b');

  let ticks = 0;
  const ticked = talk('/mute', {}, (socket) => {
    socket.setInterval(() => { if (++ticks === 3) socket.close(); }, 10);
  });
  is('interval', `${ticks} ${ticked.log}`, '3 open; close 1001');

  let n = 0;
  talk('/flood', {}, (socket) => socket.on('message', () => n++));
  is('flood', n, 20000);
  talk('/flood', {}, (socket) => {
    socket.on('open', () => sleep(0.3)); // the server is held up meanwhile
    socket.on('message', () => n++);
  });
  is('flood while busy', n, 40000);

  let thrown = '';
  try {
    ws.connect('http://x.test/', () => {});
  } catch (e) {
    thrown = e.message;
  }
  is('another scheme', thrown, 'malformed ws or wss URL');
  try {
    talk('/echo', {}, (s) => s.on('open', () => { throw new Error('mine'); }));
  } catch (e) {
    thrown = e.message;
  }
  is('thrown by a handler', thrown, 'mine');
}
