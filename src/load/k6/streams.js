// The module "k6/experimental/streams": streams to read from, as the Streams standard has them
// (streams.spec.whatwg.org, chapter 4), without byte streams, pipes and tees. What stands here is
// evaluated in each VM that imports the module; its value is the module's exports.
(() => {
  'use strict';
  const states = new WeakMap(); // of streams, controllers and readers: the stream's state
  const settled = () => {};
  const internal = Symbol('internal');

  function stateOf(object, kind) {
    const state = states.get(object);
    if (!state) throw new TypeError(`this is no ${kind}`);
    return state;
  }

  function deferred() {
    const d = {};
    d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }));
    d.promise.catch(settled); // nobody has to look at it
    return d;
  }

  // What fn gives, or throws, as a promise.
  async function attempt(fn, ...args) {
    return fn ? fn(...args) : undefined;
  }

  function method(object, name) {
    const fn = object[name];
    if (fn === undefined) return undefined;
    if (typeof fn !== 'function') throw new TypeError(`${name} must be a function`);
    return fn.bind(object);
  }

  const desired = (s) => s.mark - s.queued;
  const clear = (s) => { s.chunks = []; s.queued = 0; };

  function wantsMore(s) {
    if (s.status !== 'readable' || s.closing || !s.started) return false;
    return s.waiting.length > 0 || desired(s) > 0;
  }

  function pull(s) {
    if (!wantsMore(s)) return;
    if (s.pulling) {
      s.pullAgain = true;
      return;
    }
    s.pulling = true;
    attempt(s.pull, s.controller).then(() => {
      s.pulling = false;
      if (s.pullAgain) {
        s.pullAgain = false;
        pull(s);
      }
    }, (e) => fail(s, e));
  }

  function close(s) {
    s.status = 'closed';
    s.closed?.resolve(undefined);
    for (const w of s.waiting.splice(0)) w.resolve({ done: true, value: undefined });
  }

  function fail(s, error) {
    if (s.status !== 'readable') return;
    s.status = 'errored';
    s.error = error;
    clear(s);
    s.closed?.reject(error);
    for (const w of s.waiting.splice(0)) w.reject(error);
  }

  async function cancel(s, reason) {
    if (s.status === 'closed') return;
    if (s.status === 'errored') throw s.error;
    clear(s);
    close(s);
    await attempt(s.cancel, reason);
  }

  function sizeOf(s, chunk) {
    const size = s.size ? Number(s.size(chunk)) : 1;
    if (!(size >= 0 && size < Infinity)) throw new RangeError('the size of a chunk must be a number of 0 or more');
    return size;
  }

  class ReadableStreamDefaultController {
    constructor(token, s) {
      if (token !== internal) throw new TypeError('a controller is made by its stream');
      states.set(this, s);
    }

    get desiredSize() {
      const s = stateOf(this, 'controller');
      if (s.status === 'errored') return null;
      return s.status === 'closed' ? 0 : desired(s);
    }

    close() {
      const s = stateOf(this, 'controller');
      if (s.closing || s.status !== 'readable') throw new TypeError('the stream is closed');
      s.closing = true;
      if (!s.chunks.length) close(s);
    }

    enqueue(chunk) {
      const s = stateOf(this, 'controller');
      if (s.closing || s.status !== 'readable') throw new TypeError('the stream is closed');
      if (s.waiting.length) {
        s.waiting.shift().resolve({ done: false, value: chunk });
      } else {
        try {
          const size = sizeOf(s, chunk);
          s.chunks.push({ chunk, size });
          s.queued += size;
        } catch (e) {
          fail(s, e);
          throw e;
        }
      }
      pull(s);
    }

    error(e) {
      fail(stateOf(this, 'controller'), e);
    }
  }

  class ReadableStreamDefaultReader {
    constructor(stream) {
      const s = stateOf(stream, 'stream');
      if (s.reader) throw new TypeError('the stream has a reader already');
      states.set(this, s);
      s.reader = this;
      s.closed = deferred();
      if (s.status === 'closed') s.closed.resolve(undefined);
      if (s.status === 'errored') s.closed.reject(s.error);
      this.#closed = s.closed;
    }

    #closed;

    #state() {
      const s = stateOf(this, 'reader');
      if (s.reader !== this) throw new TypeError('the reader has released its stream');
      return s;
    }

    get closed() {
      return this.#closed.promise;
    }

    async read() {
      const s = this.#state();
      if (s.status === 'errored') throw s.error;
      if (s.status === 'closed') return { done: true, value: undefined };
      if (s.chunks.length) {
        const { chunk, size } = s.chunks.shift();
        s.queued = s.chunks.length ? Math.max(0, s.queued - size) : 0;
        if (s.closing && !s.chunks.length) close(s);
        else pull(s);
        return { done: false, value: chunk };
      }
      const w = deferred();
      s.waiting.push(w);
      pull(s);
      return w.promise;
    }

    async cancel(reason) {
      return cancel(this.#state(), reason);
    }

    releaseLock() {
      const s = stateOf(this, 'reader');
      if (s.reader !== this) return;
      const error = new TypeError('the reader has released its stream');
      s.closed.reject(error);
      if (s.status !== 'readable') {
        this.#closed = deferred();
        this.#closed.reject(error);
      }
      for (const w of s.waiting.splice(0)) w.reject(error);
      s.reader = s.closed = undefined;
    }
  }

  function readMark(strategy, absent) {
    if (strategy.highWaterMark === undefined) return absent;
    const mark = Number(strategy.highWaterMark);
    if (!(mark >= 0)) throw new RangeError('highWaterMark must be a number of 0 or more');
    return mark;
  }

  class ReadableStream {
    constructor(source = {}, strategy = {}) {
      if (source === null) throw new TypeError('the source of a stream must be an object');
      if (source.type !== undefined && source.type !== 'default')
        throw new RangeError(`streams of type "${source.type}" are not available`);
      const s = {
        status: 'readable', chunks: [], queued: 0, waiting: [],
        size: method(strategy, 'size'), mark: readMark(strategy, 1),
        pull: method(source, 'pull'), cancel: method(source, 'cancel'),
      };
      const start = method(source, 'start');
      states.set(this, s);
      s.controller = new ReadableStreamDefaultController(internal, s);
      const result = start?.(s.controller);
      Promise.resolve(result).then(() => {
        s.started = true;
        pull(s);
      }, (e) => fail(s, e));
    }

    get locked() {
      return stateOf(this, 'stream').reader !== undefined;
    }

    getReader(options) {
      if (options?.mode !== undefined) throw new TypeError('readers of byte streams are not available');
      return new ReadableStreamDefaultReader(this);
    }

    async cancel(reason) {
      const s = stateOf(this, 'stream');
      if (s.reader) throw new TypeError('the stream has a reader: cancel that');
      return cancel(s, reason);
    }
  }

  class CountQueuingStrategy {
    constructor(options = {}) {
      this.highWaterMark = readMark(options, 1);
    }

    size() {
      return 1;
    }
  }

  return { ReadableStream, ReadableStreamDefaultController, ReadableStreamDefaultReader, CountQueuingStrategy };
})()
