import assert from "node:assert/strict";
import { test } from "node:test";
import { array, curve, frame, record } from "./bytes.mjs";
import { load } from "./modules.mjs";

const r = await load("recording/record.ts");
const { parseTopology } = await load("recording/topology.ts");

const positions = array(0, 1, 3, new Uint16Array([0, 32768, 65535, 65535, 0, 13107]), [-1, -2, -3], [1, 2, 3]);
const labels = array(1, 2, 1, new Uint32Array([7, 4000000000]));
const small = frame([{ drawable: 0, elements: 2, arrays: [positions, labels] }]);

test("a frame's 16-bit numbers stand for low + (high - low) q / 65535 and its arrays are views, not copies", () => {
  const buffer = record(3, 5, 2.5e-6, small, { skipped: 3, stream: 9 });
  const header = r.decodeHeader(buffer);
  assert.deepEqual([header.type, header.seq, header.time, header.skipped, header.stream], [3, 5, 2.5e-6, 3, 9]);
  const decoded = r.decodeFrame(buffer, header);
  const [place, label] = decoded.blocks[0].arrays;
  assert.equal(place.data.buffer, buffer);
  assert.equal(r.arrayValue(place, 0, 0), -1);
  assert.equal(r.arrayValue(place, 1, 0), 1);
  assert.ok(Math.abs(r.arrayValue(place, 0, 1)) < 4 / 65535); /* half of 65535 is no whole number: within one step of 0 */
  assert.ok(Math.abs(r.arrayValue(place, 1, 2) - (-3 + 6 * 0.2)) < 1e-9); /* 13107 = 65535 / 5 */
  assert.equal(r.arrayValue(label, 1), 4000000000);
});

test("sequence numbers past 32 bits stay exact", () => {
  assert.equal(r.decodeHeader(record(6, 2 ** 40 + 3, 0, new Uint8Array(0))).seq, 2 ** 40 + 3);
});

test("a frame cut short anywhere is refused, never read past its end", () => {
  for (let size = 0; size < small.byteLength; size++) {
    const buffer = record(3, 1, 0, small.slice(0, size));
    assert.throws(() => r.decodeFrame(buffer, r.decodeHeader(buffer)), r.RecordError, `cut to ${size} bytes`);
  }
  assert.throws(() => r.decodeHeader(new ArrayBuffer(31)), r.RecordError);
});

test("a record that announces more than it holds, an unknown encoding and a wrong size are refused", () => {
  const long = record(3, 1, 0, small);
  new DataView(long).setUint32(0, 1 << 30, true);
  assert.throws(() => r.decodeHeader(long), /announces/);
  for (const [offset, value] of [[4, 9], [8, 2], [12, 4]]) {
    const bad = small.slice();
    new DataView(bad.buffer).setUint32(8 + 16 + offset, value, true);
    const buffer = record(3, 1, 0, bad);
    assert.throws(() => r.decodeFrame(buffer, r.decodeHeader(buffer)), r.RecordError);
  }
});

test("curve samples come out row by row", () => {
  const buffer = record(4, 1, 0, curve(40, [[1, 2, 3], [4, 5, 6]]));
  const chunk = r.decodeCurve(buffer, r.decodeHeader(buffer));
  assert.deepEqual([chunk.firstSample, chunk.sampleCount, chunk.seriesCount], [40, 2, 3]);
  assert.deepEqual([...chunk.values], [1, 2, 3, 4, 5, 6]);
});

test("a topology without drawables is refused, one without extent gets some", () => {
  assert.throws(() => parseTopology({}), /lists no drawables/);
  const flat = parseTopology({ drawables: [], series: [], bounds: { minimum: [1, 1, 1], maximum: [1, 1, 1] } });
  assert.ok(flat.bounds.maximum[0] > flat.bounds.minimum[0]);
});

test("a body's triangles are read, and those that name a vertex that isn't there left out", () => {
  const body = { name: "anvil", vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 7], triangles: [0, 1, 2, 0, 1, 3, 0, -1, 2, 0, 0.5, 1, 2, 1] };
  const { drawables } = parseTopology({ drawables: [{ id: 3, kind: "mesh", bodies: [body, 7] }], series: [] });
  assert.deepEqual(drawables[0].bodies[0], { name: "anvil", vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] });
  assert.deepEqual(drawables[0].bodies[1], { name: "", vertices: [], triangles: [] });
});
