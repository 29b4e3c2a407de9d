// Pieces moved apart, the path of an element, and views that were kept, by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { exploded } = await load("recording/exploded.ts");
const { followedOf, placeIn, lengthOf } = await load("recording/paths.ts");
const { camerasIn } = await load("view/cameras.ts");

const array = (field, components, data) => ({ field, components, data, low: [0, 0, 0], high: [0, 0, 0] });
const frame = (...blocks) => ({ seq: 1, time: 0, thinned: 1, blocks: blocks.map(([drawable, count, ...arrays]) => ({ drawable, elementCount: count, arrays })) });
const points = { id: 0, kind: "points", changing: false, pieces: 1, skinOf: -1, fields: [{ name: "position", components: 3 }, { name: "fragment", components: 1 }] };

/* Two pieces of two points about x = 1 and x = 5; the middle of all is x = 3. With factor 1 they stand about -1 and 7, as long as before. */
test("pieces move apart whole, from the middle of all of them", () => {
  const of = frame([0, 4, array(0, 3, Float32Array.of(0, 0, 0, 2, 0, 0, 4, 0, 0, 6, 0, 0)), array(1, 1, Uint32Array.of(8, 8, 9, 9))]);
  const x = (factor) => [0, 3, 6, 9].map((i) => exploded(of, factor, [points]).blocks[0].arrays[0].data[i]);
  assert.deepEqual(x(1), [-2, 0, 6, 8]);
  assert.deepEqual(x(0.5), [-1, 1, 5, 7]);
  assert.equal(exploded(of, 0, [points]), of);
});

test("a skin goes with the pieces below it, an instance is a piece of its own, the rig stays", () => {
  const below = [0, 2, array(0, 3, Float32Array.of(0, 0, 0, 4, 0, 0)), array(1, 1, Uint32Array.of(1, 2))];
  const skin = [1, 2, array(0, 3, Float32Array.of(0, 1, 0, 4, 1, 0)), array(1, 1, Uint32Array.of(1, 2))];
  const rig = [2, 1, array(0, 3, Float32Array.of(9, 9, 9))];
  const drawables = [points, { id: 1, kind: "mesh", changing: true, skinOf: 0, pieces: -1, fields: [] }, { id: 2, kind: "planes", changing: false, pieces: -1, skinOf: -1, fields: [] }];
  const { blocks } = exploded(frame(below, skin, rig), 1, drawables);
  assert.deepEqual(blocks.map(({ arrays }) => [...arrays[0].data]), [[-2, 0, 0, 6, 0, 0], [-2, 1, 0, 6, 1, 0], [9, 9, 9]]);
  const bodies = { id: 0, kind: "instances", changing: false, pieces: -1, skinOf: -1, fields: [] };
  assert.deepEqual([...exploded(frame([0, 2, array(0, 3, Float32Array.of(0, 0, 0, 0, 2, 0))]), 1, [bodies]).blocks[0].arrays[0].data], [0, -1, 0, 0, 3, 0]);
});

test("an element is followed by its number where it has one, else by its place, and not through frames that hold only some", () => {
  const numbered = { id: 0, fields: [{ name: "position", components: 3 }, { name: "id", components: 1 }] };
  const first = frame([0, 2, array(0, 3, Float32Array.of(0, 0, 0, 1, 1, 1)), array(1, 1, Uint32Array.of(7, 9))]);
  const later = frame([0, 1, array(0, 3, Float32Array.of(1, 1, 3)), array(1, 1, Uint32Array.of(9))]);
  const followed = followedOf(numbered, first.blocks[0], 1);
  assert.deepEqual(followed, { drawable: 0, field: 1, value: 9 });
  assert.deepEqual([placeIn(first, followed), placeIn(later, followed)], [[1, 1, 1], [1, 1, 3]]);
  assert.equal(placeIn(later, { ...followed, value: 7 }), null);
  assert.equal(placeIn({ ...later, thinned: 2 }, followed), null);
  const plain = followedOf({ id: 0, fields: [] }, first.blocks[0], 1);
  assert.deepEqual([plain.field, placeIn(first, plain), placeIn(later, plain)], [-1, [1, 1, 1], null]);
  assert.equal(lengthOf([[0, 0, 0], [3, 4, 0], [3, 4, 2]]), 7);
});

test("what is no camera in the browser's store is left out", () => {
  const camera = { position: [1, 2, 3], target: [0, 0, 0], parallel: true };
  assert.deepEqual(camerasIn(JSON.stringify([camera, { position: [1, 2] }, null, { position: [0, 0, "a"], target: [0, 0, 0] }].filter(Boolean))), [camera]);
  for (const text of [null, "", "{", "{}", "7"]) assert.deepEqual(camerasIn(text), []);
});
