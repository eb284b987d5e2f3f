# A script from the standard input, and k6's word "run" before a script.
echo 'export const y = 2;' > beside.js
cat > script.js <<'JS'
import { y } from './beside.js';
const text = open('./beside.js');
export const options = { iterations: 2 };
export default function () { console.log(y, text.length, __ITER); if (__ITER) throw new Error('placed'); }
JS
"$ASSAY" load -q --no-summary --log-format raw - < script.js 2>&1
"$ASSAY" load run -q -i 1 --no-summary --log-format raw script.js 2>&1
"$ASSAY" load -i 1 run ./script.js other.js 2>&1
"$ASSAY" load walk script.js 2>&1
"$ASSAY" load run 2>&1
exit 0
