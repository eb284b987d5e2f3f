# k6's JSON lines: a metric before its first point; tags, and vu and iter as metadata.
cat > script.js <<'END'
import { Counter } from 'k6/metrics';
const hits = new Counter('hits');
export const options = {
  iterations: 2,
  tags: { run: 'x"y' },
  systemTags: ['scenario', 'vu', 'iter'],
  thresholds: { hits: ['count>1', 'rate>0'] },
};
export default function () { hits.add(1.5, { zone: 'é' }); }
END
"$ASSAY" load -q --no-summary --out json=out.json script.js
grep '"hits"' out.json | sed 's/"time":"20[0-9-]*T[0-9:]*\.[0-9]*\(Z\|[+-][0-9:]*\)"/"time":"NOW"/'
