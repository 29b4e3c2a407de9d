import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { layout, tickLabels, toPixelX, toPixelY } = await load("plot/layout.ts");
const { traces, nearestSample } = await load("plot/trace.ts");
const { svgFile } = await load("plot/figure.ts");
const { quantity, scaleFor } = await load("format.ts");
const { paletteTable, PALETTE_SIZE } = await load("colour.ts");
const { FieldRange, runRange } = await load("view/fields/field_range.ts");
const { Pace, DETAILS } = await load("view/pace.ts");
const { comparedIn, comparingAddress } = await load("router.ts");
const { loadDraft, saveDraft, dropDraft } = await load("compose/draft.ts");

const plot = (x, y, rest = {}) => ({ label: "Job 1: own", x: Float64Array.from(x), y: Float64Array.from(y), xLabel: "x", yLabel: "y", xUnit: "m", yUnit: "N", others: [], ...rest });

test("a noisy curve of a million samples becomes a few thousand points, which keep every column's least and largest value", () => {
  const n = 1e6;
  let seed = 1;
  const noise = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
  const data = plot(Array.from({ length: n }, (_, i) => i), Array.from({ length: n }, noise));
  data.y[777777] = 5; // a peak of one sample
  data.y[222222] = -3;
  const at = layout(data, 800, 300, null);
  const begun = performance.now();
  const [line] = traces(at, data);
  assert.ok(performance.now() - begun < 2000);
  assert.ok(line.samples.length < 4 * 800, `${line.samples.length} points`);
  assert.ok(line.samples.includes(777777) && line.samples.includes(222222));
  assert.deepEqual([line.samples[0], line.samples.at(-1)], [0, n - 1]);
  assert.ok(line.samples.every((sample, i) => i === 0 || sample > line.samples[i - 1]));
  const [px, py] = [line.pixels[2 * line.samples.indexOf(777777)], line.pixels[2 * line.samples.indexOf(777777) + 1]];
  assert.equal(nearestSample([line], px + 1, py - 2, 40), 777777);
  assert.equal(nearestSample([line], px, at.bottom + 500, 40), -1);
});

test("a loop keeps both of its branches", () => {
  const half = Array.from({ length: 5000 }, (_, i) => i / 5000);
  const data = plot([...half, ...half.toReversed()], [...half.map((v) => v), ...half.toReversed().map((v) => v * v)]);
  const at = layout(data, 800, 300, null);
  const [line] = traces(at, data);
  const middle = [0.5, 0.25].map((y) => nearestSample([line], toPixelX(at, 0.5), toPixelY(at, y), 5));
  assert.ok(middle[0] >= 0 && middle[0] < 5000 && middle[1] >= 5000, middle.join());
});

test("a curve that hardly changes is drawn as one: its axis spans a thousandth of it at least, unless its zero is only a place or a zoom asks", () => {
  const of = (y, yUnit, window = null) => {
    const at = layout(plot([0, 1], y, { yUnit }), 800, 300, window);
    return { drawn: Math.abs(toPixelY(at, y[1]) - toPixelY(at, y[0])) / (at.bottom - at.top), middle: (toPixelY(at, y[0]) + toPixelY(at, y[1])) / 2, at };
  };
  const cradle = of([0.04905, 0.04905 * (1 - 2.4e-6)], "J");
  assert.ok(cradle.drawn < 0.003, `${cradle.drawn}`);
  assert.ok(cradle.middle > cradle.at.top && cradle.middle < cradle.at.bottom);
  assert.ok(new Set(tickLabels(cradle.at.y)).size === cradle.at.y.ticks.length, tickLabels(cradle.at.y).join(" "));
  for (const sign of [1, -1]) assert.ok(of([sign * 7e6, sign * 7.02e6], "Pa").drawn > 0.5); // 3e-3 of itself: as before
  assert.ok(of([-2e-9, 3e-9], "J").drawn > 0.5); // about zero: small, but all of itself
  assert.ok(of([12, 12.00001], "m").drawn > 0.5); // a place: 10 um are 10 um, 12 m from the origin or not
  assert.ok(of([0.04905, 0.04905 * (1 - 2.4e-6)], "J", { x: [0, 1], y: [0.0490498, 0.0490501] }).drawn > 0.3); // zoomed
});

test("numbers along the axes are short and keep clear of the axis title, however small or large the values are", () => {
  for (const [size, unit] of [[3e-9, "1"], [4e-7, "m^2"], [2.5e7, "1"], [1234567, "kg/m^3"], [0.004, "kg"], [7e-5, "J/m^2"], [12, "N"]]) {
    const data = plot([0, 1], [0, size], { yUnit: unit });
    const at = layout(data, 400, 268, null);
    const widest = Math.max(...tickLabels(at.y).map((text) => text.length)) * 6.6;
    assert.ok(at.left - 7 - widest >= 20, `${size} ${unit}: ${tickLabels(at.y).join(" ")} from ${at.left}`);
    assert.ok(widest < 60, `${size} ${unit}: ${tickLabels(at.y).join(" ")}`);
  }
  assert.match(layout(plot([0, 1], [0, 3e-9], { yUnit: "1", yLabel: "Damage" }), 400, 268, null).yTitle, /^Damage \(10⁻⁹\)$/);
  assert.match(layout(plot([0, 1], [0, 4e-7], { yUnit: "m^2", yLabel: "Area" }), 400, 268, null).yTitle, /^Area \(10⁻⁷\u202fm²\)$/);
});

test("long titles of axes stand in several lines, clear of the numbers, and short ones in one", () => {
  const [long, short] = ["Force of the upper platen on the specimens along the vertical axis, all contacts together", "Force"];
  const [many, one] = [long, short].map((label) => layout(plot([0, 1], [0, 12], { xLabel: label, yLabel: label, yUnit: "N" }), 400, 268, null));
  assert.deepEqual([one.xLines, one.yLines], [[one.xTitle], [one.yTitle]]);
  assert.ok(many.xLines.length > 1 && many.yLines.length > 1, JSON.stringify([many.xLines, many.yLines]));
  assert.equal(many.yLines.join(" "), many.yTitle);
  for (const line of many.yLines.slice(0, -1)) assert.ok(line.length * 6.6 <= many.bottom - many.top, line);
  assert.equal(one.bottom - many.bottom, 14 * (many.xLines.length - 1)); // room for each further line
  const widest = Math.max(...tickLabels(many.y).map((text) => text.length)) * 6.6;
  assert.ok(many.left - 7 - widest >= 20 + 14 * (many.yLines.length - 1), `${many.left}`);
});

test("masses below a kilogram are in grams, densities stay as they are", () => {
  assert.equal(quantity(0.0042, "kg"), "4.2\u202fg");
  assert.equal(quantity(3.1e-8, "kg"), "31\u202fµg");
  assert.equal(quantity(12, "kg"), "12\u202fkg");
  assert.equal(quantity(0.5, "kg*m/s"), "500\u202fg·m/s");
  assert.equal(scaleFor(0.002, "kg/m^3").unit, "kg/m³");
  assert.equal(scaleFor(0.002, "kg^2").unit, "kg²");
});

test("every curve has its entry in the legend, own first, and its own look", () => {
  const line = (label, k) => ({ label, x: Float64Array.from([0, 1]), y: Float64Array.from([0, k]) });
  const svg = svgFile(plot([0, 1], [0, 1], { others: [line("Job 2: second", 2), line("Job 3: <third>", 3)] }), "t", null);
  assert.match(svg, /class="legend"[^]*Job 1: own[^]*Job 2: second[^]*Job 3: &lt;third&gt;/);
  assert.equal(new Set([...svg.matchAll(/<polyline[^>]*stroke="(#\w+)"/g)].map((found) => found[1])).size, 3);
  assert.doesNotMatch(svgFile(plot([0, 1], [0, 1]), "t", null), /class="legend"/);
});

test("the palette of fragments does not repeat itself, and no fragment is too dark or too light to be seen", () => {
  const table = paletteTable();
  const colours = new Set();
  for (let i = 0; i < PALETTE_SIZE; i++) {
    const [r, g, b] = table.subarray(4 * i, 4 * i + 3);
    colours.add((r << 16) | (g << 8) | b);
    const light = 0.2126 * (r / 255) ** 2.2 + 0.7152 * (g / 255) ** 2.2 + 0.0722 * (b / 255) ** 2.2;
    assert.ok(light > 0.06 && light < 0.85, `colour ${i}: ${light}`);
  }
  assert.equal(colours.size, PALETTE_SIZE);
});

test("two browsers that have loaded different frames give one frame the same colours", () => {
  const frame = (low, high, soFarLow, soFarHigh) => ({ components: 1, data: new Uint16Array(2), low: [low, soFarLow, 0], high: [high, soFarHigh, 1] });
  const run = [frame(0, 1, 0, 1), frame(-2, 0, -2, 1), frame(0, 9, -2, 9), frame(0, 0, -2, 9)];
  const [early, late] = [new FieldRange(), new FieldRange()];
  const show = (range, array) => range.observe({ low: array.low[0], high: array.high[0] }, runRange(array));
  for (const array of run) show(early, array);
  show(early, run[1]); // scrubbed back
  show(late, run[1]); // came by a link
  assert.deepEqual(early.current, { low: -2, high: 1 });
  assert.deepEqual(late.current, early.current);
  assert.equal(runRange({ components: 1, data: new Uint16Array(2), low: [0, 0, 0], high: [1, 0, 0] }), null); // an older recording
});

test("the jobs compared are in the address, and nonsense there is passed over", () => {
  assert.deepEqual(comparedIn("#/jobs/5?with=3,4"), [3, 4]);
  assert.deepEqual(comparedIn("#/jobs/5?with=3,x,-1,0"), [3]);
  assert.deepEqual(comparedIn("#/jobs/5"), []);
  assert.equal(comparingAddress(5, [3, 4]), "#/jobs/5?with=3,4");
  assert.equal(comparingAddress(5, []), "#/jobs/5");
});

test("a moving view is drawn with less where pictures come slowly, with more where they come quickly, and in full at rest", () => {
  const pace = new Pace();
  let now = 0;
  const move = (between) => pace.moving((now += between));
  assert.equal(move(0), DETAILS[0]);
  for (let k = 0; k < 10; k++) move(300);
  assert.equal(pace.detail, DETAILS.at(-1));
  assert.ok(!pace.resting(now + 100) && pace.resting(now + 400));
  pace.stop();
  assert.equal(move(60000), DETAILS.at(-1)); // what it learnt stays, and a pause is not slowness
  for (let k = 0; k < 1000; k++) move(16);
  assert.equal(pace.detail, DETAILS[0]);
  for (let k = 0; k < 100; k++) move(50); // neither slow nor quick
  assert.equal(pace.detail, DETAILS[0]);
});

test("drafts are kept by address, the oldest go, and a browser without storage has none", () => {
  const held = new Map();
  const shelf = { getItem: (k) => held.get(k) ?? null, setItem: (k, v) => void held.set(k, v), removeItem: (k) => void held.delete(k), key: (i) => [...held.keys()][i] ?? null, get length() { return held.size; } };
  for (let i = 0; i < 30; i++) saveDraft(shelf, `#/new/${i}`, { scene: { i }, text: null, saved: 1000 + i });
  assert.equal(loadDraft(shelf, "#/new/3"), null);
  assert.deepEqual(loadDraft(shelf, "#/new/29"), { scene: { i: 29 }, text: null, saved: 1029 });
  dropDraft(shelf, "#/new/29");
  assert.equal(loadDraft(shelf, "#/new/29"), null);
  shelf.setItem("scree-draft:#/x", "{ broken");
  assert.equal(loadDraft(shelf, "#/x"), null);
  saveDraft(null, "#/x", { scene: {}, text: null, saved: 0 });
  assert.equal(loadDraft(null, "#/x"), null);
});
