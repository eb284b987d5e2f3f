// The modules that scripts import from the network and assay carries; expected values are by hand.
import { check } from 'k6';
import { describe, expect } from 'https://jslib.k6.io/k6chaijs/4.3.4.3/index.js';
import { findBetween, parseDuration, randomIntBetween, uuidv4 }
  from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';
import { Get, Httpx } from 'https://jslib.k6.io/httpx/0.1.0/index.js';
import { jUnit, textSummary } from 'https://jslib.k6.io/k6-summary/0.0.2/index.js';
import papaparse from 'https://jslib.k6.io/papaparse/5.1.1/index.js';
import { URL, URLSearchParams } from 'https://jslib.k6.io/url/1.0.0/index.js';
import { htmlReport } from 'https://raw.githubusercontent.com/benc-uk/k6-reporter/main/dist/bundle.js';

export const options = { iterations: 1, thresholds: { checks: ['rate<1'] } };

export default function () {
  const url = new URL('https://host.test:8080/a/../b?x=1#h');
  url.searchParams.append('y', 'a b');
  const session = new Httpx({ baseURL: __ENV.BASE, headers: { 'X-One': '1' } });
  const cells = papaparse.parse('a,b\n"x,y",2', { header: true }).data;
  const found = describe('numbers', () => {
    expect(1, 'one').to.equal(1);
    expect([1, 2]).to.include(3);
    expect(2, 'never reached').to.equal(3);
  });

  check(null, {
    url: () => url.toString() === 'https://host.test:8080/b?x=1&y=a+b#h',
    params: () => new URLSearchParams({ k: 'ä' }).toString() === 'k=%C3%A4',
    uuid: () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuidv4()),
    between: () => findBetween('<b>x</b><b>y</b>', '<b>', '</b>', true).join() === 'x,y',
    duration: () => parseDuration('1m2s3ms') === 62003,
    random: () => randomIntBetween(3, 3) === 3,
    csv: () => cells.length === 1 && cells[0].a === 'x,y' && cells[0].b === '2',
    session: () => session.get('/echo').body.startsWith('GET /echo'),
    batch: () => session.batch([new Get('/echo'), new Get('/json')]).every((r) => r.status === 200),
    'describe fails': () => found === false,
  });
}

export function handleSummary(data) {
  return {
    stdout: textSummary(data, { enableColors: false }),
    'junit.xml': jUnit(data),
    'page.html': htmlReport(data, { title: 'a <b>' }),
  };
}
