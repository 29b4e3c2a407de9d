import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { Backoff } = await load("service/backoff.ts");
const { parseRoute } = await load("router.ts");
const { makeAxis, tickText, extent } = await load("plot/scale.ts");
const { svgFile } = await load("plot/figure.ts");
const { layout, toPixelX, fromPixelX } = await load("plot/layout.ts");
const { seriesGroups } = await load("plot/series_groups.ts");
const { asSceneOf, withChanges } = await load("compose/variant.ts");
const { traces } = await load("plot/trace.ts");
const { scalarColour, paletteIndex, PALETTE_SIZE } = await load("colour.ts");
const { BufferCache } = await load("recording/frames.ts");
const { FieldRange, classCounts } = await load("view/fields/field_range.ts");
const { Player } = await load("player.ts");
const { prettyJson } = await load("compose/json_editor.ts");

test("waiting times double up to the bound, are spread over their upper half, and start over after success", () => {
  const most = new Backoff(100, 1000, () => 1);
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(() => most.next()), [100, 200, 400, 800, 1000, 1000]);
  most.reset();
  assert.equal(most.next(), 100);
  assert.equal(new Backoff(100, 1000, () => 0).next(), 50);
});

test("addresses lead to pages and nonsense leads nowhere", () => {
  assert.deepEqual(parseRoute(""), { page: "jobs" });
  assert.deepEqual(parseRoute("#/jobs/3"), { page: "job", id: 3 });
  assert.deepEqual(parseRoute("#/jobs/3/edit"), { page: "rerun", id: 3, as: { method: "", changes: "" } });
  assert.deepEqual(parseRoute("#/jobs/3/edit?changes=9%2Fa%2Fb.json&method=m"), { page: "rerun", id: 3, as: { method: "m", changes: "9/a/b.json" } });
  assert.deepEqual(parseRoute("#/new/a%20b"), { page: "compose", gallery: "a b" });
  for (const lost of ["#/jobs/0", "#/jobs/-1", "#/jobs/3/x", "#/new/%", "#/else"]) assert.deepEqual(parseRoute(lost), { page: "lost" });
});

test("axes have round ticks inside their range, for flat and tiny data too", () => {
  assert.deepEqual(makeAxis(0, 41, 5, true), { low: 0, high: 50, ticks: [0, 10, 20, 30, 40, 50] });
  assert.deepEqual(makeAxis(-0.1, 0.9, 5, false).ticks, [0, 0.2, 0.4, 0.6000000000000001, 0.8]);
  const flat = makeAxis(3, 3, 4, true);
  assert.ok(flat.low < 3 && flat.high > 3 && flat.ticks.length > 1);
  assert.equal(tickText(0.6000000000000001, 0.2), "0.6");
  assert.equal(extent([NaN, Infinity]), null);
});

test("a line breaks where values are missing, and a million samples become few points", () => {
  const plot = (x, y) => ({ x: Float64Array.from(x), y: Float64Array.from(y), xLabel: "x", yLabel: "<y>", xUnit: "m", yUnit: "N", label: "own", others: [] });
  const broken = plot([0, 1, 2, 3], [0, 1, NaN, 3]);
  assert.equal(traces(layout(broken, 400, 300, null), broken).length, 2);
  const long = plot(Array.from({ length: 1e6 }, (_, i) => i), Array.from({ length: 1e6 }, () => 1));
  const at = layout(long, 400, 300, null);
  assert.ok(traces(at, long)[0].samples.length < 2000);
  assert.ok(Math.abs(fromPixelX(at, toPixelX(at, 123456)) - 123456) < 1e-3);
  assert.match(svgFile(broken, "a & b", null), /<title>a &amp; b<\/title>[^]*&lt;y&gt; \(N\)/);
});

test("the colour map gets lighter all the way, and classes keep to the palette", () => {
  const light = Array.from({ length: 50 }, (_, i) => scalarColour(i / 49)).map(([r, g, b]) => 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2);
  for (let i = 1; i < light.length; i++) assert.ok(light[i] > light[i - 1], `step ${i}`);
  for (const value of [0, 1, 2, 100, 4294967295]) assert.ok(paletteIndex(value) < PALETTE_SIZE && (value === 0) === (paletteIndex(value) === 0));
});

test("the frame cache drops what was used longest ago", () => {
  const cache = new BufferCache(100);
  for (const key of [1, 2]) cache.put(key, new ArrayBuffer(50));
  cache.get(1);
  cache.put(3, new ArrayBuffer(50));
  assert.deepEqual([1, 2, 3].map((key) => cache.get(key) !== undefined), [true, false, true]);
  cache.put(4, new ArrayBuffer(500));
  assert.ok(cache.get(4)); /* a frame larger than the cache is still shown */
});

test("the colour range follows the frame, the run so far, or the user", () => {
  const range = new FieldRange();
  range.observe({ low: 0, high: 5 });
  range.observe({ low: 1, high: 2 });
  assert.deepEqual(range.current, { low: 0, high: 5 });
  range.mode = "frame";
  assert.deepEqual(range.current, { low: 1, high: 2 });
  assert.deepEqual(classCounts({ data: Uint32Array.from([7, 0, 7, 9]) }, 2), { classes: [{ value: 7, count: 2 }, { value: 0, count: 1 }], total: 3 });
});

test("scenes are written so that they read back the same", () => {
  const scene = { a: [1, 2, 3], b: [{ c: null }], d: {}, e: [], f: "\"x\"" };
  assert.deepEqual(JSON.parse(prettyJson(scene)), scene);
  assert.match(prettyJson(scene), /"a": \[1, 2, 3\]/);
});

test("steps asked for while a frame is on its way add up", async () => {
  const marks = [...Array(10).keys()].map((k) => ({ seq: 10 * k + 1, time: k }));
  const waiting = [];
  const frames = { marks, indexOf: (seq) => marks.findIndex((mark) => mark.seq === seq), prefetch: () => undefined, load: (seq) => new Promise((done) => waiting.push(() => done({ seq, time: 0, blocks: [] }))) };
  const player = new Player(frames, (frame, drawn) => drawn(), () => false);
  player.seek(2);
  for (let k = 0; k < 3; k++) player.step(1);
  waiting.forEach((done) => done());
  await new Promise((done) => setTimeout(done, 0));
  assert.equal(player.index, 5);
  player.step(-1);
  waiting.forEach((done) => done());
  await new Promise((done) => setTimeout(done, 0));
  assert.equal(player.index, 4);
});

test("a field is flat while all values seen were the same", () => {
  const range = new FieldRange();
  assert.equal(range.flat, false);
  range.observe({ low: 0, high: 0 });
  assert.equal(range.flat, true);
  range.observe({ low: 0, high: 0.5 });
  range.observe({ low: 0, high: 0 });
  assert.equal(range.flat, false);
});

test("many curves are offered by what they measure, each once and under its own number; few stay one list", () => {
  const few = [{ label: "Time", unit: "s" }, { label: "Force", unit: "N" }];
  assert.deepEqual(seriesGroups(few), [{ title: "", members: [{ index: 0, label: "Time" }, { index: 1, label: "Force" }] }]);
  const many = Array.from({ length: 13 }, (_, k) => ({ label: `c${k}`, unit: ["s", "N", "furlong^2"][k % 3] }));
  const groups = seriesGroups(many);
  assert.deepEqual(groups.map(({ title }) => title), ["Time", "Forces", "furlong²"]);
  assert.deepEqual(groups.map(({ members }) => members.map(({ index }) => index)), [[0, 3, 6, 9, 12], [1, 4, 7, 10], [2, 5, 8, 11]]);
  assert.equal(groups[1].members[2].label, "c7");
});

test("a scene as one of an analysis keeps the options that method knows and loses what is of the motion", () => {
  const scene = { scree: 1, method: "fem", options: { element: "b-bar", impact: "mass" }, time: { duration: 2, time_step: 0.1 }, output: { plots: [{ x: "time", y: "z" }] }, materials: [] };
  const task = asSceneOf(scene, { name: "coarsening", title: "", options: [{ name: "element" }] });
  assert.deepEqual(task, { scree: 1, method: "coarsening", options: { element: "b-bar" }, time: { duration: 1 }, output: {}, materials: [] });
  assert.equal(scene.method, "fem");
});

test("the changes of a file set members of a scene, and nothing else they say is done", () => {
  const scene = { materials: [{ young_modulus: 1 }], specimens: [{}] };
  const patch = [{ op: "add", path: "/materials/0/young_modulus", value: 2 }, { op: "add", path: "/specimens/0/divisions", value: [5, 1, 1] }, { op: "remove", path: "/materials" }, "nonsense"];
  assert.deepEqual(withChanges(scene, patch), { materials: [{ young_modulus: 2 }], specimens: [{ divisions: [5, 1, 1] }] });
  assert.deepEqual(withChanges(scene, { not: "a list" }), scene);
});
