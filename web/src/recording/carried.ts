/** Values of points carried over to the vertices of a skin that covers them: each vertex takes the mean of the points of its own piece around it, the
 *  nearer ones counting more, so that a surface shows what the points below it hold and no piece takes colour from its neighbour. */
import { arrayValue, type FrameArray } from "./record.js";

/** The points whose values each vertex takes: those of vertex v are first[v] ... first[v + 1] - 1, their weights sum to 1. */
export interface Links {
  first: Uint32Array;
  point: Uint32Array;
  weight: Float32Array;
}

const CELLS_MOST = 2 ** 21;

interface Grid {
  low: [number, number, number];
  side: number;
  counts: [number, number, number];
  start: Uint32Array; /* [cells + 1] into `order` */
  order: Uint32Array; /* points, cell by cell */
}

/** Points in the cells of a grid whose cells are at least `reach` wide, so that all within reach of a place lie in the 27 around it. */
function gridOf(places: Float32Array, reach: number): Grid {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  const count = Math.floor(places.length / 3);
  for (let i = 0; i < 3 * count; i++) {
    const [axis, x] = [i % 3, places[i] as number];
    if (x < (low[axis] as number)) low[axis] = x;
    if (x > (high[axis] as number)) high[axis] = x;
  }
  let side = reach;
  let counts: [number, number, number];
  for (;;) {
    counts = low.map((l, axis) => Math.max(1, Math.floor(((high[axis] as number) - l) / side) + 1)) as [number, number, number];
    if (counts[0] * counts[1] * counts[2] <= CELLS_MOST) break;
    side *= 1.5; /* a far flung splinter */
  }
  const start = new Uint32Array(counts[0] * counts[1] * counts[2] + 1);
  const cell = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const at = [0, 1, 2].map((axis) => Math.floor(((places[3 * i + axis] as number) - (low[axis] as number)) / side)) as [number, number, number];
    cell[i] = at[0] + counts[0] * (at[1] + counts[1] * at[2]);
    start[(cell[i] as number) + 1] = (start[(cell[i] as number) + 1] as number) + 1;
  }
  for (let c = 1; c < start.length; c++) start[c] = (start[c] as number) + (start[c - 1] as number);
  const order = new Uint32Array(count);
  const next = start.slice();
  for (let i = 0; i < count; i++) {
    const c = cell[i] as number;
    order[next[c] as number] = i;
    next[c] = (next[c] as number) + 1;
  }
  return { low, side, counts, start, order };
}

/** Numbers that grow as they are added. */
class Growing {
  point = new Uint32Array(1024);
  weight = new Float32Array(1024);
  length = 0;

  add(point: number, weight: number): void {
    if (this.length === this.point.length) {
      const [p, w] = [new Uint32Array(2 * this.length), new Float32Array(2 * this.length)];
      p.set(this.point);
      w.set(this.weight);
      [this.point, this.weight] = [p, w];
    }
    this.point[this.length] = point;
    this.weight[this.length++] = weight;
  }
}

/** Finds the points of each vertex. All places in one unit, x y z of each. A vertex with no point of its piece within reach takes the first of the piece;
 *  one whose piece has no points takes none.
 *  @param reach > 0, how far a vertex looks */
export function linksOf(vertices: Float32Array, vertexPiece: FrameArray, points: Float32Array, pointPiece: FrameArray, reach: number): Links {
  const many = Math.floor(vertices.length / 3);
  const grid = gridOf(points, reach);
  const pieces = Uint32Array.from({ length: Math.floor(points.length / 3) }, (_, i) => arrayValue(pointPiece, i));
  const any = new Map<number, number>();
  pieces.forEach((piece, i) => any.has(piece) || any.set(piece, i));
  const found = new Growing();
  const first = new Uint32Array(many + 1);
  for (let v = 0; v < many; v++) {
    const begin = found.length;
    const sum = pointsAround(grid, points, pieces, [vertices[3 * v] as number, vertices[3 * v + 1] as number, vertices[3 * v + 2] as number], arrayValue(vertexPiece, v), reach, found);
    const one = any.get(arrayValue(vertexPiece, v));
    if (found.length === begin && one !== undefined) found.add(one, 1);
    else for (let k = begin; k < found.length; k++) found.weight[k] = (found.weight[k] as number) / sum;
    first[v + 1] = found.length;
  }
  return { first, point: found.point.subarray(0, found.length), weight: found.weight.subarray(0, found.length) };
}

/** Adds the points of a piece within reach of a place. @returns the sum of their weights */
function pointsAround(grid: Grid, points: Float32Array, pieces: Uint32Array, at: [number, number, number], piece: number, reach: number, found: Growing): number {
  const { low, side, counts, start, order } = grid;
  const [x, y, z] = at;
  const [cx, cy, cz] = [Math.floor((x - low[0]) / side), Math.floor((y - low[1]) / side), Math.floor((z - low[2]) / side)];
  let sum = 0;
  for (let k = Math.max(0, cz - 1); k <= Math.min(counts[2] - 1, cz + 1); k++)
    for (let j = Math.max(0, cy - 1); j <= Math.min(counts[1] - 1, cy + 1); j++) {
      const row = counts[0] * (j + counts[1] * k);
      const [from, to] = [Math.max(0, cx - 1), Math.min(counts[0] - 1, cx + 1)];
      if (from > to) continue;
      const end = start[row + to + 1] as number;
      for (let n = start[row + from] as number; n < end; n++) {
        const i = order[n] as number;
        if (pieces[i] !== piece) continue;
        const dx = (points[3 * i] as number) - x;
        const dy = (points[3 * i + 1] as number) - y;
        const dz = (points[3 * i + 2] as number) - z;
        const near = 1 - (dx * dx + dy * dy + dz * dz) / (reach * reach);
        if (near <= 0) continue;
        const weight = near * near * near;
        sum += weight;
        found.add(i, weight);
      }
    }
  return sum;
}

/** The values of a field of the points at the vertices: means of numbers; of whole numbers, which only name something, that of the point which counts
 *  most. `none` where a vertex has no points. */
export function carried(links: Links, values: FrameArray, none = 0): FrameArray {
  const { first, point, weight } = links;
  const many = first.length - 1;
  const names = values.data instanceof Uint32Array;
  const out = names ? new Uint32Array(many) : new Float32Array(many);
  for (let v = 0; v < many; v++) {
    let [sum, most, best] = [0, 0, none];
    const [from, to] = [first[v] as number, first[v + 1] as number];
    for (let k = from; k < to; k++) {
      const w = weight[k] as number;
      const value = arrayValue(values, point[k] as number);
      sum += w * value;
      if (w > most) [most, best] = [w, value];
    }
    out[v] = names || from === to ? best : sum;
  }
  return { field: values.field, components: 1, data: out, low: [...values.low], high: [...values.high] };
}

/** The point that counts most at a vertex; -1 for none. */
export function pointBelow(links: Links, vertex: number): number {
  let [most, best] = [0, -1];
  for (let k = links.first[vertex] ?? 0; k < (links.first[vertex + 1] ?? 0); k++) {
    const w = links.weight[k] as number;
    if (w > most) [most, best] = [w, links.point[k] as number];
  }
  return best;
}
