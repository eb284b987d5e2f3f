// 20 arrivals a second for 2 s; the server needs 1.4 s each and there are 2 VUs: 4 start, the rest drops
import http from 'k6/http';

export const options = {
  scenarios: {
    open: {
      executor: 'constant-arrival-rate',
      rate: 20,
      duration: '1975ms',
      preAllocatedVUs: 2,
    },
  },
  thresholds: { dropped_iterations: ['count<10'], http_reqs: ['count>=4'] },
};

export default function () {
  http.get(`${__ENV.BASE}/delay/1400`);
}
