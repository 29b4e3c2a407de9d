/** A template's surface, moved by one of its modes. */
import type { Body } from "./turned.js";

/** Of TemplateShape: lists of x, y, z. */
export interface Movable {
  vertices: number[];
  triangles: number[];
  fields: number[][];
}

/** The farthest vertex from the origin, which is the body's centroid. */
export function reachOf(vertices: number[]): number {
  let reach = 0;
  for (let v = 0; v + 2 < vertices.length; v += 3) reach = Math.max(reach, Math.hypot(vertices[v] ?? 0, vertices[v + 1] ?? 0, vertices[v + 2] ?? 0));
  return reach;
}

/** The mean edge of its triangles, m. */
export function edgeOf({ vertices, triangles }: Movable): number {
  let sum = 0;
  for (let k = 0; k < triangles.length; k++) {
    const a = 3 * (triangles[k] ?? 0), b = 3 * (triangles[k % 3 === 2 ? k - 2 : k + 1] ?? 0);
    sum += Math.hypot(...[0, 1, 2].map((i) => (vertices[a + i] ?? 0) - (vertices[b + i] ?? 0)));
  }
  return sum / Math.max(1, triangles.length);
}

/** Its vertices at X + eps Phi(X), in a box that stays the same however far it moves.
 *  @param amplitude eps, m    @param around half the box's diagonal, m */
export function movedBody(shape: Movable, mode: number, amplitude: number, around: number): Body {
  const field = shape.fields[mode], half = around / Math.sqrt(3);
  const vertices = field && amplitude !== 0 ? shape.vertices.map((value, k) => value + amplitude * (field[k] ?? 0)) : shape.vertices;
  return { low: [-half, -half, -half], high: [half, half, half], vertices, triangles: shape.triangles, parts: [] };
}
