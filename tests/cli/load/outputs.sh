# Several outputs at once; what each lost is printed and kept; k6's other outputs are refused by name.
cat > script.js <<'EOF'
import { Counter } from 'k6/metrics';
const hits = new Counter('hits');
export const options = { iterations: 2, tags: { run: 'x,y', 'a b': '1' }, systemTags: ['scenario', 'group', 'vu'] };
export default function () { hits.add(1.5, { zone: 'é' }); }
EOF
load() { "$ASSAY" load -q --no-summary "$@" script.js 2>&1 | sed 's/^time="[^"]*" //'; }
lines() { grep hits | sed 's/,[12][0-9]*,/,NOW,/'; }
K6_CSV_TIME_FORMAT=unix_nano load -o csv=out.csv --out json=out.json --out csv=- | lines
lines <out.csv
head -1 out.csv
grep -c hits out.json
K6_OUT='csv=out2.csv.gz, json=out3.json' load
gzip -dc out2.csv.gz | lines
grep -c hits out3.json

load --out json=/dev/full --out json=out.json --json result.json |
	sed 's/[0-9]* samples/N samples/; s/failed: .*/failed: .../'
jq -c '.outputs[] | [.output, .samples_lost > 5, .because]' result.json

load --out jsonn=x
load --out statsd
K6_OUT=json=a,kafka load
load --out csv=timeFormat=iso
load --out json=/no/such/folder/x
