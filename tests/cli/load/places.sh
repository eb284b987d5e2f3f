# Where an error is: file, line and column, of imports too, which have no place of their own in the
# engine. And what is told of values that are no errors.
mkdir sub linked
echo 'export const there = 1;' > sub/there.js
printf '// absent, "./no.js"\nimport x from\n  "./no.js";\n' > sub/asks.js
printf "export const nope = 1;\nimport { there, nope as other } from './there.js';\n" > sub/names.js
printf "interface A {}\nimport { A, gone } from './sub/there.js';\nexport default function (): void {}\n" > typed.ts
printf "let a: number = 1;\n\n  let b: = 2;\n" > syntax.ts
echo 'import "./sub/asks.js"; export default () => {};' > file.js
echo 'import "./sub/names.js"; export default () => {};' > name.js
echo 'import _ from "lodash"; export default () => {};' > bare.js
echo 'import grpc from "k6/net/grpc"; export default () => {};' > refused.js
echo 'import("./no.js"); export default () => {};' > dynamic.js
echo 'export default () => { throw { code: 5 }; };' > object.js
echo 'export const handleSummary = () => ({ stdout: { a: 1 } }); export default () => {};' > summary.js
echo 'export const handleSummary = () => "text"; export default () => {};' > summary_text.js
echo 'import "./beside.js"; export default () => {};' > sub/main.js
echo 'console.log("beside the link");' > linked/beside.js
ln -s ../sub/main.js linked/main.js
for s in file.js name.js typed.ts syntax.ts bare.js refused.js dynamic.js object.js summary.js summary_text.js linked/main.js; do
	echo "$s"
	"$ASSAY" load -q --summary-mode disabled --log-format raw $s 2>&1 | sed "s|$PWD|DIR|g"
done
