import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { grainElements, grainPlaces, grainValues, scattered, spreadAxes } = await load("recording/grains.ts");

const MANY = 8;
const HALF = 0.25;
const floats = (places) => ({ field: 0, components: 3, data: Float32Array.from(places.flat()), low: [0, 1, 2].map((axis) => Math.min(...places.map((place) => place[axis]))), high: [0, 1, 2].map((axis) => Math.max(...places.map((place) => place[axis]))) });
const numbers = (ids) => ({ field: 7, components: 1, data: Uint32Array.from(ids), low: [0, 0, 0], high: [0, 0, 0] });
const grain = (placed, point, k, axis) => placed.data[3 * (MANY * point + k) + axis];

test("grains go with their point by its number, wherever it stands in the list, and stay where they are beside it", () => {
  const before = grainPlaces(floats([[0, 0, 0], [1, 2, 3]]), numbers([5, 9]), MANY, HALF);
  const after = grainPlaces(floats([[2, 2, 2], [0.5, -1, 4]]), numbers([9, 5]), MANY, HALF); /* sorted anew, and moved */
  for (let k = 0; k < MANY; k++) {
    [0.5, -1, 4].forEach((moved, axis) => assert.ok(Math.abs(grain(after, 1, k, axis) - grain(before, 0, k, axis) - moved) < 1e-6));
    [1, 0, -1].forEach((moved, axis) => assert.ok(Math.abs(grain(after, 0, k, axis) - grain(before, 1, k, axis) - moved) < 1e-6));
  }
});

test("the frame itself stays as it is", () => {
  const position = floats([[0, 0, 0], [1, 2, 3]]);
  const ids = numbers([5, 9]);
  const kept = [position, ids].map((array) => structuredClone(array));
  grainPlaces(position, ids, MANY, HALF);
  grainValues(ids, MANY);
  assert.deepEqual([position, ids], kept);
});

test("grains fill the cube around a point evenly: mean 0 and variance 1/3 of the half edge squared, no axis like another", () => {
  const count = 20000;
  for (let axis = 0; axis < 3; axis++) {
    let [sum, square, beside] = [0, 0, 0];
    for (let id = 0; id < count / MANY; id++) {
      for (let k = 0; k < MANY; k++) {
        const at = scattered(id, k, axis);
        assert.ok(at >= -1 && at < 1);
        sum += at;
        square += at * at;
        beside += at * scattered(id, k, (axis + 1) % 3);
      }
    }
    assert.ok(Math.abs(sum / count) < 0.02, `mean ${sum / count}`); /* 5 standard deviations: sqrt(1/3 / 20000) */
    assert.ok(Math.abs(square / count - 1 / 3) < 0.011, `square ${square / count}`); /* 5 times sqrt(4/45 / 20000) */
    assert.ok(Math.abs(beside / count) < 0.012, `product ${beside / count}`); /* 5 times 1/3 / sqrt(20000) */
  }
});

test("in the plane grains stay in it, 16 bits are read as the places they mean, and the box around grows by the half edge", () => {
  const coded = { field: 0, components: 3, data: Uint16Array.from([0, 0, 0, 65535, 0, 65535]), low: [1, 7, 2], high: [3, 7, 4] };
  const placed = grainPlaces(coded, numbers([1, 2]), MANY, HALF);
  assert.deepEqual(spreadAxes(coded), [0, 2]);
  for (let k = 0; k < MANY; k++) {
    assert.equal(grain(placed, 1, k, 1), 7);
    assert.ok(Math.abs(grain(placed, 1, k, 0) - 3) <= HALF && Math.abs(grain(placed, 1, k, 2) - 4) <= HALF);
  }
  assert.deepEqual([placed.low, placed.high], [[0.75, 7, 1.75], [3.25, 7, 4.25]]);
});

test("values and numbers of points become those of their grains", () => {
  assert.deepEqual([...grainValues({ field: 1, components: 1, data: Uint16Array.from([3, 60000]), low: [0, 0, 0], high: [1, 1, 1] }, 3).data], [3, 3, 3, 60000, 60000, 60000]);
  assert.deepEqual([...grainElements(Uint32Array.from([0, 4]), 3)], [0, 1, 2, 12, 13, 14]);
});
