// k6chaijs: chai's assertions as k6 checks. Each assertion is a check of the name that chai would put
// into its message; one that fails ends the describe() around it, and the iteration goes on.
import chai from 'https://jslib.k6.io/assay-chai/index.js';
import { check, group } from 'k6';
import exec from 'k6/execution';

chai.config.truncateThreshold = 40;
chai.config.aggregateChecks = true;
chai.config.logFailures = false;
chai.config.exitOnError = false;

// "expected 200 to equal 200" is a name that changes with every value; without values it does not.
function nameOf(assertion, args) {
  if (!chai.config.aggregateChecks) return chai.util.getMessage(assertion, args);
  const negate = chai.util.flag(assertion, 'negate');
  const template = negate ? args[2] : args[1];
  const about = chai.util.flag(assertion, 'message');
  const text = typeof template === 'function' ? template() : template || '';
  const inspect = (v) => chai.util.objDisplay(v);
  return text
    .replace(/expected #\{this\}/, `expected ${about || '#{this}'}`)
    .replace(/#\{this\}/g, () => (about ? about : '${this}'))
    .replace(/#\{act\}/g, '${actual}')
    .replace(/#\{exp\}/g, () => inspect(args[3]));
}

chai.Assertion.prototype.assert = function assert(...args) {
  const ok = chai.util.test(this, args);
  const name = nameOf(this, args);
  check(null, { [name]: ok });
  if (ok) return;
  throw new chai.AssertionError(chai.util.getMessage(this, args), {
    actual: chai.util.getActual(this, args), expected: args[3],
  });
};

chai.use((lib, utils) => {
  lib.Assertion.addMethod('validJsonBody', function validJsonBody() {
    let ok = true;
    try {
      utils.flag(this, 'object').json();
    } catch (e) {
      ok = false;
    }
    this.assert(ok, 'expected #{this} to have valid json body',
      'expected #{this} not to have valid json body');
  });
});

function handle(name, error) {
  if (!(error instanceof chai.AssertionError)) {
    console.error(`Exception raised in ${name}: ${error}\n${error && error.stack ? error.stack : ''}`);
    check(null, { [`Exception raised: ${error}`]: false });
    if (chai.config.exitOnError) exec.test.abort();
    return;
  }
  if (chai.config.logFailures) console.warn(`${name}: ${error.message}`);
  if (chai.config.exitOnError) exec.test.abort(error.message);
}

export function describe(name, fn) {
  let ok = true;
  group(name, () => {
    try {
      fn();
    } catch (error) {
      ok = false;
      handle(name, error);
    }
  });
  return ok;
}

export const { expect } = chai;
chai.describe = describe;
export { chai };
export default chai;
