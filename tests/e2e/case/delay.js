// Waits on the server as long as the variant's path says.
import http from 'k6/http';
import { check } from 'k6';

export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      duration: __ENV.DURATION,
      preAllocatedVUs: Number(__ENV.VUS),
      maxVUs: Number(__ENV.VUS),
    },
  },
};

export default function () {
  check(http.get(__ENV.BASE + __ENV.PATH_OF_VARIANT), { ok: (r) => r.status === 200 });
}
