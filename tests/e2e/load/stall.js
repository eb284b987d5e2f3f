// 100/s for 5 s from one user; the server stalls for 2 s after the first second.
import http from 'k6/http';

export const options = {
  scenarios: {
    open: {
      executor: 'constant-arrival-rate', rate: 100, duration: '5s', preAllocatedVUs: 1, maxVUs: 1,
    },
  },
  summaryTrendStats: ['avg', 'p(95)'],
};

export default function () {
  http.get(`${__ENV.BASE}/stall/2000`);
}
