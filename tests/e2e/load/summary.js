import http from 'k6/http';

export const options = { iterations: 4, thresholds: { http_reqs: ['count==4'] } };

export default function () {
  http.get(`${__ENV.BASE}/echo`);
}

export function handleSummary(data) {
  const m = data.metrics.http_reqs;
  return {
    stdout: `mine: ${m.values.count} ${m.thresholds['count==4'].ok}\n`,
    'out.json': JSON.stringify(Object.keys(data).sort()),
  };
}
