import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { PlaneSet } = await load("view/pick/planes.ts");
const { BodySet } = await load("view/bodies.ts");

const space = { centre: [1, 0, 0], size: 2 };
const field = (name) => ({ name, unit: "m", components: 3, encoding: "float32" });
const values = (number, ...data) => ({ field: number, components: 3, data: new Float32Array(data), low: [0, 0, 0], high: [0, 0, 0] });
const block = (elementCount, ...arrays) => ({ drawable: 0, elementCount, arrays });

const drawable = (fields, more) => ({ id: 0, kind: "", name: "", elementCount: 2, radius: 0, fields: fields.map(field), planes: [], cylinders: [], bodies: [], changing: false, skinOf: -1, ...more });
const plane = { name: "high", half_u: [0, 2, 0], half_v: [0, 0, 1] };

/** The corners of element `i` as they are on the screen, in m. */
function cornersOf(set, i) {
  const part = set.object.children[i];
  part.updateMatrixWorld(true);
  const mesh = part.children[1];
  const place = mesh.geometry.getAttribute("position");
  const corners = [];
  for (let v = 0; v < place.count; v++) {
    const at = mesh.position.clone().fromBufferAttribute(place, v).applyMatrix4(mesh.matrixWorld);
    corners.push([at.x, at.y, at.z].map((x, axis) => space.centre[axis] + space.size * x));
  }
  return corners;
}

const near = (given, wanted) => given.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 1e-5, `${given} is not ${wanted}`));

test("a grip's rectangle is drawn turned about its axis by its angle, beyond half a turn too; the other one stays", () => {
  const set = new PlaneSet(drawable(["position", "orientation"], { planes: [plane, plane] }), space);
  for (const turns of [0.25, 1.25]) {
    set.show(block(2, values(0, 5, 0, 0, -5, 0, 0), values(1, 2 * Math.PI * turns, 0, 0, 0, 0, 0)));
    near(cornersOf(set, 0)[1], [5, 1, 2]); /* (0, 2, -1) turned by 90 degrees about x */
    near(cornersOf(set, 1)[1], [-5, 2, -1]);
  }
});

test("a rectangle that turns has a hand from its centre to one edge, for a square turned halfway looks the same", () => {
  const lines = (fields) => new PlaneSet(drawable(fields, { planes: [plane] }), space).object.children[0].children[0].geometry.getIndex().count / 2;
  assert.equal(lines(["position", "orientation"]), 5);
  assert.equal(lines(["position"]), 4);
  const set = new PlaneSet(drawable(["position", "orientation"], { planes: [plane] }), space);
  set.show(block(1, values(0, 5, 0, 0), values(1, Math.PI, 0, 0)));
  near(cornersOf(set, 0)[4], [5, 0, 0]);
  near(cornersOf(set, 0)[5], [5, 0, -1]);
});

test("rectangles that never turn need no orientation, bodies are hidden without one", () => {
  const planes = new PlaneSet(drawable(["position"], { planes: [plane, plane] }), space);
  planes.show(block(1, values(0, 5, 0, 0)));
  assert.deepEqual(planes.object.children.map((part) => part.visible), [true, false]);
  const bodies = new BodySet(drawable(["position", "orientation"], { bodies: [{ name: "a", vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] }] }), space);
  bodies.show(block(1, values(0, 5, 0, 0)));
  assert.equal(bodies.object.children[0].visible, false);
  bodies.show(block(1, values(0, 5, 0, 0), values(1, 0, 0, Math.PI / 2)));
  near(cornersOf(bodies, 0)[1], [5, 1, 0]);
});
