import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { Curves, movingAverage, sampleAt } = await load("recording/curves.ts");
const chunk = (firstSample, rows) => ({ firstSample, sampleCount: rows.length, seriesCount: rows[0].length, values: Float64Array.from(rows.flat()) });

test("chunks that come twice after a reconnection leave the curve as it was", () => {
  const curves = new Curves(2);
  assert.ok(curves.add(chunk(0, [[0, 10], [1, 11]])));
  assert.ok(curves.add(chunk(1, [[1, 11], [2, 12]])));
  assert.ok(curves.add(chunk(0, [[0, 10]])));
  assert.deepEqual([...curves.column(1)], [10, 11, 12]);
});

test("a chunk that would leave a gap, or has other series, is refused", () => {
  const curves = new Curves(2);
  assert.equal(curves.add(chunk(1, [[0, 0]])), false);
  assert.equal(curves.add(chunk(0, [[0, 0, 0]])), false);
  assert.equal(curves.length, 0);
});

test("columns keep every sample while they grow", () => {
  const curves = new Curves(1);
  for (let i = 0; i < 5000; i += 7) curves.add(chunk(i, Array.from({ length: 7 }, (_, k) => [i + k])));
  assert.ok(curves.column(0).every((value, i) => value === i));
});

test("a moving average looks back and is of what is there at the beginning", () => {
  assert.deepEqual([...movingAverage(Float64Array.from([2, 4, 6, 8]), 3)], [2, 3, 4, 6]);
  const same = Float64Array.from([1, 2]);
  assert.equal(movingAverage(same, 1), same);
});

test("the sample at a time is the last one not after it", () => {
  const times = Float64Array.from([0, 1, 2, 3]);
  assert.deepEqual([-1, 0, 0.5, 3, 9].map((t) => sampleAt(times, t)), [-1, 0, 0, 3, 3]);
});
