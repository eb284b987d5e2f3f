// jsonpath: what a path as "$.store.book[?(@.price < 10)]..title" (RFC 9535's forerunner) gives.

function unquoted(text) {
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

// Where the bracket that opens at `at` ends.
function closing(path, at) {
  let open = 0;
  let quote = '';
  for (let i = at; i < path.length; i++) {
    const c = path[i];
    if (quote) {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") {
      quote = c;
    } else if (c === '[' || c === '(') {
      open++;
    } else if ((c === ']' || c === ')') && --open === 0) {
      return i;
    }
  }
  throw new Error(`${path}: the bracket at ${at + 1} does not end`);
}

// "@.a == 'x'" as a function of @ and $.
function compile(text) {
  const body = text.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|@/g, (t) => (t === '@' ? '$_' : t));
  return new Function('$_', '$', `return (${body});`);
}

function slice(list, from, to, step) {
  const picked = [];
  const at = (text, otherwise) => {
    if (text === '' || text === undefined) return otherwise;
    return Number(text) < 0 ? list.length + Number(text) : Number(text);
  };
  const by = Number(step || 1);
  for (let i = Math.max(at(from, 0), 0); i < Math.min(at(to, list.length), list.length) && by > 0; i += by) picked.push(i);
  return picked;
}

function guarded(test, value, root) {
  try {
    return test(value, root);
  } catch (e) {
    return undefined;
  }
}

// The keys of value that the inside of a bracket selects.
function selector(text) {
  const inner = text.trim();
  if (inner === '*') return (v) => Object.keys(v);
  if (inner.startsWith('?')) {
    const test = compile(inner.slice(1));
    return (v, root) => Object.keys(v).filter((k) => guarded(test, v[k], root));
  }
  if (inner.startsWith('(')) {
    const key = compile(inner);
    return (v, root) => [guarded(key, v, root)];
  }
  const range = /^(-?\d*):(-?\d*)(?::(\d+))?$/.exec(inner);
  if (range) return (v) => (Array.isArray(v) ? slice(v, range[1], range[2], range[3]) : []);
  const keys = inner.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,\s]+/g) || [];
  const names = keys.map((k) => (/^['"]/.test(k) ? unquoted(k) : k));
  return (v) => names.map((n) => (Array.isArray(v) && /^-\d+$/.test(n) ? String(v.length + Number(n)) : n));
}

function parse(path) {
  const steps = [];
  if (typeof path !== 'string' || path[0] !== '$') throw new Error('a path begins with $');
  for (let i = 1; i < path.length;) {
    const deep = path.startsWith('..', i);
    if (deep) i += 2;
    else if (path[i] === '.') i++;
    if (path[i] === '[') {
      const end = closing(path, i);
      steps.push({ deep, pick: selector(path.slice(i + 1, end)) });
      i = end + 1;
    } else {
      const name = /^[^.[]+/.exec(path.slice(i));
      if (!name) throw new Error(`${path}: a name is expected at ${i + 1}`);
      steps.push({ deep, pick: selector(name[0] === '*' ? '*' : JSON.stringify(name[0])) });
      i += name[0].length;
    }
  }
  return steps;
}

function below(node, all) {
  all.push(node);
  if (node.value && typeof node.value === 'object') {
    for (const k of Object.keys(node.value)) below({ path: [...node.path, k], value: node.value[k] }, all);
  }
  return all;
}

export function nodes(root, path, count) {
  let found = [{ path: ['$'], value: root }];
  for (const step of parse(path)) {
    const from = step.deep ? found.flatMap((n) => below(n, [])) : found;
    found = from.filter((n) => n.value && typeof n.value === 'object').flatMap((n) => step.pick(n.value, root)
      .filter((k) => Object.prototype.hasOwnProperty.call(n.value, k))
      .map((k) => ({ path: [...n.path, Array.isArray(n.value) ? Number(k) : k], value: n.value[k] })));
  }
  return count === undefined ? found : found.slice(0, count);
}

export function query(root, path, count) { return nodes(root, path, count).map((n) => n.value); }
export function paths(root, path, count) { return nodes(root, path, count).map((n) => n.path); }

export function apply(root, path, fn) {
  const found = nodes(root, path);
  for (const n of found) {
    const keys = n.path.slice(1);
    const last = keys.pop();
    const holder = keys.reduce((v, k) => v[k], root);
    holder[last] = fn(holder[last]);
  }
  return found;
}

export function value(root, path, ...rest) {
  if (rest.length) apply(root, path, () => rest[0]);
  return query(root, path, 1)[0];
}

export function parent(root, path, ...rest) {
  const [first] = nodes(root, path, 1);
  if (!first) return undefined;
  if (rest.length) value(root, path, rest[0]);
  return first.path.slice(1, -1).reduce((v, k) => v[k], root);
}

export default { query, value, paths, nodes, apply, parent };
