// 50/s of 200 ms each: 10 users are busy, 1 is there.
import http from 'k6/http';

export const options = {
  scenarios: {
    open: {
      executor: 'constant-arrival-rate', rate: 50, duration: '3s', preAllocatedVUs: 1, maxVUs: 2,
    },
  },
};

export default function () {
  http.get(`${__ENV.BASE}/delay/200`);
}
