// A user who thinks for a second.
import http from 'k6/http';
import { check, sleep } from 'k6';

export default function () {
  check(http.get(__ENV.URL), { 'status is 200': (r) => r.status === 200 });
  sleep(1);
}
