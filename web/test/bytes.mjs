// Writes records as core/record does, independently of the decoder under test.
export function record(type, seq, time, payload, { skipped = 0, stream = 1 } = {}) {
  const size = payload.byteLength;
  const bytes = new Uint8Array(32 + Math.ceil(size / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, size, true);
  view.setUint16(4, type, true);
  view.setUint16(6, skipped, true);
  view.setBigUint64(8, BigInt(seq), true);
  view.setFloat64(16, time, true);
  view.setUint32(28, stream, true);
  bytes.set(new Uint8Array(payload.buffer ?? payload, payload.byteOffset ?? 0, size), 32);
  return bytes.buffer;
}

export function array(field, encoding, components, data, low = [0, 0, 0], high = [0, 0, 0]) {
  const bytes = new Uint8Array(64 + Math.ceil(data.byteLength / 8) * 8);
  const view = new DataView(bytes.buffer);
  [field, encoding, components, data.byteLength].forEach((v, i) => view.setUint32(4 * i, v, true));
  low.forEach((v, i) => view.setFloat64(16 + 8 * i, v, true));
  high.forEach((v, i) => view.setFloat64(40 + 8 * i, v, true));
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 64);
  return bytes;
}

export function frame(blocks) {
  const parts = [new Uint8Array(8)];
  new DataView(parts[0].buffer).setUint32(0, blocks.length, true);
  for (const { drawable, elements, arrays } of blocks) {
    const head = new Uint8Array(16);
    const size = arrays.reduce((sum, a) => sum + a.byteLength, 0);
    [drawable, elements, arrays.length, size].forEach((v, i) => new DataView(head.buffer).setUint32(4 * i, v, true));
    parts.push(head, ...arrays);
  }
  return new Uint8Array(Buffer.concat(parts));
}

export function curve(first, rows) {
  const bytes = new Uint8Array(16 + 8 * rows.length * (rows[0]?.length ?? 0));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(first), true);
  view.setUint32(8, rows.length, true);
  view.setUint32(12, rows[0]?.length ?? 0, true);
  rows.flat().forEach((v, i) => view.setFloat64(16 + 8 * i, v, true));
  return bytes;
}

/** A geometry record's payload. `vertices`, `triangles`: lists of triples; `modes`: for each the displacements of all vertices. */
export function geometry(drawable, shape, vertices, triangles, modes = []) {
  const head = Uint32Array.of(drawable, shape, vertices.length, triangles.length, modes.length, 0);
  const parts = [head, Float32Array.from(vertices.flat()), Uint32Array.from(triangles.flat()), Float32Array.from(modes.flat(2))];
  return new Uint8Array(Buffer.concat(parts.map((part) => new Uint8Array(part.buffer))));
}
