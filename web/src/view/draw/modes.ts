/** What is known of a shape and its modes before any instance is drawn. */
import type { Geometry } from "../../recording/record.js";
import { normalsOf } from "../../recording/skin.js";

/** The largest distance of a vertex from the shape's origin, m. */
export function radiusOf(vertices: Float32Array): number {
  let square = 0;
  for (let v = 0; v + 2 < vertices.length; v += 3) square = Math.max(square, (vertices[v] as number) ** 2 + (vertices[v + 1] as number) ** 2 + (vertices[v + 2] as number) ** 2);
  return Math.sqrt(square);
}

/** Normals of a mesh with these vertices, of the lengths that areas in units of `unit` squared give. */
function normals(vertices: Float32Array, { triangles, vertexCount }: Geometry, unit: number): Float32Array {
  const list = { field: 0, low: [0, 0, 0] as [number, number, number], high: [unit, unit, unit] as [number, number, number], components: 3 };
  return normalsOf({ vertexCount, position: { ...list, data: vertices }, corners: { ...list, data: triangles } });
}

/** The normals of a shape at rest, and how they change with each mode's amplitude, to first order: they are products of two edges, so that half the
 *  difference between the shape bent one way and the other way is the linear part exactly. */
export function modeNormals(geometry: Geometry): { rest: Float32Array; changes: Float32Array[] } {
  const unit = radiusOf(geometry.vertices) || 1;
  const rest = normals(geometry.vertices, geometry, unit);
  const changes = geometry.modes.map((mode) => {
    const step = unit / (radiusOf(mode) || 1); /* moves the vertices about as far as the shape is large: neither sum is lost in the other */
    const bent = (by: number): Float32Array => normals(geometry.vertices.map((x, i) => x + by * (mode[i] as number)), geometry, unit);
    const [up, down] = [bent(step), bent(-step)];
    return up.map((x, i) => (x - (down[i] as number)) / (2 * step));
  });
  return { rest, changes };
}

const CREASE_COSINE = Math.cos((35 * Math.PI) / 180); /* faces that meet at a larger angle have a sharp edge between them */

/** The unit normal of each triangle, 0 for one without an area. */
function faceNormals({ vertices, triangles }: Geometry): Float32Array {
  const out = new Float32Array(triangles.length);
  const at = (t: number, k: number, i: number): number => vertices[3 * (triangles[3 * t + k] as number) + i] as number;
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [ux = 0, uy = 0, uz = 0] = [0, 1, 2].map((i) => at(t, 1, i) - at(t, 0, i));
    const [vx = 0, vy = 0, vz = 0] = [0, 1, 2].map((i) => at(t, 2, i) - at(t, 0, i));
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal);
    for (let i = 0; i < 3; i++) out[3 * t + i] = length > 0 ? (normal[i] ?? 0) / length : 0;
  }
  return out;
}

/** The same shape with the vertices along sharp edges doubled, so that each side of an edge has normals of its own. `source` says for each vertex which
 *  one of the given shape it is. */
export function creased(geometry: Geometry): Geometry & { source: Uint32Array } {
  const { triangles, vertexCount } = geometry;
  const faces = faceNormals(geometry);
  const around: number[][] = Array.from({ length: vertexCount }, () => []); /* corners at each vertex: places in `triangles` */
  triangles.forEach((v, corner) => around[v]?.push(corner));
  const smooth = (a: number, b: number): boolean => [0, 1, 2].reduce((sum, i) => sum + (faces[3 * a + i] as number) * (faces[3 * b + i] as number), 0) > CREASE_COSINE;
  const next = new Uint32Array(triangles.length);
  const source: number[] = Array.from({ length: vertexCount }, (_, v) => v);
  around.forEach((corners, v) => {
    const left = new Set(corners);
    for (let group = 0; left.size > 0; group++) {
      const number = group === 0 ? v : source.push(v) - 1;
      const [first] = left;
      const queue = [first as number];
      left.delete(first as number);
      for (let corner = queue.pop(); corner !== undefined; corner = queue.pop()) {
        next[corner] = number;
        const face = Math.floor(corner / 3);
        for (const other of left) {
          if (!smooth(face, Math.floor(other / 3))) continue;
          left.delete(other);
          queue.push(other);
        }
      }
    }
  });
  const taken = (values: Float32Array): Float32Array => Float32Array.from({ length: 3 * source.length }, (_, i) => values[3 * (source[Math.floor(i / 3)] as number) + (i % 3)] as number);
  return { ...geometry, vertexCount: source.length, vertices: taken(geometry.vertices), triangles: next, modes: geometry.modes.map(taken), source: Uint32Array.from(source) };
}
