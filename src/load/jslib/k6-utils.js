// k6-utils: random values, text between marks, stages of a normal distribution, tags by stage.
import { check as plainCheck } from 'k6';
import exec from 'k6/execution';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export function randomIntBetween(min, max) {
  return Math.floor(Math.random() * (max - min + 1) + min);
}

export function randomItem(list) {
  return list[Math.floor(Math.random() * list.length)];
}

export function randomString(length, charset = LETTERS) {
  let text = '';
  for (let i = 0; i < length; i++) text += charset[Math.floor(Math.random() * charset.length)];
  return text;
}

// RFC 9562, version 4.
export function uuidv4() {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (c) => {
    const digit = Math.floor(Math.random() * 16);
    return (c === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}

// What stands between two marks; with `repeat` a list of all such places.
export function findBetween(content, left, right, repeat = false) {
  const found = [];
  for (let at = 0; ;) {
    const begin = content.indexOf(left, at);
    const end = begin < 0 ? -1 : content.indexOf(right, begin + left.length);
    if (end < 0) return repeat ? found : '';
    const text = content.slice(begin + left.length, end);
    if (!repeat) return text;
    found.push(text);
    at = end + right.length;
  }
}

// Stages whose targets follow a bell, with 0 at both ends.
export function normalDistributionStages(maxVus, durationSeconds, numberOfStages = 10) {
  const density = (x) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
  const peak = density(0);
  const length = Math.ceil(durationSeconds / (numberOfStages + 2));
  const stages = [{ duration: `${length}s`, target: 0 }];
  for (let i = 0; i < numberOfStages; i++) {
    const x = -2 + (4 * i) / Math.max(numberOfStages - 1, 1);
    stages.push({ duration: `${length}s`, target: Math.ceil((maxVus * density(x)) / peak) });
  }
  stages.push({ duration: `${length}s`, target: 0 });
  return stages;
}

const UNITS = { d: 86400000, h: 3600000, m: 60000, s: 1000, ms: 1, us: 0.001, ns: 0.000001 };

// "1d5h31m20s7ms" in milliseconds.
export function parseDuration(text) {
  if (text === undefined || text === null || text.length < 1) throw new Error('str is empty');
  if (typeof text === 'number' || /^\d+(\.\d+)?$/.test(text)) return Number(text);
  let sum = 0;
  let rest = text;
  while (rest) {
    const part = /^(\d+(?:\.\d+)?)(ms|us|ns|d|h|m|s)/.exec(rest);
    if (!part) throw new Error(`${rest[0]} is an unsupported time unit`);
    sum += Number(part[1]) * UNITS[part[2]];
    rest = rest.slice(part[0].length);
  }
  return sum;
}

function currentStages() {
  const scenario = exec.test.options.scenarios[exec.scenario.name];
  if (!scenario || !scenario.stages) {
    throw new Error('only ramping-vus and ramping-arrival-rate scenarios have stages');
  }
  return scenario.stages;
}

export function getCurrentStageIndex() {
  const stages = currentStages();
  const elapsed = Date.now() - exec.scenario.startTime;
  let end = 0;
  for (let i = 0; i < stages.length; i++) {
    end += parseDuration(stages[i].duration);
    if (elapsed < end) return i;
  }
  return stages.length - 1;
}

export function tagWithCurrentStageIndex() {
  exec.vu.metrics.tags.stage = String(getCurrentStageIndex());
}

export function tagWithCurrentStageProfile() {
  const stages = currentStages();
  const i = getCurrentStageIndex();
  const before = i > 0 ? stages[i - 1].target : 0;
  let profile = 'steady';
  if (stages[i].target > before) profile = 'ramp-up';
  if (stages[i].target < before) profile = 'ramp-down';
  exec.vu.metrics.tags.stage_profile = profile;
}

function isPromise(v) {
  return v !== null && typeof v === 'object' && typeof v.then === 'function';
}

// The check of k6 for promises too; what it gives is one when any of them was.
export function check(value, checks, tags) {
  if (isPromise(value)) return value.then((v) => check(v, checks, tags));
  const waiting = {};
  const settled = {};
  for (const [name, test] of Object.entries(checks)) {
    const result = typeof test === 'function' ? test(value) : test;
    (isPromise(result) ? waiting : settled)[name] = result;
  }
  const ok = Object.keys(settled).length ? plainCheck(value, settled, tags) : true;
  const names = Object.keys(waiting);
  if (!names.length) return ok;
  return Promise.all(names.map((n) => waiting[n])).then((results) => {
    const late = Object.fromEntries(names.map((n, i) => [n, results[i]]));
    return plainCheck(value, late, tags) && ok;
  });
}
