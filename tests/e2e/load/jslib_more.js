// Further modules of jslib. Expected values: RFC 6238 appendix B, the examples of JSONPath's first
// description (goessner.net), the rest by hand.
import http from 'k6/http';
import { check } from 'k6';
import chai, { describe as tell } from 'https://jslib.k6.io/k6chaijs/4.5.0.1/index.js';
import { check as checkLater } from 'https://jslib.k6.io/k6-utils/1.5.0/index.js';
import { expect } from 'https://jslib.k6.io/k6-testing/0.6.1/index.js';
import { describe } from 'https://jslib.k6.io/expect/0.0.5/index.js';
import { FormData } from 'https://jslib.k6.io/formdata/0.0.2/index.js';
import jsonpath from 'https://jslib.k6.io/jsonpath/1.0.2/index.js';
import pyroscope from 'https://jslib.k6.io/http-instrumentation-pyroscope/1.0.1/index.js';
import tempo from 'https://jslib.k6.io/http-instrumentation-tempo/1.0.0/index.js';
import { TOTP } from 'https://jslib.k6.io/totp/1.0.0/index.js';
import urlencode from 'https://jslib.k6.io/form-urlencoded/3.0.0/index.js';

export const options = { iterations: 1, thresholds: { 'checks{kind:real}': ['rate==1'] } };

const wrong = [];
function same(name, got, want) {
  if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push(`${name}: ${JSON.stringify(got)}`);
}
function fails(name, fn) {
  try {
    fn();
    wrong.push(`${name}: no error`);
  } catch (e) {
    if (e.name !== 'AssertionFailedError') wrong.push(`${name}: ${e}`);
  }
}

const store = { store: { book: [
  { category: 'reference', author: 'Rees', title: 'Sayings', price: 8.95 },
  { category: 'fiction', author: 'Waugh', title: 'Sword', price: 12.99 },
  { category: 'fiction', author: 'Melville', title: 'Moby Dick', isbn: '0-553', price: 8.99 },
  { category: 'fiction', author: 'Tolkien', title: 'Rings', isbn: '0-395', price: 22.99 },
], bicycle: { color: 'red', price: 19.95 } } };

function paths() {
  const q = (p) => jsonpath.query(store, p);
  same('all of a list', q('$.store.book[*].author'), ['Rees', 'Waugh', 'Melville', 'Tolkien']);
  same('anywhere', q('$..author'), ['Rees', 'Waugh', 'Melville', 'Tolkien']);
  same('all things', q('$.store.*').length, 2);
  same('prices', q('$.store..price').length, 5);
  same('third', q('$..book[2].title'), ['Moby Dick']);
  same('computed', q('$..book[(@.length-1)].title'), ['Rings']);
  same('slices', [q('$..book[-1:].title'), q('$..book[0,1].title'), q('$..book[:2].title')],
    [['Rings'], ['Sayings', 'Sword'], ['Sayings', 'Sword']]);
  same('filters', [q('$..book[?(@.isbn)].title'), q("$..book[?(@.price<10 && @.author!='@')].title")],
    [['Moby Dick', 'Rings'], ['Sayings', 'Moby Dick']]);
  same('quoted', [q("$['store']['bicycle'].color"), jsonpath.value(store, '$.store.bicycle.color')], [['red'], 'red']);
  same('paths', jsonpath.paths(store, '$..color'), [['$', 'store', 'bicycle', 'color']]);
}

function testing() {
  expect(1).toBe(1);
  expect({ a: [1, { b: undefined }] }).toEqual({ a: [1, {}] });
  expect('abc').toContain('b');
  expect([{ a: 1 }]).toContainEqual({ a: 1 });
  expect({ a: { b: [5] } }).toHaveProperty('a.b[0]', 5);
  expect(0.1 + 0.2).toBeCloseTo(0.3);
  expect(null).not.toBeUndefined();
  expect(() => { throw new TypeError('no'); }).toThrow('no');
  fails('soft', () => expect.soft(1).toBe(2));
  fails('negated', () => expect.soft([1]).not.toHaveLength(1));
  fails('configured', () => expect.configure({ soft: true })('x').toBeNull());
}

function forms() {
  const form = new FormData();
  form.append('a', 'b');
  form.append('file', http.file(new Uint8Array([0, 255]).buffer, 'f.bin', 'image/png'));
  const text = String.fromCharCode(...new Uint8Array(form.body()));
  same('a form', text.split(form.boundary).join('B'), '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' +
    '--B\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\nContent-Type: image/png\r\n\r\n\u0000\u00ff\r\n--B--\r\n');
  same('urlencoded', urlencode({ a: { b: 'c d' }, l: [1, null], u: undefined }), 'a%5Bb%5D=c+d&l%5B0%5D=1&l%5B1%5D=');
}

function tracing() {
  const client = new tempo.Client({ propagator: 'jaeger', sampling: 0 });
  const sent = client.get(`${__ENV.BASE}/echo`, { headers: { 'X-A': 'b' } }).request.headers;
  same('jaeger', [/^[0-9a-f]{32}:[0-9a-f]{16}:0:0$/.test(sent['Uber-Trace-Id']), sent['X-A']], [true, ['b']]);
  same('not others', 'Traceparent' in http.get(`${__ENV.BASE}/echo`).request.headers, false);
  tempo.instrumentHTTP({ propagator: 'w3c' });
  const all = http.request('POST', `${__ENV.BASE}/echo`, 'x').request.headers;
  same('w3c', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(all.Traceparent), true);
  same('baggage', new pyroscope.Client().post(`${__ENV.BASE}/echo`).request.headers.Baggage, ['k6.scenario=default']);
}

export default async function () {
  paths();
  testing();
  forms();
  tracing();
  const totp = new TOTP('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 8);
  same('totp', [totp.code(59), totp.code(1111111109), totp.code(20000000000)], ['94287082', '07081804', '65353130']);
  same('now', await totp.verify(await totp.gen(), 1), true);
  same('late', await checkLater(1, { a: async () => true, b: Promise.resolve(1), c: (v) => v === 1 }), true);
  same('now', checkLater(1, { c: (v) => v === 2 }), false);
  same('expect', describe('numbers', (t) => t.expect(2).as('two').toEqual(2).and(3).toBeBetween(1, 2)), false);
  same('chai', [typeof chai.config, chai.describe === tell], ['object', true]);
  check(wrong, { right: (w) => w.length === 0 }, { kind: 'real' });
  for (const w of wrong) console.error(w);
}
