// k6-testing: expect(x).toBe(y) and its kin. A failure aborts the test, one of expect.soft() throws
// (or only marks the test as failed). Matchers on pages of k6/browser are not here.
import exec from 'k6/execution';

class AssertionFailedError extends Error {
  constructor(message) {
    super(message);
    this.name = 'AssertionFailedError';
  }
}

function shown(v) {
  if (typeof v === 'string') return JSON.stringify(v);
  if (v && typeof v === 'object') {
    try {
      return JSON.stringify(v);
    } catch (e) {
      return String(v);
    }
  }
  return typeof v === 'function' ? `function ${v.name}` : String(v);
}

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (!a || !b || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && +a === +b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof Set || a instanceof Map) {
    return Object.getPrototypeOf(a) === Object.getPrototypeOf(b) && same([...a], [...b]);
  }
  const keys = (o) => Object.keys(o).filter((k) => o[k] !== undefined);
  const mine = keys(a);
  return mine.length === keys(b).length && mine.every((k) => k in b && same(a[k], b[k]));
}

function lookUp(object, path) {
  const keys = Array.isArray(path) ? path : String(path).replace(/\[(\w+)\]/g, '.$1').split('.');
  let at = object;
  for (const k of keys) {
    if (at === null || at === undefined || !(k in Object(at))) return { there: false };
    at = at[k];
  }
  return { there: true, value: at };
}

function holds(list, item, equal) {
  if (typeof list === 'string') return list.includes(item);
  return [...list].some((x) => equal(x, item));
}

function thrownBy(fn) {
  try {
    fn();
  } catch (e) {
    return { error: e };
  }
  return null;
}

function throwsAs(fn, want) {
  const thrown = thrownBy(fn);
  if (!thrown || want === undefined) return !!thrown;
  const text = String(thrown.error && thrown.error.message !== undefined ? thrown.error.message : thrown.error);
  if (want instanceof RegExp) return want.test(text);
  if (typeof want === 'function') return thrown.error instanceof want;
  return text.includes(want.message === undefined ? want : want.message);
}

// Each gives whether it holds.
const MATCHERS = {
  toBe: (v, want) => Object.is(v, want),
  toEqual: (v, want) => same(v, want),
  toStrictEqual: (v, want) => same(v, want),
  toBeTruthy: (v) => !!v,
  toBeFalsy: (v) => !v,
  toBeNull: (v) => v === null,
  toBeUndefined: (v) => v === undefined,
  toBeDefined: (v) => v !== undefined,
  toBeNaN: (v) => Number.isNaN(v),
  toBeInstanceOf: (v, want) => v instanceof want,
  toBeCloseTo: (v, want, digits = 2) => Math.abs(v - want) < 10 ** -digits / 2,
  toBeGreaterThan: (v, want) => v > want,
  toBeGreaterThanOrEqual: (v, want) => v >= want,
  toBeLessThan: (v, want) => v < want,
  toBeLessThanOrEqual: (v, want) => v <= want,
  toContain: (v, item) => holds(v, item, (a, b) => a === b),
  toContainEqual: (v, item) => holds(v, item, same),
  toHaveLength: (v, want) => v !== null && v !== undefined && v.length === want,
  toMatch: (v, want) => (want instanceof RegExp ? want.test(v) : String(v).includes(want)),
  toMatchObject: (v, want) => Object.keys(want).every((k) => v && (want[k] && typeof want[k] === 'object'
    && !Array.isArray(want[k]) ? MATCHERS.toMatchObject(v[k], want[k]) : same(v[k], want[k]))),
  toThrow: (v, want) => throwsAs(v, want),
  toHaveProperty(v, path, ...want) {
    const found = lookUp(v, path);
    return found.there && (!want.length || same(found.value, want[0]));
  },
};

function fail(message, settings) {
  if (!settings.soft) exec.test.abort(message);
  if (settings.softMode === 'fail') {
    exec.test.fail(message);
    return;
  }
  throw new AssertionFailedError(message);
}

function wordsOf(name) {
  return name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
}

function expectation(value, about, settings, negated, extra) {
  const matchers = { ...MATCHERS, ...extra };
  const e = {};
  for (const name of Object.keys(matchers)) {
    e[name] = (...args) => {
      let ok = matchers[name](value, ...args);
      if (ok && typeof ok === 'object') ok = ok.pass;
      if (!!ok !== negated) return;
      fail(`${about ? `${about}: ` : ''}expected ${shown(value)}${negated ? ' not' : ''} ${wordsOf(name)}` +
        `${args.length ? ` ${args.map(shown).join(', ')}` : ''}`, settings);
    };
  }
  if (!negated) Object.defineProperty(e, 'not', { get: () => expectation(value, about, settings, true, extra) });
  return e;
}

function make(settings, extra) {
  const expect = (value, about) => expectation(value, about, settings, false, extra);
  expect.soft = (value, about) => expectation(value, about, { ...settings, soft: true }, false, extra);
  expect.configure = (more) => make({ ...settings, ...more }, extra);
  expect.extend = (own) => {
    const bare = Object.fromEntries(Object.entries(own).map(([k, fn]) => [k, (v, ...args) => fn(v, ...args)]));
    return make(settings, { ...extra, ...bare });
  };
  return expect;
}

export const expect = make({ soft: false, softMode: __ENV.K6_TESTING_SOFT_MODE || 'throw' }, {});
export { AssertionFailedError };
export default { expect };
