// Films as WebM files: read back element by element, by a reader that knows nothing of the writer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { webmFile } = await load("view/webm.ts");

/** Elements of a piece of EBML: [id, content]. */
function elements(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const number = (keepMarker) => {
      const length = Math.clz32(bytes[at]) - 23;
      let value = keepMarker ? bytes[at] : bytes[at] & (0xff >> length);
      for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i];
      at += length;
      return value;
    };
    const id = number(true);
    const size = number(false);
    assert.ok(at + size <= bytes.length, `element ${id.toString(16)} ends inside the file`);
    found.push([id, bytes.subarray(at, at + size)]);
    at += size;
  }
  return found;
}
const get = (bytes, ...path) => path.reduce((inside, id) => elements(inside).find(([one]) => one === id)?.[1], bytes);
const whole = (bytes) => bytes.reduce((value, byte) => value * 256 + byte, 0);

const pictures = Array.from({ length: 200 }, (_, i) => ({ data: Uint8Array.from({ length: 1 + (i % 7) }, () => i), time: 50 * i, key: i % 60 === 0 }));
const file = webmFile(pictures, "V_VP9", 640, 360, 50);

test("the file says what it is, its size, its codec and how long it lasts", () => {
  assert.equal(new TextDecoder().decode(get(file, 0x1a45dfa3, 0x4282)), "webm");
  const track = get(file, 0x18538067, 0x1654ae6b, 0xae);
  assert.equal(new TextDecoder().decode(get(track, 0x86)), "V_VP9");
  assert.deepEqual([whole(get(track, 0xe0, 0xb0)), whole(get(track, 0xe0, 0xba))], [640, 360]);
  const info = get(file, 0x18538067, 0x1549a966);
  assert.equal(whole(get(info, 0x2ad7b1)), 1000000);
  const lasts = get(info, 0x4489);
  assert.equal(new DataView(lasts.buffer, lasts.byteOffset).getFloat64(0), 10000);
});

test("every picture is there, in order, at its time, and marked where it can be decoded by itself", () => {
  const clusters = elements(get(file, 0x18538067)).filter(([id]) => id === 0x1f43b675);
  assert.ok(clusters.length > 1);
  const seen = clusters.flatMap(([, cluster]) => {
    const from = whole(get(cluster, 0xe7));
    return elements(cluster).filter(([id]) => id === 0xa3).map(([, block]) => ({ track: block[0], time: from + new DataView(block.buffer, block.byteOffset).getInt16(1), key: (block[3] & 0x80) !== 0, data: [...block.subarray(4)] }));
  });
  assert.deepEqual(seen, pictures.map(({ data, time, key }) => ({ track: 0x81, time, key, data: [...data] })));
});
