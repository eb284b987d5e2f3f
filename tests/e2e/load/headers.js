// names of headers are written as Go writes them, and are there once
import http from 'k6/http';
import { check } from 'k6';

export const options = { iterations: 1, thresholds: { checks: ['rate==1'] } };

export default function () {
  const sent = http.get(`${__ENV.BASE}/echo`, {
    headers: { 'content-type': 'a', 'x-trace-ID': 1, 'Content-Type': 'b', 'X-None': undefined, 'x-null': null },
  }).request.headers;
  delete sent['User-Agent'];
  check(JSON.stringify(sent), {
    'as k6 sends them': (s) => s === '{"Content-Type":["b"],"X-Trace-Id":["1"],"X-None":["undefined"],"X-Null":["null"]}',
  });
}
