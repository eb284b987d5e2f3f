// The flame graph of export_html.c. Its data: names, and of each node its caller, name, and weight
// with all below it, on one side or on two (what it is compared with first).
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const graph = document.getElementById("graph");
  const about = document.getElementById("about");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const ROW = 20;
  const LEAST_PIXELS = 1;
  const LEAST_TEXT = 24;
  const count = data.caller.length;
  const two = data.total.length > 1;
  let side = data.total.length - 1; // whose weights are the widths
  let root = 0; // what is zoomed into
  let matches = new Uint8Array(count);
  let pattern = "";
  let current = 0; // the frame that has the keyboard
  let shown = new Map(); // node -> element

  const children = Array.from({ length: count }, () => []);
  const depth = new Uint32Array(count);
  for (let i = 1; i < count; i++) {
    children[data.caller[i]].push(i);
    depth[i] = depth[data.caller[i]] + 1;
  }

  const weight = (node, of) => data.inc[of][node];
  const share = (node, of) => (data.total[of] ? weight(node, of) / data.total[of] : 0);
  const name = (node) => (node ? data.names[data.name[node]] : "all");
  const percent = (x) => (100 * x).toFixed(2) + " %";
  const amount = (x) => (x >= 100 ? x.toFixed(0) : x.toPrecision(3)) + " " + data.unit;

  function order() {
    for (const list of children) list.sort((a, b) => weight(b, side) - weight(a, side) || a - b);
  }

  // How a node changed, in points of the share; the widest change is the deepest colour.
  const change = (node) => (two ? share(node, 1) - share(node, 0) : 0);
  let greatest = 1e-9;
  for (let i = 1; i < count; i++) greatest = Math.max(greatest, Math.abs(change(i)));

  function colour(node) {
    if (two) {
      const by = change(node) / greatest;
      const hue = by > 0 ? "var(--more)" : "var(--less)";
      return "hsl(" + hue + " " + Math.round(85 * Math.sqrt(Math.abs(by))) + "% var(--light))";
    }
    // frames of one module have one colour
    const text = name(node).split("!")[0];
    let hash = 7;
    for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
    return "hsl(" + ((hash % 60) * 6) + " 65% var(--light))";
  }

  function changed(node) {
    if (!two) return "";
    const by = change(node);
    const sign = by > 0 ? "+" : by < 0 ? "\u2212" : "\u00b1";
    return sign + (100 * Math.abs(by)).toFixed(2) + " points";
  }

  function describe(node) {
    let text = name(node) + " \u2014 " + percent(share(node, side)) + ", " + amount(weight(node, side));
    if (two) text += "; " + percent(share(node, 0)) + " before, " + percent(share(node, 1)) + " now, " + changed(node);
    return text;
  }

  function brief(node) {
    const text = name(node).replace(/^[^!]*!/, "").replace(/\(.*\)/, "()");
    const by = change(node);
    if (!two || Math.abs(by) < 0.0005) return text;
    return (by > 0 ? "\u25b2 " : "\u25bc ") + text;
  }

  function element(node) {
    let e = shown.get(node);
    if (e) return e;
    e = document.createElement("div");
    e.setAttribute("role", "treeitem");
    e.tabIndex = -1;
    e.dataset.node = node;
    e.title = describe(node);
    e.setAttribute("aria-label", describe(node));
    e.setAttribute("aria-level", depth[node] + 1);
    e.style.background = colour(node);
    return e;
  }

  // Draws what lies in the zoomed part and is wide enough, in the order of the tree; and the callers of
  // that part above it, as wide as all.
  function draw() {
    const wide = graph.clientWidth || 800;
    const all = weight(root, side) || 1;
    const next = new Map();
    let deepest = depth[root];
    const put = (node, left, width) => {
      const e = element(node);
      e.style.left = (100 * left) + "%";
      e.style.width = (100 * width) + "%";
      e.style.top = depth[node] * ROW + "px";
      const thin = width * wide < LEAST_TEXT;
      e.classList.toggle("thin", thin);
      e.classList.toggle("above", depth[node] < depth[root]);
      e.classList.toggle("found", matches[node] === 1);
      e.textContent = thin ? "" : brief(node);
      e.tabIndex = node === current ? 0 : -1;
      next.set(node, e);
      deepest = Math.max(deepest, depth[node]);
    };
    const above = [];
    for (let up = root; up; ) above.push((up = data.caller[up]));
    for (const node of above.reverse()) put(node, 0, 1);
    const todo = [[root, 0]];
    while (todo.length) {
      const [node, left] = todo.pop();
      const width = weight(node, side) / all;
      if (node !== root && width * wide < LEAST_PIXELS) continue;
      put(node, left, width);
      let at = left;
      const below = [];
      for (const child of children[node]) {
        below.push([child, at]);
        at += weight(child, side) / all;
      }
      todo.push(...below.reverse());
    }
    shown = next;
    graph.replaceChildren(...next.values());
    graph.style.height = (deepest + 1) * ROW + "px";
    if (!shown.has(current)) setCurrent(root, false);
  }

  function setCurrent(node, focus) {
    const before = shown.get(current);
    if (before) before.tabIndex = -1;
    current = node;
    const e = shown.get(node);
    if (e) {
      e.tabIndex = 0;
      if (focus) e.focus();
    }
    about.textContent = describe(node);
  }

  function zoom(node, focus) {
    root = node;
    draw();
    setCurrent(node, focus);
    document.getElementById("reset").disabled = !root;
  }

  // Stacks that go through a match, each once.
  function find(text) {
    pattern = text;
    matches = new Uint8Array(count);
    let test = null;
    if (text) {
      try {
        const re = new RegExp(text, "i");
        test = (s) => re.test(s);
      } catch {
        test = (s) => s.toLowerCase().includes(text.toLowerCase());
      }
    }
    const hit = test && data.names.map(test);
    const inside = new Uint8Array(count);
    let sum = 0;
    let frames = 0;
    for (let i = 1; i < count; i++) {
      matches[i] = hit && hit[data.name[i]] ? 1 : 0;
      frames += matches[i];
      inside[i] = inside[data.caller[i]] || matches[i];
      if (matches[i] && !inside[data.caller[i]]) sum += weight(i, side);
    }
    found.textContent = test ? frames + " frames, " + percent(data.total[side] ? sum / data.total[side] : 0) + " of all" : "";
    for (const row of document.querySelectorAll("#names tbody tr")) {
      row.hidden = test ? !test(row.lastElementChild.textContent) : false;
    }
    draw();
  }

  const siblings = (node) => children[data.caller[node]].filter((x) => shown.has(x));
  function step(node, by) {
    if (!node) return node;
    const list = siblings(node);
    return list[list.indexOf(node) + by] ?? node;
  }
  function nextMatch(by) {
    const list = [...shown.keys()].filter((x) => matches[x]).sort((a, b) => a - b);
    if (!list.length) return;
    const after = by > 0 ? list.find((x) => x > current) : list.findLast((x) => x < current);
    setCurrent(after ?? (by > 0 ? list[0] : list[list.length - 1]), true);
  }

  const keys = {
    ArrowUp: () => setCurrent(data.caller[current], true),
    ArrowDown: () => setCurrent(children[current].find((x) => shown.has(x)) ?? current, true),
    ArrowLeft: () => setCurrent(step(current, -1), true),
    ArrowRight: () => setCurrent(step(current, 1), true),
    Home: () => setCurrent(root, true),
    Enter: () => zoom(current, true),
    " ": () => zoom(current, true),
    Escape: () => zoom(0, true),
    Backspace: () => zoom(data.caller[root], true),
    n: () => nextMatch(1),
    N: () => nextMatch(-1),
  };
  graph.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== search) {
      e.preventDefault();
      search.focus();
    }
  });
  const nodeOf = (e) => (e.target.dataset.node === undefined ? -1 : Number(e.target.dataset.node));
  graph.addEventListener("click", (e) => nodeOf(e) >= 0 && zoom(nodeOf(e), true));
  graph.addEventListener("mouseover", (e) => {
    if (nodeOf(e) >= 0) about.textContent = describe(nodeOf(e));
  });
  graph.addEventListener("mouseleave", () => (about.textContent = describe(current)));
  graph.addEventListener("focusin", (e) => nodeOf(e) >= 0 && nodeOf(e) !== current && setCurrent(nodeOf(e), false));
  search.addEventListener("input", () => find(search.value));
  search.addEventListener("keydown", (e) => {
    if (e.key === "Enter") nextMatch(1);
    if (e.key === "Escape") find((search.value = ""));
  });
  document.getElementById("reset").addEventListener("click", () => zoom(0, false));
  const sides = document.getElementById("sides");
  if (two) {
    sides.hidden = false;
    sides.addEventListener("click", () => {
      side = 1 - side;
      shown = new Map(); // what frames say of themselves changes
      sides.textContent = side ? "Widths: now" : "Widths: before";
      order();
      zoom(0, false);
      find(pattern);
    });
  }
  window.addEventListener("resize", draw);

  document.getElementById("flame").hidden = false;
  order();
  zoom(0, false);
  find("");
})();
