/** Changing meshes: the surfaces of the pieces of a body that a frame carries (core/record/FORMAT.md). */
import { arrayValue, type Frame, type FrameArray } from "./record.js";

const [POSITION, PIECE, CORNERS] = [0, 1, 2]; /* fields of such a drawable */

export interface Skin {
  vertexCount: number;
  triangleCount: number;
  position: FrameArray;
  piece: FrameArray; /** number of the piece that each vertex belongs to */
  corners: FrameArray;
}

/** The mesh of a drawable; null when the frame has none, or one whose triangles name vertices that aren't there. */
export function skinOf(frame: Frame, drawable: number): Skin | null {
  const arrays = frame.blocks.filter((block) => block.drawable === drawable).flatMap((block) => block.arrays);
  const [position, piece, corners] = [POSITION, PIECE, CORNERS].map((field) => arrays.find((array) => array.field === field));
  if (!position || !piece || !corners || position.components !== 3 || piece.components !== 1 || corners.components !== 3) return null;
  const skin = { vertexCount: position.data.length / 3, triangleCount: corners.data.length / 3, position, piece, corners };
  if (piece.data.length !== skin.vertexCount || corners.data instanceof Float32Array || piece.data instanceof Float32Array) return null;
  return largest(wide(corners)) < skin.vertexCount || skin.triangleCount === 0 ? skin : null;
}

/** The whole numbers of an array in 32 bits. Loops over one type of array are ten times as fast as over either. */
function wide(array: FrameArray): Uint32Array {
  return array.data instanceof Uint32Array ? array.data : new Uint32Array(array.data);
}

function largest(values: Uint32Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value > most) most = value;
  }
  return most;
}

/** The pieces that a skin covers. */
export function piecesOf(skin: Skin): Set<number> {
  const found = new Set<number>();
  const values = wide(skin.piece);
  let last = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value !== last) found.add(value);
    last = value;
  }
  return found;
}

/** Coordinates of the vertices in the proportions of space, whatever their unit: products of lengths in nanometres would leave single precision. */
function placesOf(position: FrameArray): Float32Array {
  const { data, low, high } = position;
  const longest = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  if (!(data instanceof Uint16Array)) return Float32Array.from(data, (x) => x / longest);
  const fx = (high[0] - low[0]) / longest;
  const fy = (high[1] - low[1]) / longest;
  const fz = (high[2] - low[2]) / longest;
  const places = new Float32Array(data.length);
  for (let i = 0; i + 2 < data.length; i += 3) {
    places[i] = fx * (data[i] as number);
    places[i + 1] = fy * (data[i + 1] as number);
    places[i + 2] = fz * (data[i + 2] as number);
  }
  return places;
}

/** Directions across the surface at the vertices, x y z of each, not of unit length: the sum of the triangles' normals times their areas.
 *  The loop keeps to plain numbers and one type of array each: 300 000 triangles take about 30 ms. */
export function normalsOf(skin: Pick<Skin, "position" | "corners" | "vertexCount">): Float32Array {
  const at = placesOf(skin.position);
  const index = wide(skin.corners);
  const normals = new Float32Array(3 * skin.vertexCount);
  for (let t = 0; t + 2 < index.length; t += 3) {
    const a = 3 * (index[t] as number);
    const b = 3 * (index[t + 1] as number);
    const c = 3 * (index[t + 2] as number);
    const ax = at[a] as number;
    const ay = at[a + 1] as number;
    const az = at[a + 2] as number;
    const ux = (at[b] as number) - ax;
    const uy = (at[b + 1] as number) - ay;
    const uz = (at[b + 2] as number) - az;
    const vx = (at[c] as number) - ax;
    const vy = (at[c + 1] as number) - ay;
    const vz = (at[c + 2] as number) - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    normals[a] = (normals[a] as number) + nx;
    normals[a + 1] = (normals[a + 1] as number) + ny;
    normals[a + 2] = (normals[a + 2] as number) + nz;
    normals[b] = (normals[b] as number) + nx;
    normals[b + 1] = (normals[b + 1] as number) + ny;
    normals[b + 2] = (normals[b + 2] as number) + nz;
    normals[c] = (normals[c] as number) + nx;
    normals[c + 1] = (normals[c + 1] as number) + ny;
    normals[c + 2] = (normals[c + 2] as number) + nz;
  }
  return normals;
}

/** Elements of the points that no skin covers, for whom it is enough that they are drawn as balls. */
export function uncovered(piece: FrameArray, covered: Set<number>): Uint32Array {
  const list = new Uint32Array(piece.data.length);
  let count = 0;
  for (let i = 0; i < list.length; i++) if (!covered.has(arrayValue(piece, i))) list[count++] = i;
  return list.subarray(0, count);
}
