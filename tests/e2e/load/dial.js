// A connection for every request.
import http from 'k6/http';

export const options = {
  vus: Number(__ENV.USERS || 1),
  iterations: Number(__ENV.TIMES || 100),
  noConnectionReuse: !__ENV.KEEP,
};

export default function () {
  http.get(`${__ENV.BASE}/delay/20`);
}
