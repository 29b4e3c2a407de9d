import assert from "node:assert/strict";
import { test } from "node:test";
import { array, frame, geometry, record } from "./bytes.mjs";
import { load } from "./modules.mjs";

const r = await load("recording/record.ts");
const { Geometries } = await load("recording/geometries.ts");
const { parseTopology } = await load("recording/topology.ts");
const { isClosed } = await load("view/draw/surface.ts");
const { creased, modeNormals } = await load("view/draw/modes.ts");
const { posed, turned } = await load("view/pick/pick_instance.ts");
const { byShape, gathered, InstanceLayer } = await load("view/draw/instances.ts");
const { SurfaceLayer } = await load("view/draw/surface.ts");
const { lastNodes, ThreadLayer, threadOf } = await load("view/draw/threads.ts");
const { isBefore } = await load("view/pick/ray.ts");
const { outerFaces } = await load("recording/cells.ts");
const { CellLayer } = await load("view/draw/cells.ts");
const { PointLayer } = await load("view/draw/points.ts");
const { describe } = await load("view/pick/hover.ts");
const { Noise } = await load("view/fields/noise.ts");

const decode = (blocks) => {
  const buffer = record(3, 9, 0.5, frame(blocks));
  return r.decodeFrame(buffer, r.decodeHeader(buffer));
};
const decodeGeometry = (payload) => {
  const buffer = record(10, 3, 0, payload);
  return r.decodeGeometry(buffer, r.decodeHeader(buffer));
};
const floats = (field, components, ...values) => array(field, 0, components, Float32Array.from(values), [-1, -1, -1], [5, 5, 5]);
const wholes = (field, ...values) => array(field, 2, 1, Uint32Array.from(values));
const field = (name, components = 1, encoding = "float32", unit = "m") => ({ name, unit, components, encoding });
const drawableOf = (about) => parseTopology({ drawables: [{ id: 0, name: "it", ...about }], series: [] }).drawables[0];
const space = { centre: [0, 0, 0], size: 1 };
const down = (x, y) => ({ from: [x, y, 10], along: [0, 0, -1], kept: () => true });
const near = (given, wanted) => given.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 1e-5, `${given} is not ${wanted}`));

/* A unit square in the plane z = 0, of two triangles. */
const square = { vertices: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], triangles: [[0, 1, 2], [0, 2, 3]] };
const tetrahedron = { vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] };

test("a geometry record holds vertices, triangles and modes as views on its bytes", () => {
  const modes = [[[0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 4]]];
  const found = decodeGeometry(geometry(4, 2, square.vertices, square.triangles, modes));
  assert.deepEqual([found.drawable, found.shape, found.vertexCount], [4, 2, 4]);
  assert.deepEqual([...found.vertices], square.vertices.flat());
  assert.deepEqual([...found.triangles], square.triangles.flat());
  assert.deepEqual([...found.modes[0]], modes.flat(2));
  assert.equal(found.vertices.buffer, found.modes[0].buffer);
});

test("a geometry record cut short anywhere is refused, and triangles that name no vertex are left out", () => {
  const whole = geometry(0, 0, square.vertices, square.triangles, [square.vertices]);
  for (let size = 0; size < whole.byteLength; size++) assert.throws(() => decodeGeometry(whole.slice(0, size)), r.RecordError, `cut to ${size} bytes`);
  assert.deepEqual([...decodeGeometry(geometry(0, 0, square.vertices, [[0, 1, 4], [0, 2, 3]])).triangles], [0, 2, 3]);
  const many = whole.slice();
  new DataView(many.buffer).setUint32(16, 17, true);
  assert.throws(() => decodeGeometry(many), /17 modes/);
});

test("geometries are known by drawable and shape, and told of once", () => {
  const known = new Geometries();
  let told = 0;
  known.onChange.add(() => told++);
  for (const shape of [1, 0, 1]) known.put(decodeGeometry(geometry(3, shape, square.vertices, square.triangles)));
  assert.deepEqual([told, known.get(3, 1).shape, known.get(3, 2), known.of(9).size], [2, 1, undefined, 0]);
});

test("float32 arrays may have sixteen components, others three", () => {
  const wide = decode([{ drawable: 0, elements: 2, arrays: [array(1, 0, 16, new Float32Array(32).fill(2))] }]);
  assert.equal(wide.blocks[0].arrays[0].components, 16);
  assert.throws(() => decode([{ drawable: 0, elements: 1, arrays: [array(1, 0, 17, new Float32Array(17))] }]), r.RecordError);
  assert.throws(() => decode([{ drawable: 0, elements: 1, arrays: [array(1, 1, 4, new Uint16Array(4))] }]), r.RecordError);
});

test("the topology tells of points that come and go, of pieces under any name, and of tables; a second drawable of one number is left out", () => {
  const { drawables, tables } = parseTopology({
    drawables: [
      { id: 0, kind: "points", varying: true, pieces: "lump", fields: [field("position", 3), field("lump", 1, "uint32")] },
      { id: 1, kind: "points", fields: [field("position", 3), field("fragment", 1, "uint32")] },
      { id: 1, kind: "threads" }, { id: 2, kind: "points", pieces: 7, fields: "none" },
    ],
    series: [], tables: [{ name: "hits", label: "Hits" }, { label: "nameless" }, null],
  });
  assert.deepEqual(drawables.map(({ id, kind, pieces }) => [id, kind, pieces]), [[0, "points", 1], [1, "points", 1], [2, "points", -1]]);
  assert.deepEqual(tables, [{ name: "hits", label: "Hits" }]);
});

test("points with a radius each are met where they are as large as that, in however many a frame has", () => {
  const layer = new PointLayer(drawableOf({ kind: "points", varying: true, fields: [field("position", 3), field("radius")] }), space);
  layer.show(decode([{ drawable: 0, elements: 2, arrays: [floats(0, 3, 0, 0, 0, 2, 0, 0), floats(1, 1, 0.1, 0.5)] }]));
  assert.equal(layer.pick(down(0.3, 0)), null);
  const hit = layer.pick(down(2.3, 0));
  assert.equal(hit.element, 1);
  near([hit.distance], [10 - 0.4]); /* a ball of 0.5 seen 0.3 beside its centre */
  layer.show(decode([{ drawable: 0, elements: 3, arrays: [floats(0, 3, 0, 0, 0, 2, 0, 0, 4, 0, 0), floats(1, 1, 0.1, 0.1, 0.5)] }]));
  assert.deepEqual([layer.pick(down(2.3, 0)), layer.pick(down(4, 0)).element, layer.object.geometry.drawRange.count], [null, 2, 3]);
  layer.show(decode([{ drawable: 0, elements: 0, arrays: [floats(0, 3), floats(1, 1)] }]));
  assert.deepEqual([layer.pick(down(4, 0)), layer.object.visible, layer.bounds()], [null, false, null]);
});

test("instances are met where their turned, scaled and blended shapes are, and drawn by shape", () => {
  const geometries = new Geometries();
  const layer = new InstanceLayer(drawableOf({ kind: "instances", fields: [field("position", 3), field("orientation", 3), field("shape", 1, "uint32"), field("scale"), field("amplitudes")] }), geometries, space, 6);
  const at = { drawable: 0, elements: 3, arrays: [floats(0, 3, 0, 0, 0, 3, 0, 0, 3, 3, 0), floats(1, 3, 0, 0, Math.PI / 2, 0, 0, 0, 0, 0, 0), wholes(2, 0, 1, 1), floats(3, 1, 2, 1, 1), floats(4, 1, 0, 0, 3)] };
  layer.show(decode([at]));
  assert.equal(layer.pick(down(-1.5, 1.5)), null); /* no geometry yet */
  geometries.put(decodeGeometry(geometry(0, 0, square.vertices, square.triangles)));
  geometries.put(decodeGeometry(geometry(0, 1, square.vertices, square.triangles, [[[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]]])));
  layer.show(decode([at]));
  assert.deepEqual([layer.pick(down(-1.5, 1.5)).element, layer.pick(down(0.5, -0.5))], [0, null]); /* twice as large and turned left by 90 degrees */
  near([layer.pick(down(3.5, 0.5)).distance, layer.pick(down(3.5, 3.5)).distance], [10, 7]); /* the last is lifted by three of its mode */
  const meshes = layer.object.children.filter((mesh) => mesh.isMesh && mesh.visible);
  assert.deepEqual(meshes.map((mesh) => mesh.geometry.instanceCount), [1, 2]);
  assert.deepEqual([...meshes[1].geometry.getAttribute("place").array], [3, 0, 0, 3, 3, 0]);
  const { minimum } = layer.bounds();
  near(minimum, [1, 1, 1].map(() => -1 - 5 * Math.SQRT2)); /* the header's box and the largest shape at the largest scale */
});

test("instances with more triangles together than may be drawn are balls of about their size", () => {
  const geometries = new Geometries();
  const layer = new InstanceLayer(drawableOf({ kind: "instances", fields: [field("position", 3), field("orientation", 3)] }), geometries, space, 5);
  geometries.put(decodeGeometry(geometry(0, 0, square.vertices, square.triangles)));
  for (const [many, tooMany] of [[2, false], [3, true]]) {
    layer.show(decode([{ drawable: 0, elements: many, arrays: [floats(0, 3, ...new Array(3 * many).fill(0)), floats(1, 3, ...new Array(3 * many).fill(0))] }]));
    const [balls, mesh] = layer.object.children;
    assert.deepEqual([layer.tooMany, balls.visible, mesh.visible], [tooMany, tooMany, !tooMany]);
  }
});

test("elements are told apart by shape, and their values taken in order", () => {
  const lists = byShape({ data: Uint32Array.of(2, 0, 2) }, 3);
  assert.deepEqual([[...lists.get(2)], [...lists.get(0)]], [[0, 2], [1]]);
  assert.deepEqual([...gathered({ components: 2, data: Uint16Array.of(1, 2, 3, 4, 5, 6) }, Uint32Array.of(0, 2))], [1, 2, 5, 6]);
});

test("a turn goes by the right hand, and a shape is posed as mode, scale, turn, place", () => {
  near(turned([1, 0, 0], [0, 0, Math.PI / 2]), [0, 1, 0]);
  near(turned([1, 2, 3], [0, 0, 0]), [1, 2, 3]);
  const shape = { vertices: Float32Array.of(1, 0, 0), modes: [Float32Array.of(0, 0, 1)] };
  near([...posed(shape, [5, 0, 0], [0, 0, Math.PI / 2], 2, [3], 1)], [5, 2, 6]);
});

test("sharp edges have two normals, and a mode's change of them is the linear part exactly", () => {
  const shape = decodeGeometry(geometry(0, 0, tetrahedron.vertices, tetrahedron.triangles));
  assert.equal(creased(shape).vertexCount, 12);
  const flat = decodeGeometry(geometry(0, 0, square.vertices, square.triangles, [[[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]]]));
  assert.equal(creased(flat).vertexCount, 4);
  const { rest, changes } = modeNormals(flat);
  const bent = [0, 1, 2].map((i) => rest[i] + 0.5 * changes[0][i]); /* tilted: z = x/2, so that the normal leans back by as much */
  near([bent[0] / bent[2], bent[1]], [-0.5, 0]);
});

test("a surface takes its places from the frame and its triangles from its geometry, and has an inside when it is closed", () => {
  assert.ok(isClosed(Uint32Array.from(tetrahedron.triangles.flat()), 4));
  assert.ok(!isClosed(Uint32Array.from(square.triangles.flat()), 4));
  const geometries = new Geometries();
  const layer = new SurfaceLayer(drawableOf({ kind: "surface", fields: [field("position", 3), field("strain")] }), geometries, space);
  const lifted = { drawable: 0, elements: 4, arrays: [floats(0, 3, ...square.vertices.flatMap(([x, y]) => [x, y, 2])), floats(1, 1, 0, 1, 2, 3)] };
  layer.show(decode([lifted]));
  assert.equal(layer.object.visible, false);
  geometries.put(decodeGeometry(geometry(0, 0, square.vertices, square.triangles)));
  layer.show(decode([lifted]));
  const hit = layer.pick(down(0.9, 0.8));
  near([hit.element, hit.distance], [2, 8]);
  layer.show(decode([{ drawable: 0, elements: 3, arrays: [floats(0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0)] }])); /* another number than the geometry has */
  assert.deepEqual([layer.object.visible, layer.pick(down(0.2, 0.2))], [false, null]);
});

test("a surface has a normal of its own on each side of a sharp edge, and its values go along", () => {
  const geometries = new Geometries();
  const layer = new SurfaceLayer(drawableOf({ kind: "surface", fields: [field("position", 3), field("strain")] }), geometries, space);
  geometries.put(decodeGeometry(geometry(0, 0, tetrahedron.vertices, tetrahedron.triangles)));
  const solid = { drawable: 0, elements: 4, arrays: [floats(0, 3, ...tetrahedron.vertices.flat()), floats(1, 1, 10, 20, 30, 40)] };
  layer.setColouring({ kind: "scalar", field: 1, low: 0, high: 40 });
  layer.show(decode([solid]));
  const { attributes, index } = layer.object.geometry;
  assert.deepEqual([attributes.place.count, attributes.normal.count], [12, 12]);
  const [a, b, c] = tetrahedron.triangles[1].map((_, k) => index.array[3 + k]); /* its corners are those of that face, with one normal */
  near([...attributes.place.array.slice(3 * a, 3 * a + 3)], tetrahedron.vertices[tetrahedron.triangles[1][0]]);
  for (const other of [b, c]) near([...attributes.normal.array.slice(3 * other, 3 * other + 3)], [...attributes.normal.array.slice(3 * a, 3 * a + 3)]);
  const values = Object.entries(attributes).find(([name]) => !["place", "normal"].includes(name))[1];
  near([values.array[a], values.array[b]], [10 + 10 * tetrahedron.triangles[1][0], 10 + 10 * tetrahedron.triangles[1][1]]);
  near([layer.pick(down(0.1, 0.1)).element < 4 ? 1 : 0], [1]); /* elements are still the recording's own */
});

test("threads end where their numbers of nodes say, whatever those are", () => {
  assert.deepEqual([...lastNodes([2, 0, 3], 5)], [0, 1, 0, 0, 1]);
  assert.deepEqual([...lastNodes([2], 4)], [0, 1, 1, 1]); /* nodes of no thread */
  assert.deepEqual([...lastNodes([9], 3)], [0, 0, 1]); /* more than there are */
  assert.deepEqual([threadOf([2, 0, 3], 2), threadOf([2], 7)], [{ thread: 2, place: 0 }, { thread: -1, place: -1 }]);
  const layer = new ThreadLayer(drawableOf({ kind: "threads", radius: 0.1, fields: [field("position", 3), field("nodes", 1, "uint32")] }), space, () => 0.3);
  const nodes = { drawable: 0, elements: 4, arrays: [floats(0, 3, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0)] };
  layer.show(decode([nodes, { drawable: 0, elements: 2, arrays: [wholes(1, 2, 2)] }]));
  assert.equal(layer.pick(down(0.9, 0.05)).of, "node 1 of thread 0");
  assert.equal(layer.pick(down(0.1, 2)).of, "node 1 of thread 1");
  assert.equal(layer.pick(down(1, 1)), null); /* from the end of one to the beginning of the next there is nothing */
  layer.show(decode([nodes]));
  assert.deepEqual([layer.object.visible, layer.pick(down(0.9, 0.05))], [false, null]);
});

test("a thread with a radius at each node is as thick between them as they tell", () => {
  const layer = new ThreadLayer(drawableOf({ kind: "threads", fields: [field("position", 3), field("radius"), field("nodes", 1, "uint32")] }), space, () => 0.001);
  layer.show(decode([{ drawable: 0, elements: 2, arrays: [floats(0, 3, 0, 0, 0, 1, 0, 0), floats(1, 1, 0.1, 0.3)] }, { drawable: 0, elements: 1, arrays: [wholes(2, 2)] }]));
  assert.deepEqual([layer.pick(down(0.5, 0.19))?.element, layer.pick(down(0.5, 0.21))], [1, null]);
});

test("the label at the pointer tells the element's number and its values with units", () => {
  const drawable = drawableOf({ kind: "instances", name: "rocks", fields: [field("position", 3), field("load", 1, "float32", "N"), field("id", 1, "uint32", "1")] });
  const shown = decode([{ drawable: 0, elements: 2, arrays: [floats(0, 3, 0, 0, 0, 1, 2, 3), floats(1, 1, 5, 1500), wholes(2, 7, 12345)] }]);
  const { title, lines } = describe(shown, drawable, { drawable: 0, block: 0, element: 1, distance: 1 }, "", new Noise(1));
  assert.equal(title, "Rocks, element 1");
  assert.deepEqual(lines, [["Position", "1, 2, 3 m"], ["Load", "1.5\u202fkN"], ["Id", "12\u202f345"]]);
  assert.equal(describe(shown, drawable, { drawable: 0, block: 0, element: 2, distance: 1 }, "", new Noise(1)), null);
});

test("of cells those faces are drawn that no other cell covers", () => {
  const shape = { origin: [0, 0, 0], spacing: [1, 1, 1], counts: [3, 2, 2] };
  const all = Uint32Array.from({ length: 12 }, (_, i) => i);
  assert.equal(outerFaces(shape, all, all).element.length, 2 * (6 + 6 + 4)); /* the faces of a box of 3 x 2 x 2 */
  const two = outerFaces(shape, Uint32Array.of(2, 3), Uint32Array.of(0, 1)); /* neighbours by number, at the ends of two rows */
  assert.equal(two.element.length, 12);
  const pair = outerFaces(shape, Uint32Array.of(0, 6, 11), Uint32Array.of(0, 1, 2)); /* one upon the other, and one apart */
  assert.deepEqual([pair.element.length, [...pair.side].filter((side, f) => pair.element[f] < 2 && side >> 1 === 2).sort()], [16, [4, 5]]);
  assert.equal(outerFaces({ ...shape, spacing: [1, 0, 1], counts: [6, 1, 2] }, all, all).element.length, 12);
});

test("cells are met where they are, with their place, and a cut leaves out whole ones", () => {
  const layer = new CellLayer(drawableOf({ kind: "grid", varying: true, grid: { origin: [1, 0, 0], spacing: [0.5, 1, 2], counts: [4, 3, 2] }, fields: [field("cell", 1, "uint32"), field("heat")] }), space);
  const shown = decode([{ drawable: 0, elements: 3, arrays: [wholes(0, 1, 6, 18), floats(1, 1, 10, 20, 30)] }]);
  layer.show(shown);
  const hit = layer.pick(down(1.75, 0.5));
  assert.deepEqual([hit.element, hit.of, hit.distance], [0, "cell 1, 0, 0", 8]);
  assert.deepEqual([layer.pick(down(2.25, 1.5)).element, layer.pick(down(2.25, 1.5)).distance, layer.pick(down(1.25, 0.5))], [2, 6, null]); /* the upper of two */
  near([...layer.bounds().minimum, ...layer.bounds().maximum], [1.5, 0, 0, 2.5, 2, 4]);
  assert.deepEqual([isBefore(hit, { distance: 9 }), isBefore({ distance: 9 }, hit), isBefore(hit, null)], [false, true, true]); /* seen through */
  layer.setColouring({ kind: "scalar", field: 1, low: 0, high: 40 });
  assert.equal(isBefore(layer.pick(down(1.75, 0.5)), { distance: 9 }), true);
  const { attributes } = layer.object.geometry;
  assert.deepEqual([...attributes.value.array].sort(), [10, 20, 30].flatMap((x) => Array(x === 10 ? 6 : 5).fill(x)));
  layer.setClip({ low: { x: -9, y: -9, z: -9 }, high: { x: 9, y: 9, z: 2.5 } });
  assert.deepEqual([layer.pick(down(2.25, 1.5)).element, layer.pick(down(2.25, 1.5)).distance], [1, 8]); /* the middle of the upper one is at 3 */
  layer.show(decode([{ drawable: 0, elements: 2, arrays: [wholes(0, 24, 1), floats(1, 1, 1, 2)] }])); /* a cell that is not there */
  assert.deepEqual([layer.object.visible, layer.pick(down(1.75, 0.5)), layer.bounds()], [false, null, null]);
});

test("a flat grid is rectangles, and one without a list has all cells", () => {
  const layer = new CellLayer(drawableOf({ kind: "grid", element_count: 6, grid: { origin: [0, 0, 3], spacing: [1, 1, 0], counts: [3, 2, 1] }, fields: [field("level")] }), space);
  layer.show(decode([{ drawable: 0, elements: 6, arrays: [floats(0, 1, 1, 2, 3, 4, 5, 6)] }]));
  assert.deepEqual([layer.object.geometry.instanceCount, layer.pick(down(2.5, 1.5)).element, layer.pick(down(2.5, 1.5)).distance], [6, 5, 7]);
  layer.show(decode([{ drawable: 0, elements: 5, arrays: [floats(0, 1, 1, 2, 3, 4, 5)] }]));
  assert.equal(layer.object.visible, false);
});
