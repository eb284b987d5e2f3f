# crypto.subtle. Published vectors stand beside where they are from; the rest is compared with what
# another implementation gave (tests/fixtures/webcrypto).
cat > script.js <<'JS'
import { crypto as imported } from 'k6/experimental/webcrypto';

export const options = { iterations: 1 };

const node = JSON.parse(open(`${__ENV.FIXTURES}/webcrypto/node.json`));
const s = crypto.subtle;
const utf8 = (t) => new TextEncoder().encode(t);
const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, '0')).join('');
const bytes = (h) => new Uint8Array((h.replace(/\s/g, '').match(/../g) || []).map((x) => parseInt(x, 16)));
const upto = (n) => Uint8Array.from({ length: n }, (_, i) => i);

let number = 0;
function same(name, got, want) {
  number++;
  const g = JSON.stringify(got), w = JSON.stringify(want);
  if (g !== w) console.error(`${name}: got ${g}, expected ${w}`);
}
/* what a promise is rejected with; never thrown */
async function fails(name, fn, error) {
  let got = 'no error';
  try {
    const p = fn();
    try { await p; } catch (e) { got = e.name; }
  } catch (e) { got = `thrown: ${e}`; }
  same(name, got, error);
}
const raw = (alg, key, usages, extractable = true) => s.importKey('raw', key, alg, extractable, usages);

async function digests() {
  const abc = utf8('abc'); /* FIPS 180-4, examples of NIST */
  same('SHA-1', hex(await s.digest('SHA-1', abc)), 'a9993e364706816aba3e25717850c26c9cd0d89d');
  same('SHA-256', hex(await s.digest({ name: 'sha-256' }, abc)), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  same('SHA-384', hex(await s.digest('SHA-384', abc.buffer)), 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7');
  same('SHA-512', hex(await s.digest('SHA-512', new DataView(abc.buffer))), 'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f');
  const empty = new Uint8Array();
  same('of nothing', hex(await s.digest('SHA-256', empty)), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  await fails('MD5', () => s.digest('MD5', abc), 'NotSupportedError');
  await fails('HMAC as a digest', () => s.digest('HMAC', abc), 'NotSupportedError');
  await fails('text', () => s.digest('SHA-256', 'abc'), 'TypeError');
  await fails('no name', () => s.digest({}, abc), 'TypeError');
}

async function hmacs() {
  const text = utf8('what do ya want for nothing?'); /* RFC 2202 and RFC 4231, case 2 */
  const want = {
    'SHA-1': 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
    'SHA-256': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    'SHA-384': 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    'SHA-512': '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  };
  for (const hash in want) {
    const key = await raw({ name: 'HMAC', hash }, utf8('Jefe'), ['sign', 'verify']);
    const sig = await s.sign('HMAC', key, text);
    same(`HMAC ${hash}`, hex(sig), want[hash]);
    same('verifies', [await s.verify('hmac', key, sig, text), await s.verify('HMAC', key, sig, utf8('other')), await s.verify('HMAC', key, sig.slice(1), text)], [true, false, false]);
  }
  const jwk = { kty: 'oct', alg: 'HS256', k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow' }; /* RFC 7515 A.1 */
  const input = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
  const key = await s.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
  same('the JWS of RFC 7515 A.1', hex(await s.sign('HMAC', key, utf8(input))), '7418dfb49799e0254ffa607dd8adbbba16d4254d69d6bff05b58055853848d79');
  same('the key', JSON.stringify(key), '{"type":"secret","extractable":true,"algorithm":{"name":"HMAC","length":512,"hash":{"name":"SHA-256"}},"usages":["sign"]}');
  same('exported', await s.exportKey('jwk', key), { kty: 'oct', alg: 'HS256', k: jwk.k, key_ops: ['sign'], ext: true });
  await fails('alg of another hash', () => s.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-512' }, true, ['sign']), 'DataError');
  await fails('kty of another kind', () => s.importKey('jwk', { ...jwk, kty: 'RSA' }, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']), 'DataError');
  await fails('ext', () => s.importKey('jwk', { ...jwk, ext: false }, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']), 'DataError');
  await fails('key_ops', () => s.importKey('jwk', { ...jwk, key_ops: ['verify'] }, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']), 'DataError');
  await fails('a key of no bytes', () => raw({ name: 'HMAC', hash: 'SHA-1' }, new Uint8Array(), ['sign']), 'DataError');
  await fails('usage', () => s.verify('HMAC', key, new Uint8Array(32), text), 'InvalidAccessError');
  const made = await s.generateKey({ name: 'HMAC', hash: 'SHA-384' }, false, ['verify', 'sign']);
  same('a new key', [made.type, made.algorithm.length, made.extractable, made.usages], ['secret', 1024, false, ['sign', 'verify']]);
  await fails('not extractable', () => s.exportKey('raw', made), 'InvalidAccessError');
  same('its length', (await s.exportKey('raw', await s.generateKey({ name: 'HMAC', hash: 'SHA-1', length: 88 }, true, ['sign']))).byteLength, 11);
}

async function ciphers() {
  const key = bytes('2b7e151628aed2a6abf7158809cf4f3c'); /* NIST SP 800-38A, F.2.1 and F.5.1 */
  const plain = bytes('6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51');
  const cbc = await raw('AES-CBC', key, ['encrypt', 'decrypt']);
  same('CBC', hex(await s.encrypt({ name: 'AES-CBC', iv: upto(16) }, cbc, plain)).slice(0, 64), '7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2');
  const ctr = await raw('AES-CTR', key, ['encrypt', 'decrypt']);
  const counter = bytes('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff');
  same('CTR', hex(await s.encrypt({ name: 'AES-CTR', counter, length: 128 }, ctr, plain)), '874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff');
  /* McGrew and Viega, test case 4 */
  const gcm = await raw('AES-GCM', bytes('feffe9928665731c6d6a8f9467308308'), ['encrypt', 'decrypt']);
  const params = { name: 'AES-GCM', iv: bytes('cafebabefacedbaddecaf888'), additionalData: bytes('feedfacedeadbeeffeedfacedeadbeefabaddad2') };
  const sealed = await s.encrypt(params, gcm, bytes('d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39'));
  same('GCM', hex(sealed), '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47');
  const broken = new Uint8Array(sealed);
  broken[3] ^= 1;
  await fails('GCM, changed', () => s.decrypt(params, gcm, broken), 'OperationError');
  await fails('GCM, short', () => s.decrypt(params, gcm, new Uint8Array(15)), 'OperationError');
  await fails('GCM, tag length', () => s.encrypt({ ...params, tagLength: 40 }, gcm, plain), 'OperationError');
  await fails('GCM, no iv', () => s.encrypt({ name: 'AES-GCM' }, gcm, plain), 'TypeError');
  await fails('CBC, iv of 12 bytes', () => s.encrypt({ name: 'AES-CBC', iv: upto(12) }, cbc, plain), 'OperationError');
  await fails('CBC, padding', () => s.decrypt({ name: 'AES-CBC', iv: upto(16) }, cbc, plain), 'OperationError');
  await fails('CTR, length 0', () => s.encrypt({ name: 'AES-CTR', counter, length: 0 }, ctr, plain), 'OperationError');
  await fails('CTR, more blocks than it counts', () => s.encrypt({ name: 'AES-CTR', counter, length: 1 }, ctr, upto(33)), 'OperationError');
  await fails('another algorithm', () => s.encrypt({ name: 'AES-CBC', iv: upto(16) }, gcm, plain), 'InvalidAccessError');
  await fails('a key of 20 bytes', () => raw('AES-GCM', upto(20), ['encrypt']), 'DataError');
  await fails('a new key of 100 bits', () => s.generateKey({ name: 'AES-GCM', length: 100 }, true, ['encrypt']), 'OperationError');
  await fails('signing with AES', () => s.generateKey({ name: 'AES-GCM', length: 128 }, true, ['sign']), 'SyntaxError');
  await fails('no usage', () => s.generateKey({ name: 'AES-GCM', length: 128 }, true, []), 'SyntaxError');
  await fails('unknown usage', () => s.generateKey({ name: 'AES-GCM', length: 128 }, true, ['read']), 'TypeError');
  await fails('unknown format', () => s.importKey('pem', key, 'AES-CBC', true, ['encrypt']), 'TypeError');
  await fails('format of pairs', () => s.importKey('spki', key, 'AES-CBC', true, ['encrypt']), 'NotSupportedError');
  same('JWK', await s.exportKey('jwk', ctr), { kty: 'oct', alg: 'A128CTR', k: 'K34VFiiu0qar9xWICc9PPA', key_ops: ['encrypt', 'decrypt'], ext: true });
}

async function ciphers_of_node() {
  const key = Uint8Array.from({ length: 32 }, (_, i) => i * 7 & 255), both = ['encrypt', 'decrypt'];
  const use = async (what, name, k, params, plain, want) => {
    const imported = await raw(name, k, both);
    same(what, hex(await s.encrypt({ name, ...params }, imported, plain)), want);
    same(`${what}, back`, hex(await s.decrypt({ name, ...params }, imported, bytes(want))), hex(plain));
  };
  for (const c of node.ctr) await use(`CTR ${c.length} from ${c.counter}`, 'AES-CTR', key, { counter: bytes(c.counter), length: c.length }, upto(c.bytes), c.encrypted);
  for (const c of node.gcm) await use(`GCM ${c.iv} ${c.tagLength}`, 'AES-GCM', key.subarray(0, 24), { iv: bytes(c.iv), tagLength: c.tagLength, additionalData: utf8(node.text) }, upto(100), c.encrypted);
  for (const c of node.cbc) await use(`CBC ${c.bytes}`, 'AES-CBC', key, { iv: upto(16) }, upto(c.bytes), c.encrypted);
  for (const c of node.pbkdf2) {
    const k = await raw('PBKDF2', utf8('passw\u00f6rd'), ['deriveBits'], false);
    same(`PBKDF2 ${c.hash}`, hex(await s.deriveBits({ name: 'PBKDF2', hash: c.hash, salt: utf8('salt'), iterations: c.iterations }, k, 400)), c.bits);
  }
}

async function derivations() {
  /* RFC 6070 */
  const k = await raw('PBKDF2', utf8('password'), ['deriveBits', 'deriveKey'], false);
  const params = (iterations) => ({ name: 'PBKDF2', hash: 'SHA-1', salt: utf8('salt'), iterations });
  same('PBKDF2, 1', hex(await s.deriveBits(params(1), k, 160)), '0c60c80f961f0e71f3a9b524af6012062fe037a6');
  same('PBKDF2, 4096', hex(await s.deriveBits(params(4096), k, 160)), '4b007901b765489abead49d926f721d065a429c1');
  const aes = await s.deriveKey(params(1), k, { name: 'AES-CBC', length: 128 }, true, ['encrypt']);
  same('a derived key', [hex(await s.exportKey('raw', aes)), aes.algorithm], ['0c60c80f961f0e71f3a9b524af601206', { name: 'AES-CBC', length: 128 }]);
  await fails('no length', () => s.deriveBits(params(1), k, null), 'OperationError');
  await fails('half a byte', () => s.deriveBits(params(1), k, 12), 'OperationError');
  await fails('no iteration', () => s.deriveBits(params(0), k, 8), 'OperationError');
  await fails('extractable', () => raw('PBKDF2', utf8('x'), ['deriveBits'], true), 'SyntaxError');
  /* RFC 5903 8.1 */
  const ix = 'DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180', iy = '5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3';
  const rx = 'D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63', ry = '56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB';
  const url = (h) => node64(bytes(h));
  const alg = { name: 'ECDH', namedCurve: 'P-256' };
  const mine = await s.importKey('jwk', { kty: 'EC', crv: 'P-256', x: url(ix), y: url(iy), d: url('C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433') }, alg, true, ['deriveBits']);
  const theirs = await raw(alg, bytes('04' + rx + ry), []);
  same('ECDH', hex(await s.deriveBits({ name: 'ECDH', public: theirs }, mine, null)), 'd6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de');
  same('its first 12 bits', hex(await s.deriveBits({ name: 'ECDH', public: theirs }, mine, 12)), 'd680');
  await fails('too many', () => s.deriveBits({ name: 'ECDH', public: theirs }, mine, 264), 'OperationError');
  await fails('a point that is not on the curve', () => raw(alg, bytes('04' + rx + rx), []), 'DataError');
  await fails('d of another key', () => s.importKey('jwk', { kty: 'EC', crv: 'P-256', x: url(rx), y: url(ry), d: url('C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433') }, alg, true, ['deriveBits']), 'DataError');
  await fails('other halves', () => s.deriveBits({ name: 'ECDH', public: mine }, mine, null), 'InvalidAccessError');
}

/* base64url */
function node64(b) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let bits = '';
  for (const x of b) bits += x.toString(2).padStart(8, '0');
  return (bits.match(/.{1,6}/g) || []).map((x) => digits[parseInt(x.padEnd(6, '0'), 2)]).join('');
}

async function curves() {
  /* RFC 6979 A.2.5 */
  const point = bytes('04' + '60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6' + '7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299');
  const key = await raw({ name: 'ECDSA', namedCurve: 'P-256' }, point, ['verify']);
  const sig = bytes('EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716' + 'F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8');
  const verify = (what, k = key) => s.verify({ name: 'ECDSA', hash: 'SHA-256' }, k, what, utf8('sample'));
  same('ECDSA', [await verify(sig), await verify(sig.slice(0, 63)), await verify(new Uint8Array(64)), await verify(new Uint8Array())], [true, false, false, false]);
  /* RFC 7515 A.3 */
  const jwk = { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0', d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' };
  const alg = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair = [await s.importKey('jwk', jwk, alg, true, ['sign']), await s.importKey('jwk', { ...jwk, d: undefined, use: 'sig', alg: 'ES256' }, alg, true, ['verify'])];
  const made = await s.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair[0], utf8('sample'));
  same('its own', [made.byteLength, await verify(made, pair[1]), await verify(made)], [64, true, false]);
  same('JWK', await s.exportKey('jwk', pair[0]), { kty: 'EC', crv: 'P-256', d: jwk.d, x: jwk.x, y: jwk.y, key_ops: ['sign'], ext: true });
  await fails('the private half of a public key', () => s.exportKey('pkcs8', pair[1]), 'InvalidAccessError');
  await fails('raw and private', () => s.exportKey('raw', pair[0]), 'InvalidAccessError');
  await fails('crv', () => s.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign']), 'DataError');
  await fails('signing with a public key', () => raw(alg, point, ['sign']), 'SyntaxError');
  await fails('a curve that is none', () => s.generateKey({ name: 'ECDSA', namedCurve: 'K-256' }, true, ['sign']), 'NotSupportedError');
  for (const curve of ['P-384', 'P-521']) {
    const n = node[curve], params = { name: 'ECDSA', hash: n.hash };
    const priv = await s.importKey('pkcs8', bytes(n.pkcs8), n.alg, true, ['sign']);
    const pub = await s.importKey('spki', bytes(n.spki), n.alg, true, ['verify']);
    same(`${curve} verifies`, await s.verify(params, pub, bytes(n.signature), utf8(node.text)), true);
    same(`${curve} verifies its own`, await s.verify(params, pub, await s.sign(params, priv, utf8(node.text)), utf8(node.text)), true);
    same(`${curve} spki`, hex(await s.exportKey('spki', pub)), n.spki);
    same(`${curve} raw`, hex(await s.exportKey('raw', pub)), n.raw);
    same(`${curve} pkcs8`, hex(await s.exportKey('pkcs8', priv)), n.pkcs8);
    const { x, y, d } = await s.exportKey('jwk', priv);
    same(`${curve} jwk`, { x, y, d }, { x: n.jwk.x, y: n.jwk.y, d: n.jwk.d });
    const alg = { name: 'ECDH', namedCurve: curve };
    const mine = await s.importKey('jwk', { ...n.jwk, key_ops: undefined }, alg, false, ['deriveBits']);
    same(`${curve} ECDH`, hex(await s.deriveBits({ name: 'ECDH', public: await raw(alg, bytes(n.other), []) }, mine, null)), n.shared);
    await fails(`${curve} under another name`, () => s.importKey('spki', bytes(n.spki), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']), 'DataError');
    await fails(`${curve}, a byte too many`, () => s.importKey('spki', bytes(n.spki + '00'), n.alg, true, ['verify']), 'DataError');
  }
}

async function rsa() {
  const text = utf8(node.text);
  for (const [n, params] of [[node.rsassa, 'RSASSA-PKCS1-v1_5'], [node.pss, { name: 'RSA-PSS', saltLength: 48 }]]) {
    const priv = await s.importKey('pkcs8', bytes(n.pkcs8), n.alg, true, ['sign']);
    const pub = await s.importKey('spki', bytes(n.spki), n.alg, true, ['verify']);
    const name = n.alg.name;
    same(`${name} verifies`, [await s.verify(params, pub, bytes(n.signature), text), await s.verify(params, pub, bytes(n.signature), utf8('x'))], [true, false]);
    same(`${name} verifies its own`, await s.verify(params, pub, await s.sign(params, priv, text), text), true);
    same(`${name} key`, [pub.type, pub.algorithm.modulusLength, [...pub.algorithm.publicExponent], pub.algorithm.hash.name], ['public', 2048, [1, 0, 1], n.alg.hash]);
    same(`${name} pkcs8`, hex(await s.exportKey('pkcs8', priv)), n.pkcs8);
    same(`${name} spki`, hex(await s.exportKey('spki', pub)), n.spki);
    const members = ({ kty, alg, n, e, d, p, q, dp, dq, qi }) => ({ kty, alg, n, e, d, p, q, dp, dq, qi });
    same(`${name} jwk`, members(await s.exportKey('jwk', await s.importKey('jwk', n.jwk, n.alg, true, ['sign']))), members(n.jwk));
    await fails(`${name}, raw`, () => s.importKey('raw', bytes(n.spki), n.alg, true, ['verify']), 'NotSupportedError');
    await fails(`${name}, jwk without n`, () => s.importKey('jwk', { ...n.jwk, n: undefined }, n.alg, true, ['sign']), 'DataError');
  }
  same('RSASSA is always the same', hex(await s.sign('RSASSA-PKCS1-v1_5', await s.importKey('jwk', node.rsassa.jwk, node.rsassa.alg, false, ['sign']), text)), node.rsassa.signature);
  const o = node.oaep, params = { name: 'RSA-OAEP', label: bytes(o.label) };
  const priv = await s.importKey('jwk', o.jwk, o.alg, true, ['decrypt']), pub = await s.importKey('spki', bytes(o.spki), o.alg, true, ['encrypt']);
  same('OAEP', new TextDecoder().decode(await s.decrypt(params, priv, bytes(o.encrypted))), node.text);
  same('OAEP, its own', new TextDecoder().decode(await s.decrypt(params, priv, await s.encrypt(params, pub, text))), node.text);
  await fails('OAEP, another label', () => s.decrypt('RSA-OAEP', priv, bytes(o.encrypted)), 'OperationError');
  await fails('OAEP, too long', () => s.encrypt(params, pub, new Uint8Array(191)), 'OperationError');
  await fails('an even exponent', () => s.generateKey({ ...o.alg, modulusLength: 1024, publicExponent: bytes('02') }, true, ['decrypt']), 'OperationError');
  await fails('no private usage', () => s.generateKey({ ...o.alg, modulusLength: 1024, publicExponent: bytes('010001') }, true, ['encrypt']), 'SyntaxError');
  const pair = await s.generateKey({ name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 1024, publicExponent: bytes('010001') }, false, ['sign', 'verify']);
  same('a new pair', [pair.privateKey.extractable, pair.publicKey.extractable, pair.privateKey.usages, pair.publicKey.usages], [false, true, ['sign'], ['verify']]);
}

async function random() {
  const filled = crypto.getRandomValues(new Uint32Array(64));
  same('filled, each of its bytes', [filled.length, new Set(new Uint8Array(filled.buffer)).size > 100], [64, true]);
  const part = new Uint8Array(40);
  crypto.getRandomValues(part.subarray(8, 32));
  same('a part', [hex(part.subarray(0, 8)), hex(part.subarray(32))], ['0000000000000000', '0000000000000000']);
  const name = (fn) => { try { fn(); return 'no error'; } catch (e) { return e.name; } };
  same('errors', [name(() => crypto.getRandomValues(new Float64Array(1))), name(() => crypto.getRandomValues([1])), name(() => crypto.getRandomValues(new Uint8Array(65537)))], ['TypeMismatchError', 'TypeMismatchError', 'QuotaExceededError']);
  const uuids = new Set(Array.from({ length: 50 }, () => crypto.randomUUID()));
  same('UUIDs', [uuids.size, [...uuids].every((u) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(u))], [50, true]);
}

export default async function () {
  same('the module is the global', imported === crypto, true);
  for (const part of [digests, hmacs, ciphers, ciphers_of_node, derivations, curves, rsa, random]) await part();
  const all = await Promise.all(Array.from({ length: 100 }, (_, i) => s.digest('SHA-256', utf8(String(i)))));
  same('many at once', new Set(all.map(hex)).size, 100);
  console.log(`${number} compared`);
}
JS
"$ASSAY" load -q --no-summary -e FIXTURES="$FIXTURES" script.js 2>&1 | sed "s/^time=[^ ]* //"
