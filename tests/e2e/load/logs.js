import http from 'k6/http';

export default function () {
  console.log('it said "so"');
  console.debug('unheard');
  http.post(`${__ENV.BASE}/echo?a=1`, 'text', { headers: { 'X-A': 'b' } });
}
