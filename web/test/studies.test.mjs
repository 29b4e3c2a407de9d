// A study's table as columns: order and correlation, against values by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { columnsOf, correlation, sorted } = await load("study/columns.ts");
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

test("correlation is Pearson's, and none where nothing varies", () => {
  const rows = [1, 2, 3, 4].map((k) => row(k, { a: k, b: 1 }, { y: [2, 1, 4, 3][k - 1] }));
  assert.ok(Math.abs(correlation(rows, a, y) - 0.6) < 1e-12);
  assert.ok(Number.isNaN(correlation(rows, b, y)));
  assert.ok(Number.isNaN(correlation(rows.slice(0, 2), a, y)));
});
