// scripts that never yield are cut off at the end of the scenario
export const options = {
  scenarios: { s: { executor: 'constant-vus', vus: 2, duration: '1s', gracefulStop: '0s' } },
};

export default function () {
  for (;;);
}
