// formdata: multipart/form-data bodies (RFC 7578) of text and files, as bytes.

const encoder = new TextEncoder();

function bytesOf(data) {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (Array.isArray(data)) return Uint8Array.from(data);
  return encoder.encode(String(data));
}

// What would end the quoted text is written as browsers do.
function quoted(text) {
  return String(text).replace(/"/g, '%22').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function boundary() {
  let digits = '';
  while (digits.length < 24) digits += Math.floor(Math.random() * 10);
  return `--------------------------${digits}`;
}

export class FormData {
  constructor() {
    this.boundary = boundary();
    this.parts = [];
  }

  // value is a text, or {data, filename, content_type}, which is what http.file() gives.
  append(name, value, filename) {
    const file = value !== null && typeof value === 'object' && value.data !== undefined;
    const given = file ? value : { data: value };
    this.parts.push({
      name,
      bytes: bytesOf(given.data),
      filename: filename || given.filename,
      type: given.content_type || (file ? 'application/octet-stream' : ''),
    });
  }

  body() {
    const pieces = [];
    for (const part of this.parts) {
      const file = part.filename ? `; filename="${quoted(part.filename)}"` : '';
      const type = part.type ? `Content-Type: ${part.type}\r\n` : '';
      pieces.push(encoder.encode(`--${this.boundary}\r\nContent-Disposition: form-data; ` +
        `name="${quoted(part.name)}"${file}\r\n${type}\r\n`), part.bytes, encoder.encode('\r\n'));
    }
    pieces.push(encoder.encode(`--${this.boundary}--\r\n`));
    const all = new Uint8Array(pieces.reduce((sum, p) => sum + p.length, 0));
    let at = 0;
    for (const p of pieces) {
      all.set(p, at);
      at += p.length;
    }
    return all.buffer;
  }

  contentType() { return `multipart/form-data; boundary=${this.boundary}`; }
}

export default FormData;
