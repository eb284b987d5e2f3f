// Pages come from /echo, which gives back what it was sent: forms and links on them are followed.
import http from 'k6/http';
import { check } from 'k6';

export const options = { iterations: 1, thresholds: { checks: ['rate==1'] } };

const PAGE = `<form id="post" method="post" action="echo?x=1"><input name="user" value="a b">
<input type="checkbox" name="box" checked="checked"><input type="checkbox" name="none">
<input type="submit" name="go" value="Go"></form>
<form id="get"><input name="q" value="1&2"><input name="r"></form>
<a href="/status/204">no content</a> <a class="two" href="echo#part">two</a>`;

export default function () {
  const page = http.post(`${__ENV.BASE}/echo`, PAGE);
  const first = (r) => r.body.split('\n')[0];
  const body = (r) => r.body.split('\n')[1];
  check(null, {
    'the page is read once for all': () => page.html('a').size() === 2 && page.html().find('a.two').text() === 'two',
    'a form is posted with its button': () => {
      const r = page.submitForm();
      return first(r).startsWith('POST /echo?x=1 ') && body(r) === 'box=on&go=Go&user=a+b';
    },
    'fields are replaced and added': () => {
      const r = page.submitForm({ formSelector: '#post', submitSelector: '#none', fields: { user: 'me', n: 1 } });
      return body(r) === 'box=on&n=1&user=me';
    },
    'a form without a method goes into the query': () =>
      first(page.submitForm({ formSelector: '#get', fields: { r: ['x', 'y'] } })) === 'GET /echo?q=1%262&r=x%2Cy 0',
    'the first link is followed': () => page.clickLink().status === 204,
    'a link by selector, with parameters': () => {
      const r = page.clickLink({ selector: '.two', params: { tags: { name: 'two' } } });
      return first(r) === 'GET /echo 0';
    },
    'what is not there throws': () => {
      for (const f of [() => page.clickLink({ selector: 'b' }), () => page.submitForm({ formSelector: 'b' })])
        try { f(); return false; } catch (e) { if (!String(e).includes("selector 'b'")) return false; }
      return true;
    },
    'elements know where the page is from': () => page.html('.two').get(0).href() === `${__ENV.BASE}/echo#part`,
  });
  const none = http.get(`${__ENV.BASE}/drop`);
  check(null, { 'no body, no page': () => { try { none.html(); return false; } catch (e) { return true; } } });
}
