/** Decodes records: the bytes of a recording, which are also the stream's binary messages (core/record/FORMAT.md).
 *
 *  Nothing is copied: arrays are typed views on the message. That works because headers are multiples of 8 bytes. Every
 *  size is checked against the message before a view is made; what doesn't fit raises a RecordError. */
import * as english from "../english/service.js";

export class RecordError extends Error {}

export const RecordType = { scene: 1, topology: 2, frame: 3, curve: 4, event: 5, progress: 6, end: 7, geometry: 10 } as const;

export const HEADER_BYTES = 32;

export interface RecordHeader {
  size: number; /** bytes of payload, without padding */
  type: number;
  skipped: number; /** frames the server left out before this one */
  seq: number;
  time: number; /** simulated time, s */
  stream: number;
}

export type FrameData = Float32Array | Uint16Array | Uint32Array;

export interface FrameArray {
  field: number;
  components: number;
  data: FrameData;
  low: [number, number, number]; /** value of q = 0, per component, for 16-bit data; float32 arrays may have more than three components and tell the first three */
  high: [number, number, number]; /** value of q = 65535 */
}

export interface FrameBlock {
  drawable: number;
  elementCount: number;
  arrays: FrameArray[];
}

export interface Frame {
  seq: number;
  time: number;
  thinned: number; /** of the points that are seen one in so many is there, 1: all */
  blocks: FrameBlock[];
}

export interface CurveChunk {
  firstSample: number;
  sampleCount: number;
  seriesCount: number;
  values: Float64Array; /** sample after sample */
}

const ENCODING_BYTES = [4, 2, 4];
const FRAME_HEADER_BYTES = 8;
const BLOCK_HEADER_BYTES = 16;
const ARRAY_HEADER_BYTES = 64;
const CURVE_HEADER_BYTES = 16;
const GEOMETRY_HEADER_BYTES = 24;
export const COMPONENTS_MOST = 16; /** of an array: as many as there may be modes */

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function u64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}

export function decodeHeader(buffer: ArrayBuffer): RecordHeader {
  if (buffer.byteLength < HEADER_BYTES) throw new RecordError(english.recordShort(buffer.byteLength));
  const view = new DataView(buffer);
  const header: RecordHeader = {
    size: view.getUint32(0, true),
    type: view.getUint16(4, true),
    skipped: view.getUint16(6, true),
    seq: u64(view, 8),
    time: view.getFloat64(16, true),
    stream: view.getUint32(28, true),
  };
  if (HEADER_BYTES + header.size > buffer.byteLength)
    throw new RecordError(english.recordSize(header.seq, header.size, buffer.byteLength - HEADER_BYTES));
  return header;
}

/** The payload of a scene, topology, event, progress or end record. */
export function decodeJson(buffer: ArrayBuffer, header: RecordHeader): unknown {
  const text = new TextDecoder().decode(new Uint8Array(buffer, HEADER_BYTES, header.size));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RecordError(english.recordNotJson(header.seq));
  }
}

/** Reads a payload front to back and refuses to go past its end. */
class Cursor {
  readonly view: DataView;
  private readonly end: number;

  constructor(
    readonly buffer: ArrayBuffer,
    private readonly header: RecordHeader,
    public offset = HEADER_BYTES,
  ) {
    this.view = new DataView(buffer);
    this.end = HEADER_BYTES + header.size;
  }

  /** Where the next `bytes` begin; moves behind them. */
  take(bytes: number, what: string): number {
    const start = this.offset;
    if (start + bytes > this.end) throw new RecordError(english.recordEnds(this.header.seq, what));
    this.offset = start + bytes;
    return start;
  }

  u32(offset: number): number {
    return this.view.getUint32(offset, true);
  }

  triple(offset: number): [number, number, number] {
    const at = (i: number): number => this.view.getFloat64(offset + 8 * i, true);
    return [at(0), at(1), at(2)];
  }
}

function typedView(buffer: ArrayBuffer, encoding: number, offset: number, length: number): FrameData {
  if (encoding === 0) return new Float32Array(buffer, offset, length);
  if (encoding === 1) return new Uint16Array(buffer, offset, length);
  return new Uint32Array(buffer, offset, length);
}

function decodeArray(cursor: Cursor, elementCount: number): FrameArray {
  const at = cursor.take(ARRAY_HEADER_BYTES, english.record.arrayHeader);
  const [field, encoding, components, size] = [cursor.u32(at), cursor.u32(at + 4), cursor.u32(at + 8), cursor.u32(at + 12)];
  const width = ENCODING_BYTES[encoding];
  if (width === undefined) throw new RecordError(english.recordEncoding(encoding));
  const most = encoding === 0 ? COMPONENTS_MOST : 3; /* whose ranges the header has room for */
  if (components < 1 || components > most || size !== elementCount * components * width)
    throw new RecordError(english.recordArraySize(elementCount, components, size));
  const start = cursor.take(padded(size), english.record.array); /* before the view, which may not reach past the buffer */
  const data = typedView(cursor.buffer, encoding, start, elementCount * components);
  return { field, components, data, low: cursor.triple(at + 16), high: cursor.triple(at + 40) };
}

function decodeBlock(cursor: Cursor): FrameBlock {
  const at = cursor.take(BLOCK_HEADER_BYTES, english.record.blockHeader);
  const block: FrameBlock = { drawable: cursor.u32(at), elementCount: cursor.u32(at + 4), arrays: [] };
  const arrayCount = cursor.u32(at + 8);
  const end = cursor.offset + cursor.u32(at + 12);
  for (let i = 0; i < arrayCount; i++) block.arrays.push(decodeArray(cursor, block.elementCount));
  if (cursor.offset !== end) throw new RecordError(english.recordBlockSize(block.drawable));
  return block;
}

export function decodeFrame(buffer: ArrayBuffer, header: RecordHeader): Frame {
  const cursor = new Cursor(buffer, header);
  const head = cursor.take(FRAME_HEADER_BYTES, english.record.frameHeader);
  const blockCount = cursor.u32(head);
  const frame: Frame = { seq: header.seq, time: header.time, thinned: Math.max(1, cursor.u32(head + 4)), blocks: [] };
  for (let i = 0; i < blockCount; i++) frame.blocks.push(decodeBlock(cursor));
  return frame;
}

export function decodeCurve(buffer: ArrayBuffer, header: RecordHeader): CurveChunk {
  const cursor = new Cursor(buffer, header);
  const at = cursor.take(CURVE_HEADER_BYTES, english.record.curveHeader);
  const chunk = { firstSample: u64(cursor.view, at), sampleCount: cursor.u32(at + 8), seriesCount: cursor.u32(at + 12) };
  const length = chunk.sampleCount * chunk.seriesCount;
  const start = cursor.take(8 * length, english.record.samples);
  return { ...chunk, values: new Float64Array(buffer, start, length) };
}

/** A shape of instances, or the surface of a deforming mesh as it is before it deforms. */
export interface Geometry {
  drawable: number;
  shape: number; /** which of the drawable's shapes, 0 for its first */
  vertexCount: number;
  vertices: Float32Array; /** [vertexCount][3], m */
  triangles: Uint32Array; /** numbers of vertices, by threes, all of them below vertexCount */
  modes: Float32Array[]; /** displacement of each vertex for an amplitude of 1, [vertexCount][3] each, m */
}

/** Triangles that name a vertex that isn't there are left out, so that nothing is read past the end. */
export function soundTriangles(given: Uint32Array, vertexCount: number): Uint32Array {
  let sound = true;
  for (let i = 0; i < given.length && sound; i++) sound = (given[i] as number) < vertexCount;
  if (sound) return given;
  const kept: number[] = [];
  for (let t = 0; t + 2 < given.length; t += 3) {
    const corners = given.subarray(t, t + 3);
    if (corners.every((v) => v < vertexCount)) kept.push(...corners);
  }
  return Uint32Array.from(kept);
}

export function decodeGeometry(buffer: ArrayBuffer, header: RecordHeader): Geometry {
  const cursor = new Cursor(buffer, header);
  const at = cursor.take(GEOMETRY_HEADER_BYTES, english.record.geometryHeader);
  const [drawable, shape, vertexCount, triangleCount, modeCount] = [0, 4, 8, 12, 16].map((offset) => cursor.u32(at + offset)) as [number, number, number, number, number];
  if (modeCount > COMPONENTS_MOST) throw new RecordError(english.recordModes(drawable, modeCount, COMPONENTS_MOST));
  const triples = (count: number, what: string): number => cursor.take(12 * count, what);
  const vertices = new Float32Array(buffer, triples(vertexCount, english.record.vertices), 3 * vertexCount);
  const triangles = new Uint32Array(buffer, triples(triangleCount, english.record.triangles), 3 * triangleCount);
  const modes = Array.from({ length: modeCount }, () => new Float32Array(buffer, triples(vertexCount, english.record.geometryModes), 3 * vertexCount));
  return { drawable, shape, vertexCount, vertices, triangles: soundTriangles(triangles, vertexCount), modes };
}

/** Value of element `index`, component `component`, in the field's unit. */
export function arrayValue(array: FrameArray, index: number, component = 0): number {
  const raw = array.data[index * array.components + component] ?? NaN;
  if (!(array.data instanceof Uint16Array)) return raw;
  const low = array.low[component] ?? 0;
  const high = array.high[component] ?? 0;
  return low + ((high - low) * raw) / 65535;
}
