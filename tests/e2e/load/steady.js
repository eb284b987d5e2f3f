import http from 'k6/http';

export const options = {
  scenarios: {
    open: { executor: 'constant-arrival-rate', rate: 50, duration: '2s', preAllocatedVUs: 10 },
  },
};

export default function () {
  http.get(`${__ENV.BASE}/echo`);
}
