# Names of modules: re-exports, what is added to a name without a file, import.meta.resolve(), and
# former names of k6's modules.
mkdir -p lib/deep
echo 'export enum Kind { A = "a" } export type T = Kind; export { default as helper } from "./helper";' > lib/kinds.ts
echo 'import { up } from "../up"; export default (x: number): string => `helper ${x} ${up}`;' > lib/helper.ts
echo 'export const up = 1;' > up.js
echo 'export * from "./inner"; export const at = import.meta.resolve("./data.txt");' > lib/deep/index.js
echo 'export const inner = "index";' > lib/deep/inner.js
echo 'exports.cjs = require("./inner").inner;' > lib/deep/old.js
echo text > lib/deep/data.txt
cat > test.ts <<'JS'
import { Kind, T, helper } from './lib/kinds';
import { inner, at } from './lib/deep';
import old from './lib/deep/old';
import { setTimeout as later } from 'k6/experimental/timers';
import { sleep } from 'k6';
export const options = { iterations: 1 };
const text: string = open(at), own = import.meta.resolve('./up.js');
export function setup() { return 'data'; }
export default async function (data: string) {
  sleep(); sleep(undefined); sleep(__ENV.PAUSE); sleep(-1);
  await new Promise<void>((done) => later(done, 1));
  console.log(Kind.A, helper(3), inner, old.cjs, text.trim(), at.startsWith('file:///'), own.endsWith('/up.js'), data);
}
JS
echo 'export { default, options, setup } from "./test.ts";' > script.js
echo 'import "./lib/none"; export default () => {};' > none.js
for s in script.js none.js; do "$ASSAY" load -q --no-summary --log-format raw $s 2>&1 | sed "s|$PWD|DIR|g"; done
