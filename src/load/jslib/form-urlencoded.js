// form-urlencoded: nested objects and lists as "a%5Bb%5D=1&c%5B0%5D=2".

function encoded(text) {
  return encodeURIComponent(text).replace(/%20/g, '+').replace(/[!'()~*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function add(pairs, name, value, options) {
  if (value === undefined || (value === null && options.ignorenull)) return;
  if (value === null || typeof value !== 'object' || value instanceof Date) {
    const text = value === null ? '' : value instanceof Date ? value.toISOString() : String(value);
    pairs.push(`${encoded(name)}=${encoded(text)}`);
    return;
  }
  const list = Array.isArray(value);
  const keys = options.sorted && !list ? Object.keys(value).sort() : Object.keys(value);
  for (const key of keys) {
    let inner = `${name}[${list && options.skipIndex ? '' : key}]`;
    if (list && options.skipBracket) inner = name;
    if (!list && options.useDot) inner = `${name}.${key}`;
    add(pairs, inner, value[key], options);
  }
}

export function urlencode(data, options = {}) {
  const pairs = [];
  const settled = { ignorenull: false, ...options };
  const keys = settled.sorted ? Object.keys(data).sort() : Object.keys(data);
  for (const key of keys) add(pairs, key, data[key], settled);
  return pairs.join('&');
}

export default urlencode;
