// The campaign's load on the checkout: constant arrivals, random carts, a coupon in every fifth.
//
//   RATE       arrivals per second (700)       DURATION   (60s)
//   ENDPOINT   path with its query (/api/checkout)
//   BASE_URL   (http://127.0.0.1:8080)         VUS        users at most (200)
import http from 'k6/http';
import { check } from 'k6';

const url = (__ENV.BASE_URL || 'http://127.0.0.1:8080') + (__ENV.ENDPOINT || '/api/checkout');
const words = ['SPRING', 'SUMMER', 'AUTUMN', 'WINTER', 'READER',
  'STUDENT', 'FAMILY', 'HOLIDAY', 'WELCOME', 'CLASSIC'];
const numbers = ['05', '10', '15', '20', '25'];

export const options = {
  scenarios: {
    checkout: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE || 700),
      timeUnit: '1s',
      duration: __ENV.DURATION || '60s',
      preAllocatedVUs: Number(__ENV.VUS || 200),
      maxVUs: Number(__ENV.VUS || 200),
    },
  },
  summaryTrendStats: ['avg', 'min', 'med', 'max', 'p(95)', 'p(99)'],
};

function below(n) {
  return Math.floor(Math.random() * n);
}

function randomCart() {
  const cart = { customer: `c-${below(1000000)}`, lines: [] };
  const lines = 1 + below(4);
  for (let i = 0; i < lines; i++) {
    cart.lines.push({ book: 1 + below(500), quantity: 1 + below(9) });
  }
  if (below(5) === 0) {
    cart.coupon = `${words[below(10)]}-${numbers[below(5)]}`;
  }
  return cart;
}

export default function () {
  const res = http.post(url, JSON.stringify(randomCart()), {
    headers: { 'Content-Type': 'application/json' },
  });
  check(res, { 'status is 200': (r) => r.status === 200 });
}
