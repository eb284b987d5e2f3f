# The environment lies over the script's options and under the flags.
cat > script.js <<'END'
import { Counter } from 'k6/metrics';
const hits = new Counter('hits');
export const options = { vus: 1, duration: '1m', thresholds: { hits: ['count==4'] } };
export default function () { hits.add(1); }
END
K6_VUS=2 K6_ITERATIONS=4 K6_NO_SUMMARY=true K6_OUT=json=lines K6_SUMMARY_EXPORT=summary \
	"$ASSAY" load -q script.js
echo "environment over script: $?"
grep -c '^{"metric":"hits","type":"Point"' lines
grep -c '"root_group"' summary
K6_VUS=2 K6_ITERATIONS=4 "$ASSAY" load -q --no-summary -i 3 script.js
echo "flag over environment: $?"
K6_OUT=kafka "$ASSAY" load -q script.js
echo "an output assay does not have: $?"
