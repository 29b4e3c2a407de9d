// A study's table as columns: order, effects and correlation, against values by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { columnsOf, correlation, mainEffects, sorted } = await load("study/columns.ts");
const row = (number, factors, results) => ({ number, state: "succeeded", job: number, taken_over: false, version: 1, factors, results, reasons: {}, reason: null });
const columns = columnsOf({ name: "s", factors: { a: { unit: "m" }, b: {} }, results: { y: { expression: "max(x)", unit: "N" }, z: "steps" } });
const [, a, b, y] = columns;

test("columns are the row, the factors and the results, with their units", () => {
  assert.deepEqual(columns.map(({ name, unit, kind }) => [name, unit, kind]), [["row", "1", "row"], ["a", "m", "factor"], ["b", "1", "factor"], ["y", "N", "result"], ["z", "1", "result"]]);
  assert.equal(columnsOf({ name: "s", scenes: { p: {} }, factors: {} })[1].name, "scene");
});

test("rows are sorted by numbers or names, those without a value last either way", () => {
  const rows = [row(1, { a: 10, b: "x10" }, null), row(2, { a: 9, b: "x9" }, { y: 2 }), row(3, { a: 10, b: "x9" }, { y: 1 })];
  const order = (column, descending) => sorted(rows, column, descending).map(({ number }) => number);
  assert.deepEqual(order(a, false), [2, 1, 3]);
  assert.deepEqual(order(a, true), [1, 3, 2]);
  assert.deepEqual(order(b, false), [2, 3, 1]);
  assert.deepEqual(order(y, false), [3, 2, 1]);
  assert.deepEqual(order(y, true), [2, 3, 1]);
});

/* y = 10 a + b: total sum of squares 4 * 25 + 4 * 0.25 = 101, of a 100, of b 1. */
test("main effects share the variance as its analysis by hand does", () => {
  const rows = [row(1, { a: 1, b: 0 }, { y: 10 }), row(2, { a: 1, b: 1 }, { y: 11 }), row(3, { a: 2, b: 0 }, { y: 20 }), row(4, { a: 2, b: 1 }, { y: 21 })];
  const effects = mainEffects(rows, [b, a], y);
  assert.deepEqual(effects.map(({ factor }) => factor), ["a", "b"]);
  assert.ok(Math.abs(effects[0].share - 100 / 101) < 1e-12);
  assert.ok(Math.abs(effects[1].share - 1 / 101) < 1e-12);
  assert.deepEqual(effects[0].levels.map(({ label, mean, count }) => [label, mean, count]), [["1", 10.5, 2], ["2", 20.5, 2]]);
  assert.ok(Math.abs(effects[0].levels[0].deviation - Math.SQRT1_2) < 1e-12);
});

test("a factor with many values is cut into five parts with as many rows each", () => {
  const rows = Array.from({ length: 100 }, (_, k) => row(k + 1, { a: k, b: 1 }, { y: k < 50 ? 0 : 1 }));
  const [effect] = mainEffects(rows, [a], y);
  assert.deepEqual(effect.levels.map(({ count }) => count), [20, 20, 20, 20, 20]);
  assert.ok(effect.share > 0.7 && effect.share < 1);
});

test("correlation is Pearson's, and none where nothing varies", () => {
  const rows = [1, 2, 3, 4].map((k) => row(k, { a: k, b: 1 }, { y: [2, 1, 4, 3][k - 1] }));
  assert.ok(Math.abs(correlation(rows, a, y) - 0.6) < 1e-12);
  assert.ok(Number.isNaN(correlation(rows, b, y)));
  assert.ok(Number.isNaN(correlation(rows.slice(0, 2), a, y)));
});
