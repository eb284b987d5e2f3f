// expect: describe("...", (t) => t.expect(r.status).as("status").toEqual(200).and(r).toHaveValidJson()).
// Each is a check; one that fails ends the describe() around it, and the iteration goes on.
import { check, group } from 'k6';

class Failed extends Error {}

function shown(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text && text.length > 100 ? `${text.slice(0, 100)}...` : String(text);
}

class Chain {
  constructor(value) { this.value = value; }

  as(name) {
    this.name = name;
    return this;
  }

  and(value) { return new Chain(value); }

  settle(ok, what) {
    check(null, { [`${this.name === undefined ? shown(this.value) : this.name} ${what}.`]: ok });
    if (!ok) throw new Failed(what);
    return this;
  }

  toEqual(want) {
    return this.settle(this.value === want || JSON.stringify(this.value) === JSON.stringify(want), `is ${shown(want)}`);
  }

  toBeGreaterThan(want) { return this.settle(this.value > want, `is greater than ${want}`); }
  toBeGreaterThanOrEqual(want) { return this.settle(this.value >= want, `is greater or equal to ${want}`); }
  toBeLessThan(want) { return this.settle(this.value < want, `is less than ${want}`); }
  toBeLessThanOrEqual(want) { return this.settle(this.value <= want, `is less or equal to ${want}`); }
  toBeBetween(from, to) { return this.settle(this.value >= from && this.value <= to, `is between ${from} - ${to}`); }
  toBeTruthy() { return this.settle(!!this.value, 'is truthy'); }
  toBeFalsy() { return this.settle(!this.value, 'is falsy'); }
  toInclude(part) { return this.settle(this.value.includes(part), `includes ${shown(part)}`); }
  toContain(part) { return this.toInclude(part); }

  toHaveValidJson() {
    let ok = true;
    try {
      this.value.json();
    } catch (e) {
      ok = false;
    }
    return this.settle(ok, 'has valid json');
  }

  toMatchAPISchema() { throw new Error('toMatchAPISchema() needs ajv, which assay does not carry'); }
}

export function describe(name, fn) {
  let ok = true;
  group(name, () => {
    try {
      fn({ expect: (value) => new Chain(value) });
    } catch (e) {
      ok = false;
      if (!(e instanceof Failed)) {
        console.error(`Exception raised in ${name}: ${e}`);
        check(null, { [`Exception raised: ${e}`]: false });
      }
    }
  });
  return ok;
}

export default { describe };
