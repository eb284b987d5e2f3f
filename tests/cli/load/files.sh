# Files as data: k6/experimental/fs and csv, SharedArray, open() in binary. What is expected is
# written beside each call.
printf 'last,first\nScarlatti,"Domenico ""D"""\nDorman,\nLash,Han\n' > people.csv
printf 'a;b\n1;2\n3\n' > narrow.csv
printf '\000\377\200x' > blob.bin
: > empty
mkdir -p folder lib
cat > lib/inner.js <<'JS'
export const inner = open('../people.csv').length;
JS
cat > script.js <<'JS'
import fs from 'k6/experimental/fs';
import { SeekMode } from 'k6/experimental/fs';
import csv from 'k6/experimental/csv';
import { SharedArray } from 'k6/data';
import { inner } from './lib/inner.js';

export const options = { vus: 2, iterations: 2 };

const problems = [];
let number = 0;
function same(name, got, want) {
  number++;
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) problems.push(`${name}: got ${g}, expected ${w}`);
}
async function fails(name, fn, error) {
  let got = 'no error';
  try { await fn(); } catch (e) { got = e.name; }
  same(name, got, error);
}

const bin = open('blob.bin', 'b');
const shared = new SharedArray('numbers', () => [{ n: 1 }, { n: 2 }, { n: 3 }]);
let people, rows, objects, parser, part;

async function files() {
  const f = await fs.open('./people.csv');
  people = f;
  const info = await f.stat();
  same('stat', [info.name, info.size, f.path.endsWith('/people.csv'), f.path[0]], ['people.csv', 55, true, '/']);
  const b = new Uint8Array(6);
  same('read', [await f.read(b), String.fromCharCode(...b)], [6, 'last,f']);
  same('seek', [await f.seek(-2, SeekMode.Current), await f.seek(-3, SeekMode.End), await f.seek(53, SeekMode.Start)],
    [4, 51, 53]);
  same('read the rest', [await f.read(b), b[0], b[2], await f.read(b)], [2, 110, 115, null]);
  same('nothing to read into', await f.read(new Uint8Array(0)), 0);
  same('an empty file', await (await fs.open('empty')).read(b), null);
  await fails('outside of it', () => f.seek(56, SeekMode.Start), 'TypeError');
  await fails('before it', () => f.seek(-1, SeekMode.Start), 'TypeError');
  await fails('no mode', () => f.seek(1), 'TypeError');
  await fails('no Uint8Array', () => f.read(new Int32Array(5)), 'TypeError');
  await fails('no buffer', () => f.read(), 'TypeError');
  await fails('no file', () => fs.open('absent'), 'NotFoundError');
  await fails('a folder', () => fs.open('folder'), 'InvalidResourceError');
  await fails('no path', () => fs.open(null), 'TypeError');
}

async function tables() {
  const f = people, narrow = await fs.open('narrow.csv');
  rows = await csv.parse(f);
  same('rows', [rows.length, rows[1], rows[2]], [4, ['Scarlatti', 'Domenico "D"'], ['Dorman', '']]);
  objects = await csv.parse(f, { asObjects: true });
  same('objects', [objects.length, objects[2]], [3, { last: 'Lash', first: 'Han' }]);
  same('without the first line', (await csv.parse(f, { skipFirstLine: true })).length, 3);
  same('from a line', (await csv.parse(f, { fromLine: 2 })).map((r) => r[0]), ['Dorman', 'Lash']);
  same('to a line', (await csv.parse(f, { fromLine: 1, toLine: 2 })).map((r) => r[0]), ['Scarlatti', 'Dorman']);
  same('it is an array', [Array.isArray(rows), rows.constructor === Array], [true, true]);
  await fails('another width', () => csv.parse(narrow, { delimiter: ';' }), 'Error');
  await fails('a delimiter of two', () => csv.parse(f, { delimiter: ';;' }), 'Error');
  await fails('lines in the wrong order', () => csv.parse(f, { fromLine: 3, toLine: 1 }), 'Error');
  await fails('objects without a first line', () => csv.parse(f, { asObjects: true, skipFirstLine: true }), 'Error');
  await fails('no file', () => csv.parse('people.csv'), 'TypeError');
  parser = new csv.Parser(f, { skipFirstLine: true, toLine: 2 });
  part = new csv.Parser(f, { asObjects: true });
}

(async () => { await files(); await tables(); })();

export default async function () {
  same('the parser', [await parser.next(), await parser.next(), await parser.next()],
    [{ done: false, value: ['Scarlatti', 'Domenico "D"'] }, { done: false, value: ['Dorman', ''] }, { done: true, value: [] }]);
  same('the parser of objects', (await part.next()).value, { last: 'Scarlatti', first: 'Domenico "D"' });
  await fails('open in an iteration', () => fs.open('people.csv'), 'ForbiddenError');
  await fails('parse in an iteration', () => csv.parse(people), 'Error');
  await fails('a parser in an iteration', () => new csv.Parser(people), 'Error');
  same('binary', [bin instanceof ArrayBuffer, ...new Uint8Array(bin)], [true, 0, 255, 128, 120]);
  same('a path is relative to its module', inner, 55);
  same('a shared array', [shared.slice(1).map((x) => x.n), shared.at(-1).n, shared.findIndex((x) => x.n == 2),
    1 in shared, 3 in shared, Object.keys(shared)], [[2, 3], 3, 1, true, false, ['0', '1', '2']]);
  await fails('push', () => shared.push(4), 'TypeError');
  await fails('rows cannot be changed', () => { rows[0][0] = 'x'; }, 'TypeError');
  for (const p of problems) console.error(p);
  console.log(`${number} compared`);
}
JS
"$ASSAY" load -q --no-summary script.js 2>&1 | sed "s/^time=[^ ]* //"
