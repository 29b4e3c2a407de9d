import assert from "node:assert/strict";
import { test } from "node:test";
import { array, frame, record } from "./bytes.mjs";
import { load } from "./modules.mjs";

const r = await load("recording/record.ts");
const { piecesOf, normalsOf, skinOf, uncovered } = await load("recording/skin.ts");
const { parseTopology } = await load("recording/topology.ts");

/* A unit tetrahedron of fragment 5 in 16 bits, its box twice as high as wide, with corners counter-clockwise seen from outside. */
const faces = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
const full = 65535;
const places = array(0, 1, 3, new Uint16Array([0, 0, 0, full, 0, 0, 0, full, 0, 0, 0, full]), [0, 0, 0], [1, 1, 2]);
const numbers = array(1, 1, 1, new Uint16Array([5, 5, 5, 5]), [0, 0, 0], [full, 0, 0]);
const balls = { drawable: 0, elements: 3, arrays: [array(4, 2, 1, new Uint32Array([5, 9, 70000]))] };

function decode(corners, { encoding = 2 } = {}) {
  const Kind = encoding === 1 ? Uint16Array : Uint32Array;
  const triangles = array(2, encoding, 3, new Kind(corners), [0, 0, 0], [full, full, full]);
  const blocks = [balls, { drawable: 3, elements: 4, arrays: [places, numbers] }, { drawable: 3, elements: corners.length / 3, arrays: [triangles] }];
  const buffer = record(3, 1, 0, frame(blocks));
  return r.decodeFrame(buffer, r.decodeHeader(buffer));
}

test("a changing mesh is put together from its two blocks, whichever way its whole numbers are stored", () => {
  for (const encoding of [1, 2]) {
    const skin = skinOf(decode(faces, { encoding }), 3);
    assert.equal(skin.vertexCount, 4);
    assert.equal(skin.triangleCount, 4);
    assert.deepEqual([...skin.corners.data], faces);
    assert.deepEqual([...piecesOf(skin)], [5]);
  }
});

test("a triangle that names a vertex that isn't there, or a missing block, means no mesh", () => {
  assert.equal(skinOf(decode([0, 1, 4]), 3), null);
  assert.equal(skinOf(decode(faces), 2), null);
});

test("normals point outwards and take the box's proportions into account", () => {
  const skin = skinOf(decode(faces), 3);
  const n = normalsOf(skin);
  const centre = [0.25, 0.25, 0.5];
  const at = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2]];
  at.forEach((p, v) => assert.ok(p.reduce((sum, x, i) => sum + (x - centre[i]) * n[3 * v + i], 0) > 0));
  /* At the origin three faces meet whose areas times normals are (-1, 0, 0), (0, -1, 0) and (0, 0, -1/2). */
  assert.ok(Math.abs(n[0] - n[1]) < 1e-6 * Math.abs(n[0]) && Math.abs(n[2] / n[0] - 0.5) < 1e-6 && n[0] < 0);
});

test("balls without a surface are those of other fragments", () => {
  const shown = decode(faces);
  assert.deepEqual([...uncovered(shown.blocks[0].arrays[0], new Set([5]))], [1, 2]);
});

test("the topology tells which points a changing mesh covers; others cover none", () => {
  const { drawables } = parseTopology({ drawables: [{ id: 0, kind: "points" }, { id: 3, kind: "mesh", changing: true, skin_of: 0 }], series: [] });
  assert.deepEqual(drawables.map((d) => [d.changing, d.skinOf]), [[false, -1], [true, 0]]);
});
