// What is read off curves, how runs that are compared are told apart, and logarithmic axes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { firstContact, productUnit, quotientUnit, readoutsOf, scaledUnit } = await load("plot/readouts.ts");
const { differencesOf, differenceText, differenceValue } = await load("plot/differences.ts");
const { layout, tickLabels, toPixelX, toPixelY, fromPixelY } = await load("plot/layout.ts");
const { traces } = await load("plot/trace.ts");
const { loadPlot } = await load("plot/load_plot.ts");

const near = (a, b, share = 1e-9) => assert.ok(Math.abs(a - b) <= share * Math.max(1, Math.abs(b)), `${a} is not ${b}`);
const line = (count, f) => ({ x: Float64Array.from({ length: count }, (_, i) => i / (count - 1)), y: Float64Array.from({ length: count }, (_, i) => f(i / (count - 1))) });

test("integral, slope, difference, mean and peak of a sine are those of analysis", () => {
  const { x, y } = line(20001, (t) => 3 * Math.sin(Math.PI * t));
  const all = readoutsOf(x, y, null);
  near(all.integral, 6 / Math.PI, 1e-7);
  near(all.slope, 0, 1e-9);
  near(all.mean, 6 / Math.PI, 1e-3);
  assert.deepEqual([all.peak.x, all.peak.y], [0.5, 3]);
  const part = readoutsOf(x, y, [0, 0.25]);
  near(part.integral, (3 / Math.PI) * (1 - Math.SQRT1_2), 1e-7);
  near(part.difference.y, 3 * Math.SQRT1_2, 1e-9);
  const straight = line(11, (t) => 5 - 8 * t);
  near(readoutsOf(straight.x, straight.y, null).slope, -8);
  near(readoutsOf(straight.x, straight.y, [0.2, 0.6]).difference.y, -3.2);
});

test("a loop's integral is what it encloses, gaps add nothing, and too few samples say nothing", () => {
  const loop = readoutsOf(Float64Array.from([0, 2, 2, 0]), Float64Array.from([0, 4, 1, 0]), null);
  near(loop.integral, 4 - 1);
  near(readoutsOf(Float64Array.from([0, 1, 2, 3]), Float64Array.from([2, 2, NaN, 7]), null).integral, 2);
  assert.equal(readoutsOf(Float64Array.from([1]), Float64Array.from([1]), null), null);
});

test("units of products and quotients are those that people use", () => {
  assert.equal(productUnit("N", "m"), "J");
  assert.equal(productUnit("1", "s"), "s");
  assert.equal(quotientUnit("N", "m"), "N/m");
  assert.equal(quotientUnit("J", "N m"), "J/(N m)");
  assert.equal(quotientUnit("Pa", "1"), "Pa");
});

test("a scaled plot has the unit that its numbers are in, not the curve's", () => {
  assert.deepEqual(scaledUnit("Turn", "rad", 57.29578), { label: "Turn", unit: "°" });
  assert.deepEqual(scaledUnit("Force", "N", 0.0025), { label: "Force × 0.0025/N", unit: "1" });
  assert.deepEqual(scaledUnit("Force", "N", 0.0025, "1"), { label: "Force", unit: "1" });
  assert.deepEqual(scaledUnit("Turn", "rad", -57.3, "deg"), { label: "Turn", unit: "°" });
  assert.deepEqual(scaledUnit("Force", "N", 1), { label: "Force", unit: "N" });
  assert.deepEqual(scaledUnit("Force", "N", -1), { label: "−Force", unit: "N" });
});

test("first contact is where a hundredth of the largest value is reached", () => {
  const { x, y } = line(1001, (t) => (t < 0.3 ? 1e-6 : -500 * (t - 0.3)));
  near(firstContact(x, y), 0.307, 1e-6);
  assert.ok(Number.isNaN(firstContact(x, new Float64Array(1001))));
});

test("runs are told apart by what differs between their scenes, not by what they are called", () => {
  const scene = (title, spacing, walls) => ({ title, name: title, specimens: [{ name: "a", spacing, shape: { radius: 1 } }], rig: { walls } });
  const found = differencesOf([scene("one", 2e-3, { z_max: 1 }), scene("two", 1e-3, { z_max: 1 }), scene("three", 1e-3, {})]);
  assert.deepEqual(found.map(({ pointer }) => pointer), ["/specimens/0/spacing", "/rig/walls/z_max"]);
  assert.equal(differenceText(found, 1, 3), "spacing 0.001, z max 1");
  assert.equal(differenceText(found, 2, 1), "spacing 0.001, …");
  assert.deepEqual(["0.0028000000000000004", "box", ""].map(differenceValue), ["0.0028", "box", "–"]);
  assert.deepEqual(differencesOf([scene("one", 1, {}), scene("two", 1, {})]), []);
});

test("on logarithmic axes a power law is a straight line, powers of ten are ticks, and what is not above zero is left out", () => {
  const x = Float64Array.from({ length: 100 }, (_, i) => 0.01 * 1.1 ** i);
  const y = x.map((value) => 7 * value ** 1.5);
  const data = { label: "", x, y, xLabel: "x", yLabel: "y", xUnit: "1", yUnit: "1", others: [], logarithmic: { x: true, y: true } };
  const at = layout(data, 500, 400, null);
  const slope = (i, j) => (toPixelY(at, y[j]) - toPixelY(at, y[i])) / (toPixelX(at, x[j]) - toPixelX(at, x[i]));
  near(slope(0, 50), slope(50, 99), 1e-9);
  near(fromPixelY(at, toPixelY(at, 3)), 3, 1e-9);
  assert.deepEqual(tickLabels(at.x), ["0.01", "1", "100"]);
  const broken = { ...data, y: y.map((value, i) => (i === 40 ? -1 : value)) };
  assert.equal(traces(layout(broken, 500, 400, null), broken).length, 2);
});

test("between platens force over displacement comes first, unless something of the kind was declared", () => {
  const series = ["time", "platen.top.force_z", "platen.top.displacement", "largest_displacement"].map((name) => ({ name, unit: "1", label: name }));
  assert.equal(loadPlot({ series, plots: [{ x: "time", y: "largest_displacement" }] }).y, "platen.top.force_z");
  assert.equal(loadPlot({ series, plots: [] }).x, "platen.top.displacement");
  assert.equal(loadPlot({ series, plots: [{ x: "platen.top.displacement", y: "platen.top.force_z" }] }), null);
  assert.equal(loadPlot({ series: series.slice(0, 2), plots: [] }), null);
});
