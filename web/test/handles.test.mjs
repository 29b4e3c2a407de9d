// Handles of what is selected in the picture of a scene: which there are, where they are, and what they write into the scene.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { handlesAt, boxAt, changeBy } = await load("compose/handles/handle_list.ts");
const { roundStep, lengthLike } = await load("compose/handles/step.ts");
const { HandHistory } = await load("compose/handles/history.ts");
const { valueAt, withValue } = await load("json.ts");
const { pointedAt, pointerOf } = await load("compose/pointed.ts");

const body = (shape, more = {}) => ({ specimens: [{ name: "grain", shape, ...more }] });
const at = (list, key) => list.find((handle) => handle.key === key);
const end = ({ origin, direction, reach }) => origin.map((x, axis) => Number((x + reach * direction[axis]).toPrecision(9)));

test("a body has an arrow for each axis and a knob on its surface for each of its sizes, in whatever units they are given", () => {
  const scene = body({ type: "cylinder", radius: "2 mm", length: "1 cm" }, { placement: { type: "single", position: ["1 mm", 0, 5e-3] } });
  const handles = handlesAt(scene, "/specimens/0/shape/radius");
  assert.deepEqual(handles.map(({ key }) => key), ["move-x", "move-y", "move-z", "radius", "length"]);
  assert.deepEqual(handles.map(({ value }) => value), [1e-3, 0, 5e-3, 2e-3, 1e-2]);
  assert.deepEqual(end(at(handles, "radius")), [3e-3, 0, 5e-3]);
  assert.deepEqual(end(at(handles, "length")), [1e-3, 0, 1e-2]); // half of the length above the middle
  assert.deepEqual(boxAt(scene, "/specimens/0"), { minimum: [-1e-3, -2e-3, 0], maximum: [3e-3, 2e-3, 1e-2] });
});

/* A quarter turn about y takes z to x and x to -z. */
test("the knobs of a turned body go along its own axes", () => {
  const scene = body({ type: "box", size: [2, 4, 6] }, { rotation: { axis: [0, 2, 0], angle_deg: 90 } });
  const handles = handlesAt(scene, "/specimens/0");
  const rounded = (key) => end(at(handles, key)).map((x) => Math.round(1e6 * x) / 1e6 + 0);
  assert.deepEqual([rounded("size/0"), rounded("size/1"), rounded("size/2")], [[0, 0, -1], [0, 2, 0], [3, 0, 0]]);
  const { maximum } = boxAt(scene, "/specimens/0");
  assert.deepEqual(maximum.map((x) => Math.round(1e6 * x) / 1e6), [3, 2, 1]);
});

test("what is packed or drawn at random has no handle, one of a list has that of its own place, a lattice moves as a whole", () => {
  const sphere = { type: "sphere", radius: 1 };
  assert.deepEqual(handlesAt(body(sphere, { placement: { type: "packed", minimum: [0, 0, 0], maximum: [1, 1, 1] } }), "/specimens/0"), []);
  assert.deepEqual(handlesAt(body(sphere, { placement: { type: "random", minimum: [0, 0, 0], maximum: [1, 1, 1], count: 3 } }), "/specimens/0"), []);
  const list = body(sphere, { placement: { type: "list", positions: [[0, 0, 0], [3, 0, 0]] } });
  assert.deepEqual(handlesAt(list, "/specimens/0"), []);
  assert.equal(at(handlesAt(list, "/specimens/0/placement/positions/1"), "move-x").pointer, "/specimens/0/placement/positions/1/0");
  assert.equal(at(handlesAt(body(sphere, { placement: { type: "lattice", origin: [1, 2, 3], pitch: [2, 2, 2], count: [2, 2, 2] } }), "/specimens/0"), "move-y").pointer, "/specimens/0/placement/origin/1");
  assert.deepEqual(handlesAt(body(sphere), "/specimens/7"), []);
  assert.deepEqual(handlesAt(body(sphere), "/materials/0/density"), []);
});

test("a rig is moved and opened, and its parts follow as they will stand", () => {
  const platens = { rig: { type: "platens", opening: "4 mm", position: [0, 0, 1e-3] }, obstacles: [{ name: "ball" }] };
  const opening = at(handlesAt(platens, "/rig/program/0/velocity"), "opening");
  assert.deepEqual([end(opening), opening.scale, opening.carried("platens", "top"), opening.carried("platens", "bottom")], [[0, 0, 3e-3], 2, 0.5, -0.5]);
  const along = at(handlesAt(platens, "/rig"), "move-z");
  assert.deepEqual([along.carried("platens", "top"), along.carried("grain", ""), along.carried("obstacles", "ball")], [1, 0, 0]);
  const box = { rig: { type: "box", minimum: [0, 0, 0], maximum: [2, 4, 6] } };
  assert.equal(handlesAt(box, "/rig/maximum").length, 6);
  const [wall, ...others] = handlesAt(box, "/rig/walls/z_max/program/0");
  assert.deepEqual([others.length, wall.pointer, end(wall), wall.carried("box", "z_max"), wall.carried("box", "z_min")], [0, "/rig/maximum/2", [1, 2, 6], 1, 0]);
  const bend = handlesAt({ rig: { type: "three_point_bend", span: 0.1, opening: 0.02 } }, "/rig");
  assert.deepEqual([end(at(bend, "span")), end(at(bend, "opening"))], [[0.05, 0, 0], [0, 0, 0.02]]);
  const grips = handlesAt({ rig: { type: "grips", axis: "y", low_end: -1, high_start: 2 } }, "/rig");
  assert.deepEqual(grips.map(({ key }) => key), ["move-x", "move-z", "low_end", "high_start"]);
  assert.deepEqual(handlesAt({ rig: { type: "none" } }, "/rig"), []);
});

test("a place that the scene does not say is written as a whole, and one that it says keeps its other numbers", () => {
  const bare = body({ type: "sphere", radius: 1 });
  const made = changeBy(bare, at(handlesAt(bare, "/specimens/0"), "move-y"), 0.5);
  assert.deepEqual(made, { pointer: "/specimens/0/placement", value: { type: "single", position: [0, 0.5, 0] }, structure: true });
  const stands = { obstacles: [{ name: "ball", shape: { type: "sphere", radius: "3 mm" } }] };
  const [x] = handlesAt(stands, "/obstacles/0");
  assert.deepEqual(changeBy(stands, x, "2 mm"), { pointer: "/obstacles/0/position", value: ["2 mm", 0, 0], structure: false });
  const radius = at(handlesAt(stands, "/obstacles/0"), "radius");
  assert.deepEqual(changeBy(stands, radius, "4 mm"), { pointer: "/obstacles/0/shape/radius", value: "4 mm", structure: false });
});

test("lengths come in whole steps of 1, 2 or 5 in the unit that stands there; a zero takes that of its vector", () => {
  assert.deepEqual([3e-6, 1e-3, 1.1e-3, 4.2, 7].map((x) => Number(roundStep(x).toPrecision(6))), [5e-6, 1e-3, 2e-3, 5, 10]);
  assert.equal(lengthLike("1.5 mm", [], 1.7332e-3, 2e-5), "1.74 mm");
  assert.equal(lengthLike(1.5e-3, [], 1.7332e-3, 2e-5), 1.74e-3);
  assert.equal(lengthLike(0, [0, "3 µm", 0], 1.26e-6, 1e-7), "1.3 µm");
  assert.equal(lengthLike(undefined, [], -1e-9, 1e-3), 0);
  assert.ok(Object.is(lengthLike("1 mm", [], -1e-9, 1e-3), "0 mm"));
});

test("the last change by hand is taken back; steps of keys are one change; what was typed since stays", () => {
  const history = new HandHistory();
  let scene = { a: 1, b: 1 };
  const set = (pointer, after, byKeys = false) => {
    history.keep({ what: pointer, pointer, before: valueAt(scene, pointer), after, structure: false }, byKeys);
    scene = withValue(scene, pointer, after);
  };
  set("/b", 5);
  set("/a", 2, true);
  set("/a", 3, true);
  assert.equal(history.last(scene).before, 1);
  assert.equal(history.last(withValue(scene, "/a", 9)), null);
  scene = withValue(scene, "/a", 1);
  history.drop();
  assert.deepEqual([history.last(scene).pointer, history.last(scene).before], ["/b", 1]);
});

test("obstacles are pointed at by their name, in the picture and in the scene", () => {
  const scene = { obstacles: [{ name: "floor" }, { name: "ball" }], rig: { type: "none" } };
  assert.deepEqual(pointedAt(scene, "/obstacles/1/shape/radius"), { drawable: "", part: "ball" });
  assert.equal(pointerOf(scene, { drawable: "obstacles", part: "ball" }), "/obstacles/1");
});
