# What cannot be made into a request: a response with an empty list as its body and no samples, and
# an exception only with the option throw. A batch with one such entry sends none.
cat > script.js <<'JS'
import http from 'k6/http';

const never = 'http://127.0.0.1:1/';

function tell(name, fn) {
  let r;
  try { r = fn(); } catch (e) { console.log(`${name}: throws ${e.message}`); return; }
  let parsed;
  try { parsed = r.json(); } catch (e) { parsed = e.name; }
  console.log(`${name}: ${r.status} ${r.error_code} ${r.error} body=${JSON.stringify(r.body)} url='${r.url}' json()=${parsed} json('a')=${r.json('a')}`);
}

const wrong = {
  address: () => http.get('http://127.0.0.1:notaport/'),
  'address and params.throw': () => http.get('http://127.0.0.1:notaport/', { throw: true }),
  'address, binary': () => http.get('http://127.0.0.1:notaport/', { responseType: 'binary' }),
  timeout: () => http.get(never, { timeout: 'soon' }),
  'response type': () => http.get(never, { responseType: 'json' }),
  compression: () => http.post(never, 'text', { compression: 'lzw' }),
  callback: () => http.get(never, { responseCallback: 200 }),
  'body that is a number': () => http.post(never, 7),
  'body that is a list': () => http.post(never, ['a']),
};

export default async function () {
  for (const name in wrong) tell(name, wrong[name]);
  try {
    const r = await http.asyncRequest('GET', 'http://127.0.0.1:notaport/');
    console.log(`asyncRequest: ${r.error_code}`);
  } catch (e) {
    console.log(`asyncRequest rejects: ${e.message}`);
  }
}

export function batch() {
  const list = http.batch([never, 'http://127.0.0.1:notaport/', never]);
  console.log('list', JSON.stringify(list.map((r) => r && [r.status, r.error_code, r.error === ''])));
  const object = http.batch({ a: never, b: ['POST', never, 1], c: never });
  console.log('object', JSON.stringify(Object.keys(object).sort()), object.b.error_code, object.b.error !== '');
}

export const options = {
  iterations: 1,
  throw: __ENV.THROW === 'yes',
};
if (__ENV.BATCH) {
  options.scenarios = { batch: { executor: 'shared-iterations', exec: 'batch' } };
  delete options.iterations;
}
export function handleSummary(data) {
  return { stdout: `requests: ${data.metrics.http_reqs ? data.metrics.http_reqs.values.count : 'none'}\n` };
}
JS
for how in THROW=no THROW=yes BATCH=yes; do
	echo "$how"
	"$ASSAY" load -q -e "$how" script.js 2>&1 | sed "s/^time=[^ ]* //"
done
