// httpx: a session with a base address, headers and tags for all of its requests.
import http from 'k6/http';

function joined(base, url) {
  if (/^https?:/i.test(url)) return url;
  if (base.endsWith('/') && url.startsWith('/')) return base + url.slice(1);
  return base + url;
}

class Request {
  constructor(method, url, body = null, params = {}) {
    Object.assign(this, { method, url, body, params });
  }
}

export class Get extends Request {
  constructor(url, body, params) { super('GET', url, body, params); }
}
export class Post extends Request {
  constructor(url, body, params) { super('POST', url, body, params); }
}
export class Put extends Request {
  constructor(url, body, params) { super('PUT', url, body, params); }
}
export class Patch extends Request {
  constructor(url, body, params) { super('PATCH', url, body, params); }
}
export class Delete extends Request {
  constructor(url, body, params) { super('DELETE', url, body, params); }
}
export { Request };

export class Httpx {
  constructor(options = {}) {
    this.baseURL = options.baseURL || '';
    this.headers = { ...options.headers };
    this.tags = { ...options.tags };
    this.timeout = options.timeout;
    this.rest = { ...options };
    for (const name of ['baseURL', 'headers', 'tags', 'timeout']) delete this.rest[name];
  }

  setBaseUrl(url) { this.baseURL = url; }
  addHeader(name, value) { this.headers[name] = value; }
  addHeaders(headers) { Object.assign(this.headers, headers); }
  clearHeader(name) { delete this.headers[name]; }
  addTag(name, value) { this.tags[name] = value; }
  addTags(tags) { Object.assign(this.tags, tags); }
  clearTag(name) { delete this.tags[name]; }

  params(own) {
    const given = own || {};
    const all = { ...this.rest, ...given };
    if (this.timeout !== undefined && given.timeout === undefined) all.timeout = this.timeout;
    all.headers = { ...this.headers, ...given.headers };
    all.tags = { ...this.tags, ...given.tags };
    return all;
  }

  request(method, url, body, params) {
    return http.request(method, joined(this.baseURL, url), body, this.params(params));
  }

  asyncRequest(method, url, body, params) {
    return http.asyncRequest(method, joined(this.baseURL, url), body, this.params(params));
  }

  batch(requests, params) {
    const ready = requests.map((r) => {
      const own = this.params({ ...params, ...r.params });
      return [r.method, joined(this.baseURL, r.url), r.body, own];
    });
    return http.batch(ready);
  }

  get(url, body, params) { return this.request('GET', url, body, params); }
  post(url, body, params) { return this.request('POST', url, body, params); }
  put(url, body, params) { return this.request('PUT', url, body, params); }
  patch(url, body, params) { return this.request('PATCH', url, body, params); }
  delete(url, body, params) { return this.request('DELETE', url, body, params); }
  options(url, body, params) { return this.request('OPTIONS', url, body, params); }
  head(url, body, params) { return this.request('HEAD', url, body, params); }
  trace(url, body, params) { return this.request('TRACE', url, body, params); }
  asyncGet(url, body, params) { return this.asyncRequest('GET', url, body, params); }
  asyncPost(url, body, params) { return this.asyncRequest('POST', url, body, params); }
  asyncPut(url, body, params) { return this.asyncRequest('PUT', url, body, params); }
  asyncPatch(url, body, params) { return this.asyncRequest('PATCH', url, body, params); }
  asyncDelete(url, body, params) { return this.asyncRequest('DELETE', url, body, params); }
}

export default Httpx;
