// totp: one-time passwords from a shared secret in base 32 (RFC 6238, with HMAC-SHA-1).
import crypto from 'k6/crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decode(secret) {
  const bytes = [];
  let bits = 0;
  let value = 0;
  for (const c of secret.toUpperCase().replace(/[\s=-]/g, '')) {
    const digit = ALPHABET.indexOf(c);
    if (digit < 0) throw new Error(`"${c}" is no digit of base 32`);
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 255);
    }
  }
  return Uint8Array.from(bytes).buffer;
}

export class TOTP {
  constructor(secret, digits = 6, interval = 30) {
    this.key = decode(secret);
    this.digits = digits;
    this.interval = interval;
  }

  code(seconds) {
    const counter = new Uint8Array(8);
    let rest = Math.floor(seconds / this.interval);
    for (let i = 7; i >= 0; i--) {
      counter[i] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    const mac = new Uint8Array(crypto.hmac('sha1', this.key, counter.buffer, 'binary'));
    const at = mac[19] & 15;
    const number = ((mac[at] & 127) * 16777216) + (mac[at + 1] << 16) + (mac[at + 2] << 8) + mac[at + 3];
    return String(number % 10 ** this.digits).padStart(this.digits, '0');
  }

  // They are promises where this came from.
  async gen(offset = 0) { return this.code(Date.now() / 1000 + offset * this.interval); }

  async verify(token, window = 0) {
    for (let i = -window; i <= window; i++) if (await this.gen(i) === String(token)) return true;
    return false;
  }
}

export default TOTP;
