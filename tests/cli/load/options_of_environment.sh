# The environment lies over the script's options and under the flags.
cat > script.js <<'END'
import { Counter } from 'k6/metrics';
const hits = new Counter('hits');
export const options = { vus: 1, duration: '1m', thresholds: { hits: ['count==4'] } };
export default function () { hits.add(1); }
END
K6_VUS=2 K6_ITERATIONS=4 K6_OUT=json=x "$ASSAY" load -q --no-summary script.js
echo "environment over script: $?"
K6_VUS=2 K6_ITERATIONS=4 "$ASSAY" load -q --no-summary -i 3 script.js
echo "flag over environment: $?"
