// VUs throw, await, recurse and make garbage while others are suspended in the middle of requests
import http from 'k6/http';
import { check, group, sleep } from 'k6';

export const options = {
  scenarios: { s: { executor: 'per-vu-iterations', vus: 70, iterations: 6 } },
  thresholds: { checks: ['rate==1'], iterations: ['count==420'] },
};

function inner(id) {
  const a = { id };
  a.self = a; // a cycle for the collector
  const r = http.get(`${__ENV.BASE}/delay/${(id * 7) % 20}`);
  if (id % 3 === 0) throw new Error(`thrown by ${id}`);
  return r.body + a.self.id;
}

function deep(n) {
  return n === 0 ? http.get(`${__ENV.BASE}/echo`).status : deep(n - 1);
}

export default async function () {
  const id = __VU;
  let stack = '';
  let out = '';
  try {
    out = [3, 1, 2].sort((x, y) => { if (x === 3 && y === 1) inner(id + 1 - ((id + 1) % 3 === 0 ? 1 : 0)); return x - y; }).join('');
    inner(id);
  } catch (e) {
    stack = e.stack;
  } finally {
    http.get(`${__ENV.BASE}/delay/1`);
  }
  const awaited = await new Promise((done) => setTimeout(() => done(id), (id * 5) % 30));
  const both = await Promise.all([
    http.asyncRequest('GET', `${__ENV.BASE}/echo`),
    http.asyncRequest('GET', `${__ENV.BASE}/delay/3`),
  ]);
  check(null, {
    'sorted across a request': () => out === '123',
    'stack is ours': () => (id % 3 === 0 ? stack.includes('inner') && !stack.includes('deep') : stack === ''),
    'awaited our own': () => awaited === id,
    'both came': () => both[0].status === 200 && both[1].body === 'late',
    'from the depth': () => deep(20) === 200,
  });
  group('g', () => sleep(0.001));
  if (id % 5 === 0) throw new TypeError('ends here');
}
