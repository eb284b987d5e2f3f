// The module "k6/ws": connect() runs a session and returns when it is over. What stands here is a
// function of socket.c's functions; its result is the module's exports.
((native) => {
  'use strict';
  const GOING_AWAY = 1001;

  // An error as scripts look at it: e.error() is its text.
  const errorOf = (text) => ({ error: () => text, toString: () => text });

  class Socket {
    #link;
    #handlers = new Map();
    #timers = new Map();
    #timerIds = 0;
    #closed = false;

    constructor(link) {
      this.#link = link;
    }

    on(event, handler) {
      if (typeof handler !== 'function') throw new TypeError('socket.on() takes a name and a function');
      if (!this.#handlers.has(event)) this.#handlers.set(event, []);
      this.#handlers.get(event).push(handler);
    }

    send(text) {
      if (!native.send(this.#link, String(text))) this.#refuse();
    }

    sendBinary(data) {
      if (!(data instanceof ArrayBuffer) && !ArrayBuffer.isView(data)) {
        throw new TypeError('socket.sendBinary() takes an ArrayBuffer or a view on one');
      }
      if (!native.send(this.#link, data)) this.#refuse();
    }

    ping() {
      if (!native.ping(this.#link)) this.#refuse();
    }

    close(code = GOING_AWAY) {
      if (this.#closed) return;
      native.close(this.#link, code, '');
      this.#finish(code);
    }

    setTimeout(fn, ms) {
      return this.#addTimer(fn, ms, false);
    }

    setInterval(fn, ms) {
      return this.#addTimer(fn, ms, true);
    }

    #addTimer(fn, ms, repeat) {
      if (typeof fn !== 'function') throw new TypeError('a timer takes a function and a time in ms');
      if (!(ms > 0)) throw new TypeError(`a timer needs a time above 0 ms, not ${ms}`);
      this.#timers.set(++this.#timerIds, { fn, at: Date.now() + ms, every: repeat ? ms : 0 });
      return this.#timerIds;
    }

    #refuse() {
      this.#emit('error', errorOf('websocket: close sent'));
    }

    #emit(event, ...args) {
      for (const handler of this.#handlers.get(event) ?? []) handler(...args);
    }

    #finish(code) {
      this.#closed = true;
      this.#emit('close', code);
    }

    #runTimers() {
      for (const [id, timer] of [...this.#timers].sort((a, b) => a[1].at - b[1].at)) {
        if (this.#closed || timer.at > Date.now()) return;
        if (timer.every) timer.at = Math.max(timer.at + timer.every, Date.now());
        else this.#timers.delete(id);
        timer.fn();
      }
    }

    #untilTimer() {
      let first = Infinity;
      for (const timer of this.#timers.values()) first = Math.min(first, timer.at);
      return first === Infinity ? -1 : Math.max(first - Date.now(), 0);
    }

    // Until the session is over: what connect() returns.
    static run(link, setup) {
      const socket = new Socket(link);
      let response;
      try {
        for (;;) {
          const event = native.next(link, socket.#untilTimer());
          if (event) {
            const [name, value, , last] = event;
            if (name === 'open') {
              response = value;
              setup(socket);
              if (!socket.#closed) socket.#emit('open');
            } else if (name === 'close') {
              response = response ?? last;
              // what went wrong before the session began is told to handlers all the same
              if (response.error) return Socket.#failed(socket, setup, response);
              socket.#finish(value);
            } else if (response) {
              socket.#emit(name, name === 'error' ? errorOf(value) : value);
            }
          }
          if (!socket.#closed) socket.#runTimers();
          if (socket.#closed) return response;
        }
      } finally {
        native.end(link);
      }
    }

    static #failed(socket, setup, response) {
      setup(socket);
      socket.#emit('error', errorOf(response.error));
      return response;
    }
  }

  function connect(url, ...rest) {
    const setup = rest.pop();
    const params = rest[0] ?? {};
    if (typeof setup !== 'function') throw new TypeError('ws.connect() takes a URL, params and a function');
    const compression = params.compression ?? '';
    if (compression && compression !== 'deflate') {
      throw new TypeError(`unsupported compression algorithm '${compression}', the only one is 'deflate'`);
    }
    const { compression: dropped, ...others } = params;
    const protocols = headerOf(others.headers, 'sec-websocket-protocol');
    return Socket.run(native.open(url, others, protocols, compression === 'deflate', undefined), setup);
  }

  function headerOf(headers, name) {
    for (const [key, value] of Object.entries(headers ?? {})) {
      if (key.toLowerCase() === name) return String(value);
    }
    return '';
  }

  return { connect };
})
