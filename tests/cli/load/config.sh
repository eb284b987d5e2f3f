# The config file lies below the script; a higher tier that says how long discards what it says of that.
cat > config.json <<'END'
{ "vus": 2, "iterations": 6, "thresholds": { "iterations": ["count==6"] } }
END
echo 'export default function () {}' > plain.js
echo 'export const options = { iterations: 3 }; export default function () {}' > own.js
"$ASSAY" load -q --no-summary --config config.json plain.js
echo "config file alone: $?"
"$ASSAY" load -q --no-summary -c config.json own.js
echo "script over config file: $?"
echo '{ "vus": }' > broken.json
"$ASSAY" load -q --no-summary -c broken.json plain.js
echo "broken: $?"
"$ASSAY" load -q --summary-mode loud plain.js
echo "a mode that is not there: $?"
