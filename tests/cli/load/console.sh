# What console.log() writes of each kind of value, and that it throws for none.
cat > script.js <<'JS'
import http, { get } from 'k6/http';
export const options = { iterations: 1 };
export default function () {
  const own = { a: 1, list: [] };
  own.self = own;
  own.list.push(own, { own: 2 });
  console.log(own, [[], {}], 'text', ['text'], null, undefined, [undefined], 10n, -0, NaN);
  console.log(function f() {}, { f: () => 1, c: class A {} }, Symbol('s'), [Symbol()], /re/g);
  console.log(new Date(0).toISOString(), new Error('bad'), [new TypeError('worse')]);
  const same = {};
  console.log({ a: same, b: same });
  console.log([[[[[[[[[[1]]]]]]]]]]);
  console.log();
  console.log(Object.keys(http).includes('get'), { ...http }.get === get);
}
JS
"$ASSAY" load -q --no-summary --log-format raw script.js 2>&1
