// What of a run is shown: boxes, hidden elements with their skins, and vectors, against values by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { fieldsToHideBy, withoutHidden } = await load("recording/hidden.ts");
const { vectorChoices, vectorsOf, VELOCITY } = await load("recording/vectors.ts");
const { clipBox } = await load("view/clip.ts");

const floats = (field, components, ...data) => ({ field, components, data: Float32Array.from(data), low: [0, 0, 0], high: [0, 0, 0] });
const wholes = (field, ...data) => ({ field, components: 1, data: Uint32Array.from(data), low: [0, 0, 0], high: [0, 0, 0] });
const points = { id: 0, kind: "points", changing: false, pieces: 1, fields: [{ name: "position", components: 3, encoding: "float32" }, { name: "fragment", components: 1, encoding: "uint32" }, { name: "force", unit: "N", components: 3, encoding: "float32" }] };
const skin = { id: 1, kind: "mesh", changing: true, skinOf: 0, pieces: -1, fields: [] };
const frame = (time, ...blocks) => ({ seq: 1, time, thinned: 1, blocks });
const three = (x = 0) => ({ drawable: 0, elementCount: 3, arrays: [floats(0, 3, x, 0, 0, 1 + x, 0, 0, 2 + x, 0, 0), wholes(1, 7, 8, 7), floats(2, 3, 0, 0, 1, 0, 3, 4, 0, 0, 0)] });
const vertices = { drawable: 1, elementCount: 4, arrays: [floats(0, 3, ...Array(12).fill(0)), wholes(1, 7, 7, 7, 8)] };
const triangles = { drawable: 1, elementCount: 2, arrays: [{ ...floats(2, 3), data: Uint16Array.of(0, 1, 2, 3, 3, 3) }] };

test("elements of a hidden piece leave all arrays, and its triangles leave the skin", () => {
  const less = withoutHidden(frame(0, three(), vertices, triangles), [{ drawable: 0, field: 1, values: new Set([7]) }], [points, skin]);
  assert.equal(less.blocks[0].elementCount, 1);
  assert.deepEqual(less.blocks[0].arrays.map(({ data }) => [...data]), [[1, 0, 0], [8], [0, 3, 4]]);
  assert.deepEqual([...less.blocks[2].arrays[0].data], [3, 3, 3]);
  assert.equal(less.blocks[1], vertices);
});

test("nothing hidden leaves the frame as it is, and elements without numbers are hidden by their place", () => {
  const whole = frame(0, three());
  assert.equal(withoutHidden(whole, [], [points]), whole);
  const less = withoutHidden(whole, [{ drawable: 0, field: -1, values: new Set([0, 2]) }], [points]);
  assert.deepEqual([...less.blocks[0].arrays[0].data], [1, 0, 0]);
  assert.deepEqual(fieldsToHideBy(points), [{ field: 1, name: "fragment" }]);
  assert.deepEqual(fieldsToHideBy({ ...points, kind: "instances", fields: points.fields.slice(0, 1) }), [{ field: -1, name: "body" }]);
  assert.deepEqual(fieldsToHideBy(skin), []);
});

test("velocities are displacements since the frame before over its time, of elements that are not hidden", () => {
  const { places, values, longest } = vectorsOf(frame(3, three(0.5)), frame(1, three(0)), [points], VELOCITY, 100, [{ drawable: 0, field: 1, values: new Set([8]) }]);
  assert.deepEqual([...places], [0.5, 0, 0, 2.5, 0, 0]);
  assert.deepEqual([...values], [0.25, 0, 0, 0.25, 0, 0]);
  assert.equal(longest, 0.25);
  assert.equal(vectorsOf(frame(3, three()), null, [points], VELOCITY, 100).places.length, 0);
  assert.equal(vectorsOf(frame(3, three()), frame(3, three()), [points], VELOCITY, 100).places.length, 0);
});

test("vector fields are offered with their unit and drawn as they are, at most so many", () => {
  const force = vectorChoices([points]).find(({ name }) => name === "force");
  assert.deepEqual(force, { drawable: 0, field: 2, name: "force", unit: "N" });
  assert.equal(vectorsOf(frame(0, three()), null, [points], force, 100).longest, 5);
  assert.deepEqual([...vectorsOf(frame(0, three()), null, [points], force, 2).places], [0, 0, 0, 2, 0, 0]);
});

test("a box and a plane cut together, and what is not cut has no end", () => {
  const bounds = { minimum: [0, 0, 0], maximum: [2, 2, 2] };
  const space = { centre: [1, 1, 1], size: 2 };
  const box = clipBox({ axis: 0, position: 0.5, flipped: true }, [[0.25, 1], [0, 0.75], [0, 1]], bounds, space);
  assert.deepEqual([box.low.x, box.high.y], [0, 0.25]);
  assert.ok(box.high.x > 1e3 && box.low.y < -1e3 && box.low.z < -1e3 && box.high.z > 1e3);
  assert.equal(clipBox({ axis: 0, position: 0.5, flipped: false }, [[0.25, 1], [0, 1], [0, 1]], bounds, space).high.x, 0);
});
