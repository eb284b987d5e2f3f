# k6's old form: values beside each other, true = the threshold failed.
cat > script.js <<'END'
import { check, group } from 'k6';
import { Rate, Trend } from 'k6/metrics';
const good = new Rate('good'), size = new Trend('size');
export const options = {
  iterations: 4,
  thresholds: { good: ['rate>0.9'], 'size{kind:odd}': ['max==30', 'p(90)<1'] },
};
export default function () {
  good.add(__ITER % 2);
  size.add(__ITER * 10, { kind: __ITER % 2 ? 'odd' : 'even' });
  group('a', () => check(__ITER, { odd: (n) => n % 2 === 1 }));
}
END
"$ASSAY" load -q --no-summary --summary-export out.json --summary-trend-stats 'avg,p(50),count' script.js
echo $?
tr -d ' \n' < out.json | grep -o '"root_group.*"metrics"'
echo
for metric in good size 'size{kind:odd}'; do
	tr -d ' \n' < out.json | grep -o "\"$metric\":{[^}]*}"
done
