// The modules "k6/websockets" and "k6/experimental/websockets": WebSocket as browsers have it, with
// k6's additions (ping(), params). What stands here is a function of socket.c's functions; its
// result is the modules' exports.
((native) => {
  'use strict';
  const CONNECTING = 0, OPEN = 1, CLOSING = 2, CLOSED = 3;
  const EVENTS = ['open', 'message', 'ping', 'pong', 'error', 'close'];

  function bytesOf(part) {
    if (part instanceof Blob) return new Uint8Array(part.bytes());
    if (part instanceof ArrayBuffer) return new Uint8Array(part);
    if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    return new TextEncoder().encode(String(part));
  }

  class Blob {
    #bytes;
    #type;

    constructor(parts = [], options = {}) {
      const pieces = Array.from(parts, bytesOf);
      this.#bytes = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
      let at = 0;
      for (const p of pieces) {
        this.#bytes.set(p, at);
        at += p.length;
      }
      this.#type = String(options.type ?? '').toLowerCase();
    }

    get size() { return this.#bytes.length; }
    get type() { return this.#type; }

    // for WebSocket.send(): no promise
    bytes() { return this.#bytes.slice().buffer; }
    async arrayBuffer() { return this.bytes(); }
    async text() { return new TextDecoder().decode(this.#bytes); }

    slice(start = 0, end = this.size, type = '') {
      return new Blob([this.#bytes.slice(start, end)], { type });
    }
  }

  class WebSocket {
    #link;
    #url;
    #state = CONNECTING;
    #binaryType = 'blob';
    #handlers = new Map();
    #listeners = new Map();
    #response;

    constructor(url, protocols = [], params = {}) {
      const list = Array.isArray(protocols) ? protocols : [protocols ?? ''];
      const { compression = '', ...others } = params ?? {};
      if (compression && compression !== 'deflate') {
        throw new TypeError(`unsupported compression algorithm '${compression}', the only one is 'deflate'`);
      }
      this.#url = String(url);
      this.#link = native.open(this.#url, others, list.filter(Boolean).join(', '),
        compression === 'deflate', (event) => this.#take(event));
    }

    get url() { return this.#url; }
    get readyState() { return this.#state; }
    get bufferedAmount() { return native.unsent(this.#link); }
    get protocol() { return this.#response?.subprotocol ?? ''; }
    get extensions() { return this.#response?.extensions ?? ''; }
    get binaryType() { return this.#binaryType; }

    set binaryType(type) {
      if (type !== 'blob' && type !== 'arraybuffer') {
        throw new TypeError(`unknown binaryType '${type}': blob or arraybuffer`);
      }
      this.#binaryType = type;
    }

    send(data) {
      if (this.#state === CONNECTING) {
        throw new Error('InvalidStateError: the connection is not open yet');
      }
      if (this.#state !== OPEN) return;
      native.send(this.#link, data instanceof Blob ? data.bytes() : data);
    }

    ping() {
      if (this.#state !== OPEN) throw new Error('InvalidStateError: the connection is not open');
      native.ping(this.#link);
    }

    close(code = 1000, reason = '') {
      if (this.#state >= CLOSING) return;
      native.close(this.#link, code, reason);
      if (this.#state === CONNECTING) throw new Error('InvalidStateError: the connection is not open yet');
      this.#state = CLOSING;
    }

    addEventListener(type, listener) {
      if (!EVENTS.includes(type)) throw new TypeError(`unknown event '${type}': ${EVENTS.join(', ')}`);
      if (typeof listener !== 'function') throw new TypeError('a listener is a function');
      if (!this.#listeners.has(type)) this.#listeners.set(type, []);
      this.#listeners.get(type).push(listener);
    }

    // what an assignment to onopen and its kin stores
    handler(type) { return this.#handlers.get(type) ?? null; }

    setHandler(type, fn) {
      if (typeof fn === 'function') this.#handlers.set(type, fn);
      else this.#handlers.delete(type);
    }

    #emit(type, fields = {}) {
      const event = { type, timestamp: Date.now(), target: this, ...fields };
      const handler = this.#handlers.get(type);
      if (handler) handler.call(this, event);
      for (const listener of [...(this.#listeners.get(type) ?? [])]) listener.call(this, event);
    }

    #take([name, value, reason, last]) {
      switch (name) {
        case 'open':
          this.#response = value;
          this.#state = OPEN;
          return this.#emit('open');
        case 'message':
          return this.#emit('message', { data: value });
        case 'binaryMessage':
          return this.#emit('message', { data: this.#binaryType === 'blob' ? new Blob([value]) : value });
        case 'error':
          return this.#emit('error', { error: value });
        case 'close':
          this.#response = this.#response ?? last;
          this.#state = CLOSED;
          return this.#emit('close', { code: value, reason });
        default:
          return this.#emit(name, { data: value });
      }
    }
  }

  for (const type of EVENTS) {
    Object.defineProperty(WebSocket.prototype, `on${type}`, {
      get() { return this.handler(type); },
      set(fn) { this.setHandler(type, fn); },
    });
  }
  Object.assign(WebSocket, { CONNECTING, OPEN, CLOSING, CLOSED });

  return { WebSocket, Blob };
})
