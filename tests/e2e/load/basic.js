import http from 'k6/http';
import { check, group } from 'k6';
import { Counter, Trend } from 'k6/metrics';

const seen = new Counter('seen');
const size = new Trend('size');

export const options = { vus: 3, iterations: 9 };

export function setup() {
  return { word: 'hello', list: [1, 2] };
}

export default function (data) {
  group('outer', () => {
    const r = http.post(`${__ENV.BASE}/echo`, JSON.stringify(data), { tags: { name: 'echo' } });
    check(r, {
      'status is 200': (x) => x.status === 200,
      'data came along': (x) => x.body.endsWith('{"word":"hello","list":[1,2]}'),
      'json is read': () => http.get(`${__ENV.BASE}/json`).json('list.2.deep') === true,
    });
    size.add(r.body.length);
  });
  seen.add(2);
}

export function teardown(data) {
  console.log(`teardown: ${data.word}`);
}
