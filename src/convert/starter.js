// A script to begin with. Run it:
//
//   assay load -e BASE_URL=http://127.0.0.1:8080 script.js
//
// What it knows of k6: https://grafana.com/docs/k6/latest/ - what assay does not have of that is
// refused by its name before the load begins.
import { check, group, sleep } from 'k6';
import http from 'k6/http';
import { Trend } from 'k6/metrics';

// Flags and the environment lie over these: assay load -u 5 -d 10s script.js
export const options = {
  scenarios: {
    // An open load: so many arrivals a second, however slow the answers are. That is how users
    // come, and the only load that shows what a slow service does to them.
    visits: {
      executor: 'ramping-arrival-rate',
      startRate: 1,
      timeUnit: '1s',
      stages: [
        { duration: '5s', target: 5 }, // up to 5 visits a second within 5 s
        { duration: '5s', target: 5 }, // and stay there
      ],
      preAllocatedVUs: 10,
      maxVUs: 50,
    },
    // A closed load, so many users one after the other, would be:
    // visits: { executor: 'constant-vus', vus: 10, duration: '30s' },
  },
  // What must hold: exit code 99 when it does not.
  thresholds: {
    http_req_failed: ['rate<0.01'],
    http_req_duration: ['p(95)<500', 'p(99)<1500'], // ms
    checks: ['rate>0.99'],
  },
};

const BASE_URL = __ENV.BASE_URL || 'http://127.0.0.1:8080';

// A figure of your own: it comes with the others in the summary.
const visitTime = new Trend('visit_time', true);

// Runs once before the load; what it returns, every iteration gets.
export function setup() {
  return { started: Date.now() };
}

// One visit. Each iteration of each virtual user runs this once.
export default function (data) {
  const begun = Date.now();

  group('front page', () => {
    const res = http.get(`${BASE_URL}/`, {
      // Requests whose URL varies get one name, so that they are one line in reports:
      tags: { name: 'front page' },
    });
    check(res, {
      'status is 200': (r) => r.status === 200,
      'there is a body': (r) => r.body && r.body.length > 0,
    });
  });

  // A request with a body:
  //
  // const res = http.post(`${BASE_URL}/login`, JSON.stringify({ user: `user${__VU}` }), {
  //   headers: { 'Content-Type': 'application/json' },
  // });
  // const token = res.json('token');

  visitTime.add(Date.now() - begun);
  sleep(Math.random()); // think time, in seconds
}

// Runs once after the load.
export function teardown(data) {
  console.log(`ran for ${Math.round((Date.now() - data.started) / 1000)} s`);
}
