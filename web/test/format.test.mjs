import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const f = await load("format.ts");
const plain = (text) => text.replace(/\u202f/g, " ");

test("quantities carry the SI prefix that keeps one to three digits before the point", () => {
  const cases = [[2.4e-5, "s", "24 µs"], [0.001, "m", "1 mm"], [1.25e-4, "m", "125 µm"], [2e9, "Pa", "2 GPa"], [-0.0412, "N", "−41.2 mN"], [0, "s", "0 s"], [999.9999, "m", "1 km"], [1e-30, "s", "1×10⁻⁶ ys"]];
  for (const [value, unit, text] of cases) assert.equal(plain(f.quantity(value, unit)), text);
});

test("units that take no prefix keep their power of ten", () => {
  assert.equal(plain(f.quantity(1200, "kg/m^3", 4)), "1 200 kg/m³");
  assert.equal(plain(f.quantity(2e-8, "m^2")), "2×10⁻⁸ m²");
  assert.equal(plain(f.quantity(0.5, "1")), "0.5");
});

test("what is not known is a dash", () => {
  for (const text of [f.quantity(null, "N"), f.quantity(NaN, "N"), f.duration(null), f.count(undefined), f.bytes(Infinity)]) assert.equal(text, "–");
});

test("durations name their two largest parts", () => {
  const cases = [[4.21, "4.2 s"], [9.96, "10 s"], [59.6, "1 min"], [192, "3 min 12 s"], [3900, "1 h 5 min"], [86400 * 2 + 3 * 3600, "2 d 3 h"]];
  for (const [seconds, text] of cases) assert.equal(plain(f.duration(seconds)), text);
});

test("bytes and counts are grouped", () => {
  assert.equal(plain(f.bytes(9.1e6)), "9.1 MB");
  assert.equal(plain(f.count(55516)), "55 516");
});

test("a moment is told relative to now, and tolerates a clock that runs ahead", () => {
  const now = Date.parse("2026-01-31T12:00:00.000Z");
  assert.equal(f.moment("2026-01-31T12:00:30.000Z", now), "just now");
  assert.equal(plain(f.moment("2026-01-31T11:55:00.000Z", now)), "5 min ago");
  assert.equal(f.moment(null, now), "–");
});

test("the parts of a list are named in the singular", () => {
  for (const [many, one] of [["Vertices", "Vertex"], ["Specimens", "Specimen"], ["Bodies", "Body"], ["Masses", "Mass"], ["Indices", "Index"], ["Values", "Value"], ["Faces", "Face"], ["Shapes", "Shape"], ["Stress", "Stress"], ["Data", "Data"]]) assert.equal(f.singular(many), one);
});
