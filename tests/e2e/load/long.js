import http from 'k6/http';
import { sleep } from 'k6';

export const options = { vus: 2, duration: '60s' };

export default function () {
  http.get(`${__ENV.BASE}/echo`);
  sleep(__ENV.SLEEP || 0.05);
}

export function teardown() {
  console.log('teardown ran');
}
