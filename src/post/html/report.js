"use strict";
// Data come as base64 of little-endian numbers in the element #data; nothing is fetched.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const failures = [];
window.addEventListener("error", (event) => { failures.push(event.message); report(); });

/* ---------- numbers ---------- */
const PREFIX = [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9], ["p", 1e-12]];
function scaled(unit, size) {
  if (!["s", "m", "J", "N", "Pa", "W", "m/s", "N m", "J/m^3"].includes(unit) || !(size > 0)) return [1, unit === "1" ? "" : unit];
  const most = ["s", "m", "m/s"].includes(unit) ? 1 : 1e9;
  const [name, power] = PREFIX.find(([, p]) => p <= most && size >= 0.999 * p) || ["", 1];
  return [1 / power, name + unit];
}
function short(x) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  return x === 0 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(3).replace(/\.?0+e/, "e") : String(+x.toPrecision(5));
}
function ticks(low, high, wanted) {
  // a constant, but for rounding, gets room on both sides
  if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) { const room = Math.abs(low) * 0.5 || 1; low -= room; high += room; }
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((f) => f * power >= rough * (1 - 1e-9));
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) out.push(+(k * step).toPrecision(12));
  return out;
}

/* ---------- charts ---------- */
let now = 0; // time shown by the animation
const charts = [];
class Chart {
  constructor(spec) {
    this.spec = spec;
    this.hidden = spec.series.map(() => false);
    const box = document.createElement("div");
    box.className = "chart";
    box.innerHTML = "<b></b><canvas></canvas><div class=legend></div>";
    box.querySelector("b").textContent = spec.title;
    this.canvas = box.querySelector("canvas");
    this.legend = box.querySelector(".legend");
    spec.series.forEach((s, k) => {
      const item = document.createElement("span");
      const line = document.createElement("i");
      line.style.background = s.colour;
      item.append(line, s.label || spec.title);
      item.onclick = () => { this.hidden[k] = !this.hidden[k]; item.classList.toggle("off"); this.draw(); };
      this.legend.append(item);
    });
    const xs = spec.series.flatMap((s) => [s.x[0], s.x[s.x.length - 1]]).filter(Number.isFinite);
    this.full = [Math.min(...xs), Math.max(...xs)];
    this.view = this.full.slice();
    this.mouse = null;
    this.canvas.onpointermove = (e) => { this.mouse = this.at(e); if (this.from !== undefined) this.to = this.mouse; this.draw(); };
    this.canvas.onpointerleave = () => { this.mouse = null; this.from = undefined; this.draw(); };
    this.canvas.onpointerdown = (e) => { this.from = this.at(e); };
    this.canvas.onpointerup = (e) => {
      const a = Math.min(this.from, this.at(e)), b = Math.max(this.from, this.at(e));
      this.from = undefined;
      if (b - a > 0.01 * (this.view[1] - this.view[0])) this.view = [a, b]; else seek(b);
      this.draw();
    };
    this.canvas.ondblclick = () => { this.view = this.full.slice(); this.draw(); };
    $("charts").append(box);
  }
  at(event) {
    const r = this.canvas.getBoundingClientRect(), [l, , w] = this.frame(r.width, r.height);
    return this.view[0] + Math.min(1, Math.max(0, (event.clientX - r.left - l) / w)) * (this.view[1] - this.view[0]);
  }
  frame(width, height) { return [72, 10, width - 84, height - 50]; }
  draw() {
    const { canvas, spec } = this, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 560, height = canvas.clientHeight || 290;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.fillStyle = "#fff"; g.fillRect(0, 0, width, height);
    const [left, top, w, h] = this.frame(width, height), [x0, x1] = this.view;
    let low = Infinity, high = -Infinity;
    spec.series.forEach((s, k) => { if (!this.hidden[k]) for (let i = 0; i < s.x.length; i++) {
      const y = s.y[i];
      if (s.x[i] >= x0 && s.x[i] <= x1 && y !== null && Number.isFinite(y) && (!spec.log || y > 0)) { low = Math.min(low, y); high = Math.max(high, y); } } });
    if (!(low <= high)) [low, high] = [0, 1];
    const f = spec.log ? (y) => Math.log10(y) : (y) => y;
    let marks = spec.log ? [] : ticks(low, high, 5);
    if (spec.log) {
      const a = Math.floor(Math.log10(low)), b = Math.max(a + 1, Math.ceil(Math.log10(high))), stride = Math.ceil((b - a) / 6);
      for (let k = a; k <= b; k += stride) marks.push(10 ** k);
      low = 10 ** a; high = 10 ** b;
    } else { const step = marks[1] - marks[0] || 1; low = marks[0] - low > 1e-3 * step ? marks[0] - step : marks[0]; high = high - marks[marks.length - 1] > 1e-3 * step ? marks[marks.length - 1] + step : marks[marks.length - 1]; marks = ticks(low, high, 5); if (high === low) { high += 1; low -= 1; } }
    const [ky, uy] = spec.log ? [1, ""] : scaled(spec.y[1], Math.max(Math.abs(low), Math.abs(high)));
    const [kx, ux] = scaled(spec.x[1], Math.max(Math.abs(this.full[0]), Math.abs(this.full[1])));
    const X = (x) => left + w * (x - x0) / (x1 - x0), Y = (y) => top + h - h * (f(y) - f(low)) / (f(high) - f(low));
    g.font = "12px system-ui, Arial, sans-serif"; g.lineWidth = 1; g.fillStyle = "#667";
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const y of marks) {
      g.strokeStyle = y === 0 ? "#9a9a9a" : "#e6e8ea";
      g.beginPath(); g.moveTo(left, Y(y)); g.lineTo(left + w, Y(y)); g.stroke();
      g.fillText(spec.log ? "1e" + Math.round(Math.log10(y)) : short(y * ky), left - 6, Y(y));
    }
    g.textAlign = "center"; g.textBaseline = "top";
    for (const x of ticks(x0 * kx, x1 * kx, 6)) g.fillText(short(x), X(x / kx), top + h + 6);
    g.fillText(spec.x[0] + (ux ? " [" + ux + "]" : ""), left + w / 2, top + h + 24);
    g.save(); g.translate(11, top + h / 2); g.rotate(-Math.PI / 2); g.textBaseline = "middle";
    g.fillText(spec.y[0] + (uy ? " [" + uy + "]" : ""), 0, 0); g.restore();
    g.save(); g.beginPath(); g.rect(left, top - 2, w, h + 4); g.clip();
    spec.series.forEach((s, k) => {
      if (this.hidden[k]) return;
      g.strokeStyle = s.colour; g.lineWidth = 1.7; g.setLineDash([[], [7, 4], [2, 3], [9, 3, 2, 3]][s.dash % 4]);
      g.beginPath();
      let pen = false;
      for (let i = 0; i < s.x.length; i++) {
        const y = s.y[i], seen = y !== null && Number.isFinite(y) && (!spec.log || y > 0);
        if (seen) pen ? g.lineTo(X(s.x[i]), Y(y)) : g.moveTo(X(s.x[i]), Y(y));
        pen = seen;
      }
      g.stroke();
    });
    g.setLineDash([]);
    if (spec.x[1] === "s") { g.strokeStyle = "#d55e00"; g.lineWidth = 1; g.beginPath(); g.moveTo(X(now), top); g.lineTo(X(now), top + h); g.stroke(); }
    if (this.from !== undefined && this.to !== undefined) { g.fillStyle = "rgba(0,114,178,0.12)"; g.fillRect(X(this.from), top, X(this.to) - X(this.from), h); }
    g.restore();
    if (this.mouse !== null) this.tip(g, X, kx, ux, ky, uy, left, top, w, h);
  }
  tip(g, X, kx, ux, ky, uy, left, top, w, h) {
    const lines = [short(this.mouse * kx) + " " + ux];
    this.spec.series.forEach((s, k) => {
      if (this.hidden[k]) return;
      let a = 0, b = s.x.length - 1;
      while (b - a > 1) { const m = (a + b) >> 1; s.x[m] <= this.mouse ? a = m : b = m; }
      const i = this.mouse - s.x[a] < s.x[b] - this.mouse ? a : b;
      lines.push((s.label || this.spec.title) + ": " + (s.y[i] === null ? "–" : short(s.y[i] * ky) + " " + uy));
    });
    g.strokeStyle = "#888"; g.beginPath(); g.moveTo(X(this.mouse), top); g.lineTo(X(this.mouse), top + h); g.stroke();
    g.textAlign = "left"; g.textBaseline = "top";
    const width = Math.max(...lines.map((l) => g.measureText(l).width)) + 12;
    const x = X(this.mouse) + width + 10 > left + w ? X(this.mouse) - width - 8 : X(this.mouse) + 8;
    g.fillStyle = "rgba(255,255,255,0.93)"; g.fillRect(x, top + 4, width, 16 * lines.length + 8);
    g.strokeRect(x, top + 4, width, 16 * lines.length + 8);
    g.fillStyle = "#222";
    lines.forEach((l, k) => g.fillText(l, x + 6, top + 9 + 16 * k));
  }
}

/* ---------- the deforming mesh ---------- */
const MAP = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
function colour(t) {
  const s = Math.min(1, Math.max(0, t)) * (MAP.length - 1), k = Math.min(MAP.length - 2, Math.floor(s)), f = s - k;
  return MAP[k].map((c, i) => Math.round(c + f * (MAP[k + 1][i] - c)));
}
const scene = { run: 0, frame: 0, playing: false, zoom: 1, pan: [0, 0], turn: [0.6, 0.5] };
function load(run) {
  if (run.points) return run;
  run.points = new Float32Array(bytes(run.points64));
  run.faces = new Int32Array(bytes(run.faces64));
  for (const f of run.fields) f.values = new Uint16Array(bytes(f.values64));
  run.starts = []; // faces are stored as: part, cell, count, points...
  for (let k = 0; k < run.faces.length; k += 3 + run.faces[k + 2]) run.starts.push(k);
  let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const body = new Uint8Array(run.count);
  for (const s of run.starts) if (run.parts[run.faces[s]].kind !== "obstacle") for (let c = 0; c < run.faces[s + 2]; c++) body[run.faces[s + 3 + c]] = 1;
  for (let i = 0; i < run.points.length / 3; i++) if (body[i % run.count]) for (let a = 0; a < 3; a++) {
    low[a] = Math.min(low[a], run.points[3 * i + a]); high[a] = Math.max(high[a], run.points[3 * i + a]);
  }
  run.middle = low.map((l, a) => 0.5 * (l + high[a]));
  run.size = Math.hypot(...low.map((l, a) => high[a] - l)) || 1;
  run.box = [low, high];
  return run;
}
function fieldRange(field, run, whole) {
  if (whole) return [field.low, field.high];
  let low = 65535, high = 0;
  for (let i = scene.frame * field.count; i < (scene.frame + 1) * field.count; i++) { const v = field.values[i]; if (v !== 65535) { low = Math.min(low, v); high = Math.max(high, v); } }
  return low > high ? [0, 0] : [low, high].map((q) => field.low + (field.high - field.low) * q / 65534);
}
function drawScene() {
  const run = load(data.runs[scene.run]), canvas = $("scene"), ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth || 1200, height = canvas.clientHeight || 560;
  canvas.width = width * ratio; canvas.height = height * ratio;
  const g = canvas.getContext("2d");
  g.scale(ratio, ratio);
  g.fillStyle = "#fff"; g.fillRect(0, 0, width, height);
  const [az, el] = scene.turn, ca = Math.cos(az), sa = Math.sin(az), ce = Math.cos(el), se = Math.sin(el);
  const scale = scene.zoom * (run.solid ? 0.8 * Math.min(width, height) / run.size
    : 0.86 * Math.min(width / (run.box[1][0] - run.box[0][0] || 1), height / (run.box[1][1] - run.box[0][1] || 1)));
  const offset = scene.frame * run.count * 3, amplify = +$("amplify").value;
  const px = new Float32Array(run.count), py = new Float32Array(run.count), pz = new Float32Array(run.count);
  for (let i = 0; i < run.count; i++) {
    const p = [0, 1, 2].map((a) => { const at = run.points[offset + 3 * i + a]; return amplify === 1 ? at : run.points[3 * i + a] + amplify * (at - run.points[3 * i + a]); });
    const x = p[0] - run.middle[0], y = p[1] - run.middle[1], z = p[2] - run.middle[2];
    if (run.solid) { // z upwards; turned about it, then tilted
      const u = ca * x + sa * y, v = -sa * x + ca * y;
      px[i] = width / 2 + scene.pan[0] + scale * u; py[i] = height / 2 + scene.pan[1] - scale * (ce * z + se * v); pz[i] = ce * v - se * z;
    } else { px[i] = width / 2 + scene.pan[0] + scale * x; py[i] = height / 2 + scene.pan[1] - scale * y; }
  }
  const field = run.fields[$("field").selectedIndex - 1], lines = $("lines").checked;
  const [low, high] = field ? fieldRange(field, run, $("whole").checked) : [0, 1];
  // far faces first; those of obstacles, which may be large, count as far as their farthest corner, so that none lies over a body on it
  const order = run.starts.map((s) => {
    const n = run.faces[s + 2], obstacle = run.parts[run.faces[s]].kind === "obstacle";
    if (!run.solid) return [obstacle ? 1 : 0, s];
    let sum = 0, far = -Infinity;
    for (let c = 0; c < n; c++) { const z = pz[run.faces[s + 3 + c]]; sum += z; far = Math.max(far, z); }
    return [obstacle ? far : sum / n, s];
  });
  order.sort((a, b) => b[0] - a[0]);
  for (const [, s] of order) {
    const part = run.parts[run.faces[s]], n = run.faces[s + 2];
    if (part.kind === "obstacle" && !$("obstacles").checked) continue;
    g.beginPath();
    for (let c = 0; c < n; c++) { const i = run.faces[s + 3 + c]; c ? g.lineTo(px[i], py[i]) : g.moveTo(px[i], py[i]); }
    if (n > 2) g.closePath();
    let shade = 1;
    if (run.solid && n > 2) {
      const [a, b, c] = [0, 1, 2].map((k) => run.faces[s + 3 + k]);
      const e = [px[b] - px[a], py[b] - py[a], scale * (pz[b] - pz[a])], f = [px[c] - px[a], py[c] - py[a], scale * (pz[c] - pz[a])];
      const m = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
      shade = 0.6 + 0.4 * Math.abs(m[2]) / (Math.hypot(...m) || 1);
    }
    if (part.kind === "obstacle") {
      g.fillStyle = run.solid ? "rgba(190,184,172,0.35)" : "#e4e0d8"; g.strokeStyle = "#b9b2a6"; g.lineWidth = n > 2 ? 0.6 : 2.5;
      if (n > 2) g.fill();
      g.stroke();
      continue;
    }
    let rgb = [205, 222, 236];
    if (field && (part.kind === "body" || field.at === "points" && ["displacement", "velocity"].includes(field.name))) {
      let sum = 0, seen = 0;
      const value = (i) => { const q = field.values[scene.frame * field.count + i]; if (q !== 65535) { sum += field.low + (field.high - field.low) * q / 65534; seen++; } };
      if (field.at === "cells") value(run.faces[s + 1]); else for (let c = 0; c < n; c++) value(run.faces[s + 3 + c]);
      if (seen) rgb = colour(high > low ? (sum / seen - low) / (high - low) : 0);
    }
    g.fillStyle = "rgb(" + rgb.map((c) => Math.round(c * shade)) + ")";
    g.fill();
    // a rigid body has no mesh, only an outline
    g.strokeStyle = lines && part.kind === "body" ? "rgba(0,0,0,0.35)" : part.kind === "body" ? g.fillStyle : "#7d8894"; g.lineWidth = lines ? 0.5 : 0.7; g.stroke();
  }
  if (field) {
    const [k, unit] = scaled(field.unit, Math.max(Math.abs(low), Math.abs(high)));
    for (let i = 0; i < 200; i++) { g.fillStyle = "rgb(" + colour(i / 199) + ")"; g.fillRect(16 + i, height - 44, 1.5, 12); }
    g.fillStyle = "#222"; g.font = "12px system-ui, Arial, sans-serif"; g.textBaseline = "top";
    g.textAlign = "left"; g.fillText(short(low * k), 16, height - 28);
    g.textAlign = "right"; g.fillText(short(high * k), 216, height - 28);
    g.textAlign = "center"; g.fillText(field.name + (unit ? " [" + unit + "]" : ""), 116, height - 60);
  }
  const [kt, ut] = scaled("s", run.times[run.times.length - 1]);
  $("clock").textContent = "t = " + short(run.times[scene.frame] * kt) + " " + ut;
}
function show(frame) {
  const run = data.runs[scene.run];
  scene.frame = Math.min(run.times.length - 1, Math.max(0, frame));
  $("slider").value = scene.frame;
  now = run.times[scene.frame];
  drawScene();
  for (const chart of charts) chart.draw();
}
function seek(time) {
  const times = data.runs[scene.run].times;
  let best = 0;
  times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(times[best] - time)) best = k; });
  show(best);
}
function choose(index) {
  scene.run = index;
  const run = load(data.runs[index]), field = $("field"), before = field.value;
  field.replaceChildren(...["no field", ...run.fields.map((f) => f.name)].map((name) => new Option(name)));
  const known = (name) => run.fields.findIndex((f) => f.name === name) + 1;
  field.selectedIndex = known(before) || known("von_mises") || (run.fields.length ? 1 : 0);
  $("slider").max = run.times.length - 1;
  scene.zoom = 1; scene.pan = [0, 0];
  show(fullest(run.fields[field.selectedIndex - 1]));
}
/* The frame with the largest value of a field: what a report opens with. */
function fullest(field) {
  let best = 0, high = -1;
  if (field) field.values.forEach((v, i) => { if (v !== 65535 && v > high) { high = v; best = Math.floor(i / field.count); } });
  return best;
}
let last = 0;
function play(stamp) {
  if (!scene.playing) return;
  const run = data.runs[scene.run], pause = 6000 / run.times.length / +$("speed").value;
  if (stamp - last > pause) { last = stamp; show(scene.frame + 1 >= run.times.length ? 0 : scene.frame + 1); }
  requestAnimationFrame(play);
}
function setUp() {
  if (!data.runs.length) $("animation").remove();
  else {
    $("run").replaceChildren(...data.runs.map((r) => new Option(r.name)));
    if (data.runs.length < 2) $("run").parentElement.remove(); else $("run").onchange = () => choose($("run").selectedIndex);
    $("play").onclick = () => { scene.playing = !scene.playing; $("play").textContent = scene.playing ? "Pause" : "Play"; requestAnimationFrame(play); };
    $("slider").oninput = () => show(+$("slider").value);
    for (const id of ["field", "lines", "whole", "obstacles", "amplify"]) $(id).oninput = drawScene;
    const canvas = $("scene");
    let from = null;
    canvas.onpointerdown = (e) => { from = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
    canvas.onpointerup = () => { from = null; };
    canvas.onpointermove = (e) => {
      if (!from) return;
      const d = [e.clientX - from[0], e.clientY - from[1]];
      from = [e.clientX, e.clientY];
      if (data.runs[scene.run].solid && !e.shiftKey) { scene.turn[0] -= 0.008 * d[0]; scene.turn[1] = Math.min(1.57, Math.max(-1.57, scene.turn[1] + 0.008 * d[1])); }
      else { scene.pan[0] += d[0]; scene.pan[1] += d[1]; }
      drawScene();
    };
    canvas.onwheel = (e) => { e.preventDefault(); scene.zoom *= Math.exp(-0.0015 * e.deltaY); drawScene(); };
    canvas.ondblclick = () => { scene.zoom = 1; scene.pan = [0, 0]; scene.turn = [0.6, 0.5]; drawScene(); };
  }
  for (const spec of data.charts) charts.push(new Chart(spec));
  if (data.runs.length) choose(0); else charts.forEach((c) => c.draw());
  window.onresize = () => { if (data.runs.length) drawScene(); charts.forEach((c) => c.draw()); };
}
/* Called with #check in the address: goes through all fields and the first, middle and last frames, and counts the colours it sees. */
function check() {
  const seen = [];
  data.runs.forEach((run, r) => {
    choose(r);
    for (let f = 0; f <= run.fields.length; f++) {
      $("field").selectedIndex = f;
      for (const k of [0, run.times.length >> 1, run.times.length - 1]) show(k);
      const canvas = $("scene"), pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
      seen.push($("field").value + ":" + colours.size);
    }
  });
  const drawn = charts.filter((c) => {
    const p = c.canvas.getContext("2d").getImageData(0, 0, c.canvas.width, c.canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < p.length; i += 4) colours.add((p[i] << 16) | (p[i + 1] << 8) | p[i + 2]);
    return colours.size > 8;
  }).length;
  return "fields=" + seen.join(",") + " drawn=" + drawn;
}
function report(extra) {
  $("status").textContent = failures.length ? "failed: " + failures.join("; ")
    : "ready charts=" + charts.length + " runs=" + data.runs.length + " frames=" + data.runs.map((r) => r.times.length)
      + " faces=" + data.runs.map((r) => (r.starts || []).length) + (extra ? " " + extra : "");
}
try { setUp(); report(location.hash === "#check" ? check() : ""); } catch (error) { failures.push(String(error.stack || error)); report(); }
