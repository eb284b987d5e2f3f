// each kind of misbehaviour gives a response with a code, and never hangs
import http from 'k6/http';
import { check } from 'k6';

export const options = { iterations: 1, thresholds: { checks: ['rate==1'] } };

const expected = {
  '/drop': [1000, /^EOF$/], '/hang': [1050, /^request timeout$/], '/drip/200': [1050, /^request timeout$/],
  '/short': [1000, /^unexpected EOF$/], '/cut': [1000, /^unexpected EOF$/], '/headers': [1000, /./],
  '/header': [1000, /./], '/garbage': [1000, /./], '/badlength': [1000, /./], '/badchunk': [1000, /./],
};

export default function () {
  for (const path of Object.keys(expected)) {
    const r = http.get(__ENV.BASE + path, { timeout: '700ms', tags: { name: path } });
    const good = r.status === 0 && expected[path][0] === r.error_code && expected[path][1].test(r.error);
    if (!good) console.log(`${path}: status ${r.status} code ${r.error_code} ${r.error}`);
    check(r, { [`fails as it should: ${path}`]: () => good });
  }
  // what lies behind a body must not be taken for the next reply
  http.get(`${__ENV.BASE}/long`);
  check(http.get(`${__ENV.BASE}/echo`), {
    'a reply that was too long is not carried over': (r) => r.status === 200 && r.body === 'GET /echo 0\n',
  });
  check(http.get(`${__ENV.BASE}/bytes/3000000`), {
    'a large body comes whole': (r) => r.body.length === 3000000,
  });
  check(http.get('http://127.0.0.1:1/'), { 'refused': (r) => r.error_code === 1212 && r.error === 'dial: connection refused' });
}
