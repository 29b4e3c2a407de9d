import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { edgeOf, movedBody, reachOf } = await load("compose/moved.ts");

const shape = { vertices: [3, 4, 0, 0, 0, -2, 1, 1, 1], triangles: [0, 1, 2], fields: [[0, 0, 1, 0, 0, 0, -1, 0, 0], [1, 0, 0, 1, 0, 0, 1, 0, 0]] };

test("a mode moves every vertex by its field times the amplitude", () => {
  assert.deepEqual(movedBody(shape, 0, 0.5, 6).vertices, [3, 4, 0.5, 0, 0, -2, 0.5, 1, 1]);
  assert.deepEqual(movedBody(shape, 1, -2, 6).vertices, [1, 4, 0, -2, 0, -2, -1, 1, 1]);
});

test("the mean edge is that of all triangles", () => {
  assert.equal(edgeOf({ vertices: [0, 0, 0, 3, 0, 0, 3, 4, 0], triangles: [0, 1, 2, 0, 1, 2], fields: [] }), 4);
});

test("at rest, and of a body without modes, nothing moves", () => {
  assert.deepEqual(movedBody(shape, 0, 0, 6).vertices, shape.vertices);
  assert.deepEqual(movedBody({ ...shape, fields: [] }, 0, 1, 6).vertices, shape.vertices);
});

test("the box around it is of the size asked for however far it moves, so that the picture does not jump", () => {
  assert.equal(reachOf(shape.vertices), 5);
  for (const amplitude of [0, 1, -3]) {
    const { low, high } = movedBody(shape, 0, amplitude, 6);
    assert.ok(Math.abs(Math.hypot(...high) - 6) < 1e-12);
    assert.deepEqual(low, high.map((value) => -value));
  }
});
