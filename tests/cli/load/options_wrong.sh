try() {
	printf 'export const options = %s;\nexport default function () {}\n' "$1" > script.js
	"$ASSAY" load -q --no-summary script.js
	echo $?
}
try "{ vus: 'two' }"
try "{ duration: '500ms' }"
try "{ iterations: 1, stages: [{ duration: '1s', target: 1 }] }"
try "{ scenarios: { a: { executor: 'constant-vus', vus: 1, durration: '1s' } } }"
try "{ scenarios: { a: { executor: 'constant-arrival-rate', rate: 1, duration: '1s' } } }"
try "{ scenarios: { a: { executor: 'ramping-vu', stages: [] } } }"
