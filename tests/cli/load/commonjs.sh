# Sources from before ES modules, imported, required and as the script itself. What is expected is
# written beside each call.
mkdir lib
cat > lib/umd.js <<'JS'
(function (root, factory) {
  if (typeof exports === 'object') module.exports = factory(root === exports, global);
  else root.umd = factory();
}(this, function (here, global) {
  sloppy = global.runs = (global.runs || 0) + 1;
  return { here: here, n: global.runs };
}));
JS
cat > lib/marked.js <<'JS'
'use strict';
Object.defineProperty(exports, '__esModule', { value: true });
exports.add = function (a, b) { return a + b; };
exports.default = function () { return 'by name'; };
JS
cat > lib/one.js <<'JS'
exports.early = 'one';
exports.other = require('./two.js').seen;
JS
cat > lib/two.js <<'JS'
exports.seen = require('./one.js').early;
JS
cat > lib/es.mjs <<'JS'
import { dirname } from './es2.js';
export const named = dirname;
export default 'es';
JS
echo 'export const dirname = "lib";' > lib/es2.js
cat > lib/typed.ts <<'JS'
const width: number = 3;
module.exports = { width, size: open('./es2.js').length };
JS
printf 'module.exports = 5;' > lib/five.js
printf '\nexports.a = 1;\nnull.x;' > lib/throws.js
cat > same.js <<'JS'
export function same(name, got, want) {
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) console.error(`${name}: got ${g}, expected ${w}`);
}
JS
cat > imports.js <<'JS'
import { same } from './same.js';
import umd, { here } from './lib/umd.js';
import marked, { add } from './lib/marked.js';
import * as all from './lib/marked.js';
import five from './lib/five.js';
import typed, { width } from './lib/typed.ts';
import './lib/one.js';
const again = require('./lib/umd.js');
export const options = { vus: 2, iterations: 2 };
export default function () {
  same('umd', [umd.here, here, umd.n], [true, true, 1]);
  same('the same one', again === umd, true);
  same('marked', [add(1, 2), marked(), Object.keys(all)], [3, 'by name', ['add', 'default']]);
  same('a value', five, 5);
  same('typed', [width, typed.size], [3, 30]);
  console.log('imports');
}
JS
cat > requires.js <<'JS'
const same = require('./same.js').same;
const { check } = require('k6');
const one = require('./lib/one.js');
const es = require('./lib/es.mjs');
exports.options = { vus: 1, iterations: 1 };
exports.setup = () => ({ a: 1 });
exports.default = function (data) {
  same('a cycle', one, { early: 'one', other: 'one' });
  same('an ES module', [es.default, es.named], ['es', 'lib']);
  same('data', data, { a: 1 });
  console.log('requires ' + check(1, { one: (v) => v === 1 }));
};
JS
echo 'module.exports = { default() { console.log("object"); } };' > object.js
echo 'import "./lib/throws.js"; export default () => {};' > throws.js
echo 'const x = require("./lib/throws.js"); export default () => {};' > throws2.js
echo 'require("lodash");' > bare.js
for s in imports requires object throws throws2 bare; do
	"$ASSAY" load -q --no-summary --log-format raw $s.js 2>&1 | sed "s|$PWD|DIR|"
done
