# Each is refused before the load begins, with its place or what the metric has.
try() {
	printf 'export const options = { thresholds: %s };\nexport default function () {}\n' "$1" > script.js
	"$ASSAY" load -q script.js
	echo $?
}
try "{ iteration_duration: ['count>1'] }"
try "{ iteration_duration: ['p(95) ~ 5'] }"
try "{ iteration_duration: ['p(101)<5'] }"
try "{ 'iterations{scenario}': ['count>1'] }"
try "{ iterations: [{ threshold: 'count>1', abortOnFial: true }] }"
