// http-instrumentation-tempo and -pyroscope: requests with a trace's context in their headers
// (www.w3.org/TR/trace-context and baggage), and the trace's number in their samples' metadata.
import http from 'k6/http';
import exec from 'k6/execution';

const METHODS = ['del', 'get', 'head', 'options', 'patch', 'post', 'put'];
const WITHOUT_BODY = ['get', 'head'];

function hex(digits) {
  let text = '';
  while (text.length < digits) text += Math.floor(Math.random() * 16).toString(16);
  return text;
}

function traceHeaders(options) {
  const trace = hex(32);
  const sampled = Math.random() < (options.sampling === undefined ? 1 : options.sampling);
  const headers = options.propagator === 'jaeger'
    ? { 'uber-trace-id': `${trace}:${hex(16)}:0:${sampled ? 1 : 0}` }
    : { traceparent: `00-${trace}-${hex(16)}-0${sampled ? 1 : 0}` };
  return { headers, trace: sampled ? trace : '' };
}

function baggageHeaders() {
  const tags = exec.vu.metrics.tags;
  const items = { 'k6.test_run_id': __ENV.K6_CLOUDRUN_TEST_RUN_ID, 'k6.name': tags.name, 'k6.scenario': tags.scenario };
  const known = Object.entries(items).filter(([, v]) => v);
  return { headers: { baggage: known.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join(',') }, trace: '' };
}

// fn(params) sends; its samples carry the trace's number.
function send(made, params, fn) {
  const own = params || {};
  const metadata = exec.vu.metrics.metadata;
  if (made.trace) metadata.trace_id = made.trace;
  try {
    return fn({ ...own, headers: { ...made.headers, ...own.headers } });
  } finally {
    if (made.trace) delete metadata.trace_id;
  }
}

function instrumented(plain, make) {
  const client = {};
  for (const name of METHODS) {
    client[name] = WITHOUT_BODY.includes(name)
      ? (url, params) => send(make(), params, (p) => plain[name](url, p))
      : (url, body, params) => send(make(), params, (p) => plain[name](url, body, p));
  }
  for (const name of ['request', 'asyncRequest']) {
    client[name] = (method, url, body, params) => send(make(), params, (p) => plain[name](method, url, body, p));
  }
  return client;
}

function factory(make) {
  class Client {
    constructor(options = {}) {
      this.settings = { ...options };
      Object.assign(this, instrumented({ ...http }, () => make(this.settings)));
    }

    configure(options) { Object.assign(this.settings, options); }
    batch(requests) { return http.batch(requests); }
  }
  const instrumentHTTP = (options = {}) => {
    Object.assign(http, instrumented({ ...http }, () => make(options)));
  };
  return { Client, instrumentHTTP };
}

export const tempo = factory(traceHeaders);
export const pyroscope = factory(baggageHeaders);
