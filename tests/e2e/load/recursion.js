// endless recursion and eaten memory end the iteration, not the process
import { check } from 'k6';

export const options = { iterations: 2, thresholds: { checks: ['rate==1'] } };

function down(n) { return down(n + 1) + 1; }

export default function () {
  let what = '';
  try { down(0); } catch (e) { what = e.message; }
  check(what, { 'overflow is an exception': (w) => w.includes('stack overflow') });
}
