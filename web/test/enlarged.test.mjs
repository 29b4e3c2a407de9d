// Displacements enlarged: float and 16-bit places against values by hand, and what is left as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { enlarged } = await load("recording/enlarged.ts");
const place = (data, low = [0, 0, 0], high = [0, 0, 0]) => ({ field: 0, components: 3, data, low, high });
const frame = (...blocks) => ({ seq: 1, time: 0, thinned: 1, blocks: blocks.map(([drawable, array, extra = []]) => ({ drawable, elementCount: array.data.length / 3, arrays: [array, ...extra] })) });
const drawable = (id, kind = "points", fields = []) => ({ id, kind, changing: false, fields });

test("every element stands as many times as far from where it began", () => {
  const load = { field: 1, components: 1, data: Float32Array.of(7, 8), low: [0, 0, 0], high: [0, 0, 0] };
  const first = frame([0, place(Float32Array.of(0, 0, 0, 1, 1, 1))]);
  const later = frame([0, place(Float32Array.of(0, 0, 0.5, 1, 0.75, 1)), [load]]);
  const shown = enlarged(later, first, 4, [drawable(0)]).blocks[0];
  assert.deepEqual([...shown.arrays[0].data], [0, 0, 2, 1, 0, 1]);
  assert.equal(shown.arrays[1], load);
  assert.equal(enlarged(later, first, 1, [drawable(0)]), later);
});

test("places of 16 bits stay so, over the range they then have", () => {
  const [low, high] = [[0, 0, 0], [1, 1, 1]];
  const first = frame([0, place(Uint16Array.of(0, 0, 0, 65535, 65535, 65535), low, high)]);
  const later = frame([0, place(Uint16Array.of(0, 0, 0, 65535, 65535, 65535), [0, 0, 0], [2, 1, 1])]);
  const { data, low: from, high: to } = enlarged(later, first, 3, [drawable(0)]).blocks[0].arrays[0];
  assert.ok(data instanceof Uint16Array);
  assert.deepEqual([from[0], to[0]], [0, 4]);
  assert.deepEqual([data[0], data[3]], [0, 65535]);
});

test("the rig, elements that come and go, and thinned frames stay as they are", () => {
  const first = frame([0, place(Float32Array.of(0, 0, 0))], [1, place(Float32Array.of(0, 0, 0))], [2, place(Float32Array.of(0, 0, 0))]);
  const later = frame([0, place(Float32Array.of(1, 0, 0))], [1, place(Float32Array.of(1, 0, 0))], [2, place(Float32Array.of(1, 0, 0, 5, 5, 5))]);
  const drawables = [drawable(0, "planes"), drawable(1, "points", [{ name: "id" }]), drawable(2)];
  assert.deepEqual(enlarged(later, first, 10, drawables).blocks, later.blocks);
  assert.equal(enlarged({ ...later, thinned: 2 }, first, 10, drawables).thinned, 2);
});
