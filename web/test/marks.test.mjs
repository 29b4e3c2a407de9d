import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { placeOf, stageAt, stagesOf } = await load("pages/marks.ts");
const { headlineText } = await load("format.ts");
const { rangeText } = await load("view/fields/field_table.ts");

const marks = [0, 1, 4, 10].map((time, i) => ({ seq: i + 3, time }));
const event = (time, kind, message, label = "") => ({ seq: time, time, kind, message, label });

test("a time has its place among frames that lie unevenly, between those before and after it", () => {
  assert.deepEqual([0, 1, 2.5, 4, 7, 10, 99, -1].map((time) => Number(placeOf(marks, time).toFixed(4))), [0, 0.3333, 0.5, 0.6667, 0.8333, 1, 1, 0]);
  assert.deepEqual([placeOf([], 1), placeOf([{ seq: 1, time: 0 }], 1)], [0, 0]);
});

test("a stage lasts until the next one is entered, the last one for good", () => {
  const events = [event(0, "stage", "The load is put on", "Loading"), event(1, "warning", "odd"), event(4, "stage", "Flight")];
  assert.deepEqual(stagesOf(events), [{ label: "Loading", from: 0, to: 4 }, { label: "Flight", from: 4, to: Infinity }]);
  assert.deepEqual([stageAt(events, 3.9), stageAt(events, 4), stageAt(events, 100), stageAt([], 1)], ["Loading", "Flight", "Flight", ""]);
});

test("headlines are shown with their units; whole numbers in full, others are not rounded to counts", () => {
  assert.deepEqual([{ unit: "Pa", value: 2.5e6 }, { unit: "1", value: 123456 }, { unit: "1", value: 0.25 }, { unit: "N", value: null }].map((one) => headlineText(one)), ["2.5\u202fMPa", "123\u202f456", "0.25", "–"]);
});

test("the range of a field is written with its unit, and once when all values are the same", () => {
  assert.deepEqual([rangeText({ low: -2e6, high: 3e6 }, "Pa"), rangeText({ low: 2, high: 2 }, "1"), rangeText(null, "m")], ["−2 … 3 MPa", "2 everywhere", "–"]);
});
