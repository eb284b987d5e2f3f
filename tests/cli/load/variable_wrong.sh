echo 'export default function () {}' > script.js
K6_DURATION=soon "$ASSAY" load -q script.js
echo $?
K6_EXECUTION_SEGMENT=0:1/2 "$ASSAY" load -q script.js
