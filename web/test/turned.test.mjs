import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { facesOf } = await load("compose/turned.ts");

/* A box from (-1, -1, -1) to (1, 1, 1): corner k lies at +x, +y, +z where its bits 1, 2, 4 are set; triangles counter-clockwise seen from outside. */
const box = {
  low: [-1, -1, -1],
  high: [1, 1, 1],
  vertices: [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1]),
  triangles: [0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6],
  parts: [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
};

const partsOf = (faces) => [...new Set(faces.map((face) => face.part))].sort();

test("of a box only the faces towards the viewer are drawn", () => {
  assert.deepEqual(partsOf(facesOf(box, 0, 0)), [2]); /* y away: the face of low y is in front */
  assert.deepEqual(partsOf(facesOf(box, Math.PI, 0)), [3]);
  assert.deepEqual(partsOf(facesOf(box, Math.PI / 2, 0)), [0]);
  assert.deepEqual(partsOf(facesOf(box, 0, 0.5)), [2, 5]); /* tilted towards the viewer: the top shows */
  assert.deepEqual(partsOf(facesOf(box, 0, -0.5)), [2, 4]);
});

test("z is up, x is right, and all fits into the picture", () => {
  const faces = facesOf(box, 0, 0);
  const corners = faces.flatMap((face) => [0, 2, 4].map((k) => [face.at[k], face.at[k + 1]]));
  for (const [x, y] of corners) assert.ok(Math.abs(Math.abs(x) - 1 / Math.sqrt(3)) < 1e-12 && Math.abs(Math.abs(y) - 1 / Math.sqrt(3)) < 1e-12);
  for (const face of facesOf({ ...box, parts: box.parts.map(() => 0) }, 1, 0.7)) for (const value of face.at) assert.ok(Math.abs(value) <= 1);
});

test("the nearest face comes last, and light falls from above", () => {
  const two = { low: [-1, -1, -1], high: [1, 1, 1], parts: [7, 8], triangles: [0, 1, 2, 3, 4, 5], vertices: [-1, -1, 0, 1, -1, 0, 0, -1, 1, -1, 1, 0, 1, 1, 0, 0, 1, 1] };
  assert.deepEqual(facesOf(two, 0, 0).map((face) => face.part), [8, 7]);
  const lit = facesOf(box, 0, 0.6);
  const light = (part) => lit.find((face) => face.part === part).light;
  assert.ok(light(5) > light(2));
});

test("triangles without area, or of corners that are not there, do no harm", () => {
  assert.deepEqual(facesOf({ low: [0, 0, 0], high: [0, 0, 0], vertices: [0, 0, 0], triangles: [0, 0, 0], parts: [0] }, 0, 0), []);
  assert.deepEqual(facesOf({ low: [], high: [], vertices: [], triangles: [], parts: [] }, 0, 0), []);
});
