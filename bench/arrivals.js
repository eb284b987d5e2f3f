// RATE requests per second for jitter.c to receive.
import http from 'k6/http';

const rate = Number(__ENV.RATE || 1000);

export const options = {
  scenarios: {
    even: {
      executor: 'constant-arrival-rate', rate, duration: __ENV.DURATION || '10s',
      preAllocatedVUs: 50, maxVUs: 50,
    },
  },
};

export default function () {
  http.get(__ENV.URL);
}
