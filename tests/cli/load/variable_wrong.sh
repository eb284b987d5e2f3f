echo 'export default function () {}' > script.js
K6_DURATION=soon "$ASSAY" load -q script.js
echo $?
K6_PAUSED=true "$ASSAY" load -q script.js
