cat > script.js <<'END'
export const options = { thresholds: { http_req_duratoin: ['p(95)<500'] } };
export default function () { throw new Error('must not run'); }
END
"$ASSAY" load -q script.js
