// k6-reporter: one HTML page from the data of handleSummary().
import { humanizeValue } from 'https://jslib.k6.io/k6-summary/0.1.0/index.js';

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function checksOf(group, path, rows) {
  const where = group.name ? `${path}${path ? ' / ' : ''}${group.name}` : path;
  for (const c of group.checks || []) rows.push([where, c.name, c.passes, c.fails]);
  for (const g of group.groups || []) checksOf(g, where, rows);
  return rows;
}

function table(head, rows) {
  const cell = (tag) => (c) => `<${tag}>${escaped(c)}</${tag}>`;
  return `<table><thead><tr>${head.map(cell('th')).join('')}</tr></thead><tbody>` +
    `${rows.map((r) => `<tr${r.bad ? ' class="bad"' : ''}>${r.map(cell('td')).join('')}</tr>`).join('\n')}` +
    '</tbody></table>';
}

function row(cells, bad) {
  return Object.assign(cells, { bad });
}

export function htmlReport(data, options = {}) {
  const title = options.title || new Date().toISOString().slice(0, 16).replace('T', ' ');
  const names = Object.keys(data.metrics).sort();
  const trends = names.filter((n) => data.metrics[n].type === 'trend');
  const stats = trends.length ? Object.keys(data.metrics[trends[0]].values) : [];
  const text = (n, v) => (v === undefined ? '' : humanizeValue(v, data.metrics[n], ''));
  const failed = (n) => Object.values(data.metrics[n].thresholds || {}).some((t) => !t.ok);
  const thresholds = names.flatMap((n) => Object.entries(data.metrics[n].thresholds || {})
    .map(([expression, t]) => row([n, expression, t.ok ? 'met' : 'crossed'], !t.ok)));
  const others = names.filter((n) => data.metrics[n].type !== 'trend').map((n) => {
    const v = data.metrics[n].values;
    const main = v.count !== undefined ? v.count : v.rate !== undefined ? v.rate : v.value;
    const rate = data.metrics[n].type === 'counter' ? `${text(n, v.rate)}/s` : '';
    return row([n, data.metrics[n].type, text(n, main), rate], failed(n));
  });
  const checks = checksOf(data.root_group || {}, '', []).map((c) => row(c, c[3] > 0));
  const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}' +
    'table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.3rem .6rem;' +
    'border-bottom:1px solid #8884}tr.bad td{color:#c00;font-weight:600}' +
    '@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}tr.bad td{color:#ff8080}}';
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>K6 Load Test: ${escaped(title)}</title>` +
    `<style>${style}</style></head><body><h1>K6 Load Test: ${escaped(title)}</h1>` +
    `<p>${thresholds.filter((t) => t.bad).length} of ${thresholds.length} thresholds crossed, ` +
    `${checks.filter((c) => c.bad).length} of ${checks.length} checks with failures.</p>` +
    `<h2>Thresholds</h2>${table(['metric', 'threshold', 'outcome'], thresholds)}` +
    `<h2>Trends</h2>${table(['metric', ...stats], trends.map((n) => row([n, ...stats.map((s) => text(n, data.metrics[n].values[s]))], failed(n))))}` +
    `<h2>Counters, rates and gauges</h2>${table(['metric', 'type', 'value', 'rate'], others)}` +
    `<h2>Checks</h2>${table(['group', 'check', 'passed', 'failed'], checks)}</body></html>`;
}
