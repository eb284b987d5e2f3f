// The smallest script that people write: one get, one check.
import http from 'k6/http';
import { check } from 'k6';

const url = __ENV.URL;

export default function () {
  check(http.get(url), { 'status is 200': (r) => r.status === 200 });
}
