/** The instance under the pointer: balls around the shapes tell which may be met, their triangles which are. In the view's units. */
import type { FrameData, Geometry } from "../../recording/record.js";
import { codeOf, valuesOf } from "../draw/coded.js";
import type { InstanceState } from "../draw/instances.js";
import { radiusOf } from "../draw/modes.js";
import { nearestVertex, type Ray } from "./ray.js";

/** A vector turned by a rotation vector. */
export function turned(v: readonly number[], w: readonly number[]): [number, number, number] {
  const [x = 0, y = 0, z = 0] = v;
  const [a = 0, b = 0, c = 0] = w;
  const angle = Math.hypot(a, b, c);
  const s = angle < 1e-6 ? 1 : Math.sin(angle) / angle;
  const t = angle < 1e-6 ? 0.5 : (1 - Math.cos(angle)) / angle ** 2;
  const [p, q, r] = [b * z - c * y, c * x - a * z, a * y - b * x];
  return [x + s * p + t * (b * r - c * q), y + s * q + t * (c * p - a * r), z + s * r + t * (a * q - b * p)];
}

/** Vertices of one instance: its shape with the modes blended, scaled, turned and moved.
 *  @param at its place   @param size metres in the view's unit */
export function posed(geometry: Geometry, at: readonly number[], turn: readonly number[], scale: number, amplitudes: ArrayLike<number>, size: number): Float32Array {
  const out = new Float32Array(geometry.vertices.length);
  for (let v = 0; v + 2 < out.length; v += 3) {
    const bent = [0, 1, 2].map((i) => geometry.modes.reduce((sum, mode, k) => sum + (amplitudes[k] ?? 0) * (mode[v + i] as number), geometry.vertices[v + i] as number));
    const there = turned(bent.map((x) => (x * scale) / size), turn);
    for (let i = 0; i < 3; i++) out[v + i] = (at[i] ?? 0) + (there[i] ?? 0);
  }
  return out;
}

/** How far the modes may move a vertex of an instance in all, m. `reach`: how far each does for an amplitude of 1. */
function slackOf(reach: number[], amplitudes: FrameData, first: number): number {
  let sum = 0;
  for (let k = 0; k < reach.length; k++) sum += Math.abs(amplitudes[first + k] as number) * (reach[k] as number);
  return sum;
}

export function nearestInstance(ray: Ray, state: InstanceState, shapes: ReadonlyMap<number, Geometry>, places: Float32Array, size: number): { element: number; distance: number } {
  const balls = new Map([...shapes].map(([shape, { vertices, modes }]) => [shape, { radius: radiusOf(vertices), reach: modes.slice(0, state.amplitudes?.components ?? 0).map(radiusOf) }]));
  const scales = state.scale ? valuesOf(state.scale) : null;
  const { low, span } = codeOf(state.turn);
  const factor = state.turn.data instanceof Uint16Array ? 1 / 65535 : 1;
  const { amplitudes } = state;
  const near: { element: number; distance: number }[] = [];
  for (let i = 0; i < state.count; i++) {
    const shape = state.shape ? (state.shape.data[i] as number) : 0;
    const ball = balls.get(shape);
    if (!ball) continue;
    const slack = amplitudes ? slackOf(ball.reach, amplitudes.data, i * amplitudes.components) : 0;
    const radius = ((ball.radius + slack) * Math.abs(scales ? (scales[i] as number) : 1)) / size;
    let along = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const x = (places[3 * i + k] as number) - (ray.from[k] as number);
      along += x * (ray.along[k] as number);
      square += x * x;
    }
    if (square - along * along <= radius * radius && along + radius > 0) near.push({ element: i, distance: along - radius });
  }
  near.sort((a, b) => a.distance - b.distance);
  let best = { element: -1, distance: Infinity };
  for (const { element, distance } of near) {
    if (distance > best.distance) break; /* all that follow begin behind it */
    const geometry = shapes.get(state.shape ? (state.shape.data[element] as number) : 0);
    if (!geometry) continue;
    const turn = [0, 1, 2].map((k) => (low[k] ?? 0) + (span[k] ?? 1) * factor * (state.turn.data[3 * element + k] as number));
    const own = amplitudes ? amplitudes.data.subarray(element * amplitudes.components, (element + 1) * amplitudes.components) : [];
    const vertices = posed(geometry, places.subarray(3 * element, 3 * element + 3) as unknown as number[], turn, scales ? (scales[element] as number) : 1, own, size);
    const found = nearestVertex(ray, vertices, geometry.triangles);
    if (found.element >= 0 && found.distance < best.distance) best = { element, distance: found.distance };
  }
  return best;
}
