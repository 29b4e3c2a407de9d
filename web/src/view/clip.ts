/** What the user cuts away: beyond a plane across an axis, and outside of a box; both as shares of the run's bounds. */
import type { Bounds } from "../recording/topology.js";
import { wholeBox, type ClipBox } from "./draw/clip.js";
import { toView, type Space } from "./space.js";

export interface Clip {
  axis: 0 | 1 | 2;
  position: number; /** share of the bounds along the axis, 0 ... 1 */
  flipped: boolean; /** false: what lies beyond is left out; true: what lies before */
}

/** From and to along each axis, shares of the bounds. */
export type ClipShares = [[number, number], [number, number], [number, number]];

const NOTHING_CUT = 1e-9;

/** @returns the box of what is shown, in the view's units */
export function clipBox(plane: Clip | null, shares: ClipShares | null, bounds: Bounds, space: Space): ClipBox {
  const box = wholeBox();
  const [low, high] = [toView(space, bounds.minimum), toView(space, bounds.maximum)];
  const at = (axis: 0 | 1 | 2, share: number): number => low[axis] + share * (high[axis] - low[axis]);
  for (const axis of [0, 1, 2] as const) {
    const [from, to] = shares?.[axis] ?? [0, 1];
    if (from > NOTHING_CUT) box.low.setComponent(axis, at(axis, from));
    if (to < 1 - NOTHING_CUT) box.high.setComponent(axis, at(axis, to));
  }
  if (!plane) return box;
  const place = at(plane.axis, plane.position);
  if (plane.flipped) box.low.setComponent(plane.axis, Math.max(place, box.low.getComponent(plane.axis)));
  else box.high.setComponent(plane.axis, Math.min(place, box.high.getComponent(plane.axis)));
  return box;
}
