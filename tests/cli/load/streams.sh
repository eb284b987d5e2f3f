# k6/experimental/streams. What is expected stands beside each call, after the Streams standard.
cat > script.js <<'JS'
import { ReadableStream, CountQueuingStrategy } from 'k6/experimental/streams';
import { setTimeout } from 'k6/timers';

export const options = { iterations: 1 };

let number = 0;
function same(name, got, want) {
  number++;
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) console.error(`${name}: got ${g}, expected ${w}`);
}
async function fails(name, fn, error) {
  let got = 'no error';
  try { await fn(); } catch (e) { got = e.name ?? e; }
  same(name, got, error);
}
async function all(reader) {
  const values = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return values;
    values.push(value);
  }
}

async function pushed() {
  let n = 0;
  const stream = new ReadableStream({
    start(controller) {
      const next = () => {
        if (n === 3) return controller.close();
        controller.enqueue(++n);
        setTimeout(next, 5);
      };
      setTimeout(next, 5);
    },
  });
  const reader = stream.getReader();
  same('what is pushed later', await all(reader), [1, 2, 3]);
  same('closed', [await reader.closed === undefined, (await reader.read()).done], [true, true]);
}

async function pulled() {
  const calls = [];
  const stream = new ReadableStream({
    pull(c) {
      calls.push(c.desiredSize);
      c.enqueue(calls.length);
      if (calls.length === 5) c.close();
    },
  }, new CountQueuingStrategy({ highWaterMark: 2 }));
  await new Promise((r) => setTimeout(r, 5));
  same('pulled up to the mark', calls, [2, 1]);
  same('what is pulled', await all(stream.getReader()), [1, 2, 3, 4, 5]);
}

async function ended() {
  let reason;
  const open = new ReadableStream({ cancel(r) { reason = r; } });
  const reader = open.getReader();
  same('locked', open.locked, true);
  await fails('a second reader', () => open.getReader(), 'TypeError');
  await fails('cancelled beside the reader', () => open.cancel(), 'TypeError');
  const waiting = reader.read();
  await reader.cancel('enough');
  same('cancelled', [reason, (await waiting).done, (await reader.read()).done], ['enough', true, true]);
  reader.releaseLock();
  same('released', open.locked, false);
  await fails('a reader that has released', () => reader.read(), 'TypeError');
  const broken = new ReadableStream({ start(c) { c.enqueue(1); c.error('bad'); } });
  await fails('an error', () => broken.getReader().read(), 'bad');
  await fails('start throws', () => new ReadableStream({ start() { throw new RangeError('x'); } }), 'RangeError');
  await fails('pull throws', () => new ReadableStream({ pull() { throw new RangeError('x'); } }).getReader().read(), 'RangeError');
  await fails('after the end', () => new ReadableStream({ start(c) { c.close(); c.enqueue(1); } }), 'TypeError');
  await fails('a negative mark', () => new ReadableStream({}, { highWaterMark: -1 }), 'RangeError');
  await fails('a size that is none', () => new ReadableStream({ start(c) { c.enqueue(1); } }, { size: () => -1 }), 'RangeError');
  await fails('pull that is none', () => new ReadableStream({ pull: 1 }), 'TypeError');
}

export default async function () {
  await pushed();
  await pulled();
  await ended();
  console.log(`${number} compared`);
}
JS
"$ASSAY" load -q --no-summary script.js 2>&1 | sed "s/^time=[^ ]* //"
