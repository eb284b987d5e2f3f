// k6-summary: the end-of-test summary as text and as JUnit XML, from the data of handleSummary().

const COLOURS = { bold: 1, faint: 2, red: 31, green: 32, cyan: 36 };
const STEPS = { s: ['s', 0.001, 2], ms: ['ms', 1, 2], us: ['\u00b5s', 1000, 2] };

function painter(enabled) {
  return (text, ...names) => {
    if (!enabled || !names.length) return text;
    return `\u001b[${names.map((n) => COLOURS[n]).join(';')}m${text}\u001b[0m`;
  };
}

function trimmed(number, digits) {
  const text = number.toFixed(digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function bytes(n) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  let value = n;
  while (value >= 1000 && i < units.length - 1) {
    value /= 1000;
    i++;
  }
  return `${i ? value.toFixed(1 - (value >= 100)) : Math.round(value)} ${units[i]}`;
}

function time(ms, unit) {
  if (STEPS[unit]) {
    const [name, factor, digits] = STEPS[unit];
    return `${(ms * factor).toFixed(digits)}${name}`;
  }
  if (ms === 0) return '0s';
  if (ms < 0.001) return `${Math.trunc(ms * 1000000)}ns`;
  if (ms < 1) return `${trimmed(Math.trunc(ms * 100000) / 100, 2)}\u00b5s`;
  if (ms < 1000) return `${trimmed(Math.trunc(ms * 100) / 100, 2)}ms`;
  if (ms < 60000) return `${trimmed(Math.trunc(ms / 10) / 100, 2)}s`;
  const minutes = Math.floor(ms / 60000);
  const seconds = Math.floor((ms % 60000) / 1000);
  if (minutes < 60) return `${minutes}m${seconds}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}s`;
}

export function humanizeValue(value, metric, timeUnit) {
  if (metric.type === 'rate') return `${(Math.trunc(value * 10000) / 100).toFixed(2)}%`;
  if (metric.contains === 'data') return bytes(value);
  if (metric.contains === 'time') return time(value, timeUnit);
  return trimmed(value, 6);
}

function failedThreshold(metric) {
  return Object.values(metric.thresholds || {}).some((t) => !t.ok);
}

function mark(metric, paint) {
  if (!metric.thresholds || !Object.keys(metric.thresholds).length) return ' ';
  return failedThreshold(metric) ? paint('\u2717', 'red') : paint('\u2713', 'green');
}

function columns(metric, stats, unit) {
  const v = metric.values;
  const text = (n) => humanizeValue(n, metric, unit);
  switch (metric.type) {
    case 'counter':
      return [text(v.count), `${text(v.rate)}/s`];
    case 'gauge':
      return [text(v.value), `min=${text(v.min)}`, `max=${text(v.max)}`];
    case 'rate':
      return [text(v.rate), `\u2713 ${v.passes}`, `\u2717 ${v.fails}`];
    default:
      return stats.map((s) => `${s}=${s === 'count' ? v[s] : text(v[s])}`);
  }
}

function metricLines(data, options, paint) {
  const names = Object.keys(data.metrics).sort();
  const shown = (name) => (name.includes('{') ? `  { ${name.slice(name.indexOf('{') + 1, -1)} }` : name);
  const stats = (data.options && data.options.summaryTrendStats) ||
    ['avg', 'min', 'med', 'max', 'p(90)', 'p(95)'];
  const unit = (data.options && data.options.summaryTimeUnit) || '';
  const width = Math.max(0, ...names.map((n) => shown(n).length));
  const rows = names.map((n) => columns(data.metrics[n], stats, unit));
  const trends = rows.filter((_, i) => data.metrics[names[i]].type === 'trend');
  const widths = stats.map((_, k) => Math.max(0, ...trends.map((r) => r[k].length)));
  const rest = rows.filter((_, i) => data.metrics[names[i]].type !== 'trend');
  const first = Math.max(0, ...rest.map((r) => r[0].length));
  const second = Math.max(0, ...rest.map((r) => (r[1] || '').length));

  return names.map((name, i) => {
    const trend = data.metrics[name].type === 'trend';
    const cells = rows[i].map((c, k) => {
      if (trend) return c.padEnd(widths[k]);
      if (k === 0) return c.padEnd(first);
      return k === 1 ? c.padEnd(second) : c;
    });
    const dots = '.'.repeat(width - shown(name).length + 3);
    return `${options.indent}${mark(data.metrics[name], paint)} ${shown(name)}` +
      `${paint(`${dots}:`, 'faint')} ${paint(cells.join(' ').trimEnd(), 'cyan')}`;
  });
}

function groupLines(group, indent, paint, lines) {
  let inner = indent;
  if (group.name) {
    lines.push('', `${indent}\u2588 ${group.name}`, '');
    inner += '  ';
  }
  for (const check of group.checks || []) {
    if (!check.fails) {
      lines.push(paint(`${inner}\u2713 ${check.name}`, 'green'));
      continue;
    }
    const share = Math.floor((100 * check.passes) / (check.passes + check.fails));
    lines.push(paint(`${inner}\u2717 ${check.name}\n${inner} \u21b3  ${share}% \u2014 ` +
      `\u2713 ${check.passes} / \u2717 ${check.fails}`, 'red'));
  }
  for (const sub of group.groups || []) groupLines(sub, inner, paint, lines);
}

export function textSummary(data, options = {}) {
  const settled = { indent: ' ', enableColors: true, ...options };
  const paint = painter(settled.enableColors);
  const lines = [];

  if (data.root_group) groupLines(data.root_group, `${settled.indent}    `, paint, lines);
  lines.push('', ...metricLines(data, { indent: `${settled.indent}  ` }, paint));
  return lines.join('\n');
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// One test case a threshold.
export function jUnit(data, options = {}) {
  const cases = [];
  let failures = 0;
  for (const [name, metric] of Object.entries(data.metrics)) {
    for (const [expression, threshold] of Object.entries(metric.thresholds || {})) {
      const title = escaped(`${name} - ${expression}`);
      const where = options.classname ? ` classname="${escaped(options.classname)}"` : '';
      if (threshold.ok) {
        cases.push(`<testcase name="${title}"${where} />`);
        continue;
      }
      failures++;
      const values = escaped(JSON.stringify(metric.values));
      cases.push(`<testcase name="${title}"${where}><failure message="${values}" /></testcase>`);
    }
  }
  const name = escaped(options.name || 'k6 thresholds');
  return `<?xml version="1.0"?>\n<testsuites tests="${cases.length}" failures="${failures}">\n` +
    `<testsuite name="${name}" tests="${cases.length}" failures="${failures}">` +
    `${cases.join('\n')}\n</testsuite >\n</testsuites >`;
}
