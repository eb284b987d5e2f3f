export const options = { iterations: 1 };

export function setup() {
  throw new Error('setup broke');
}

export default function () {
  console.log('must not run');
}

export function teardown() {
  console.log('must not run either');
}
