# TextEncoder and TextDecoder. What is expected stands beside each call, after the Encoding standard.
cat > script.js <<'JS'
export const options = { iterations: 1 };

let number = 0;
function same(name, got, want) {
  number++;
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) console.error(`${name}: got ${g}, expected ${w}`);
}
function fails(name, fn, error) {
  let got = 'no error';
  try { fn(); } catch (e) { got = e.name; }
  same(name, got, error);
}

function encodes() {
  const e = new TextEncoder();
  same('encoding', e.encoding, 'utf-8');
  same('a label is passed over', new TextEncoder('utf-16').encoding, 'utf-8');
  same('kind', [e.encode('') instanceof Uint8Array, e.encode().length, String(e)], [true, 0, '[object TextEncoder]']);
  same('bytes', [...e.encode('z\u00a2\u6c34\u{1d11e}\u{10fffd}')], [122, 194, 162, 230, 176, 180, 240, 157, 132, 158, 244, 143, 191, 189]);
  same('half a pair', [...e.encode('\ud800x\udc00')], [239, 191, 189, 120, 239, 191, 189]);
  same('a number', [...e.encode(12)], [49, 50]);
  const into = new Uint8Array(6);
  same('encodeInto', e.encodeInto('\u{1d11e}\u00a2', into), { read: 3, written: 6 });
  same('what it wrote', [...into], [240, 157, 132, 158, 194, 162]);
  same('no room for the last', e.encodeInto('a\u{1d11e}', new Uint8Array(4)), { read: 1, written: 1 });
  const part = new Uint8Array(4);
  e.encodeInto('xy', part.subarray(1, 3));
  same('into a part', [...part], [0, 120, 121, 0]);
  fails('encodeInto other views', () => e.encodeInto('a', new Uint16Array(2)), 'TypeError');
}

function decodes() {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x68, 0xc3, 0xa9]);
  same('defaults', [new TextDecoder().encoding, new TextDecoder().fatal, new TextDecoder().ignoreBOM], ['utf-8', false, false]);
  same('mark', new TextDecoder().decode(bytes), 'h\u00e9');
  same('mark kept', new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), '\ufeffh\u00e9');
  same('a buffer', new TextDecoder().decode(bytes.buffer), 'h\u00e9');
  same('a view', new TextDecoder().decode(new DataView(bytes.buffer, 4)), '\u00e9');
  same('a part', new TextDecoder().decode(bytes.subarray(3, 4)), 'h');
  same('nothing', new TextDecoder().decode(), '');
  same('wrong bytes', new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xe2, 0x82, 0x62])), 'a\ufffd\ufffdb');
  same('NUL', new TextDecoder().decode(new Uint8Array([0x61, 0, 0x62])), 'a\u0000b');
  const strict = new TextDecoder('UTF8 ', { fatal: true });
  fails('fatal', () => strict.decode(new Uint8Array([0xff])), 'TypeError');
  same('usable afterwards', strict.decode(new Uint8Array([0x61])), 'a');
  same('utf-16le', [new TextDecoder('utf-16').encoding, new TextDecoder('utf-16le').decode(new Uint8Array([0x3d, 0xd8, 0xa9, 0xdc]))], ['utf-16le', '\u{1f4a9}']);
  same('utf-16be', new TextDecoder('utf-16be').decode(new Uint8Array([0xd8, 0x3d, 0xdc, 0xa9])), '\u{1f4a9}');
  const pieces = new TextDecoder();
  let text = '';
  for (const b of [0xf0, 0x9f, 0x92, 0xa9]) text += pieces.decode(new Uint8Array([b]), { stream: true });
  same('in pieces', text + pieces.decode(), '\u{1f4a9}');
  pieces.decode(new Uint8Array([0xf0]), { stream: true });
  same('cut off', pieces.decode(), '\ufffd');
  fails('an encoding that k6 has not', () => new TextDecoder('windows-1252'), 'RangeError');
  fails('text', () => new TextDecoder().decode('a'), 'TypeError');
  fails('without new', () => TextDecoder(), 'TypeError');
  fails('no decoder', () => TextDecoder.prototype.decode.call({}), 'TypeError');
}

export default function () {
  encodes();
  decodes();
  globalThis.TextDecoder = class Own {};
  same('replaced by the script', new TextDecoder().constructor.name, 'Own');
  console.log(`${number} compared`);
}
JS
"$ASSAY" load -q --no-summary script.js 2>&1 | sed "s/^time=[^ ]* //"
