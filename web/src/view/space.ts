/** From metres to the view's own units: the run's bounds become about 1 across, centred on 0, so that single precision on the
 *  graphics processor resolves a micrometre-sized grain as well as a dam. */
import type { Bounds, Vector } from "../recording/topology.js";

export interface Space {
  centre: Vector; /** m */
  size: number; /** m per unit of the view */
}

export function spaceOf(bounds: Bounds): Space {
  const extent = bounds.maximum.map((high, i) => high - (bounds.minimum[i] ?? 0));
  return {
    centre: bounds.maximum.map((high, i) => (high + (bounds.minimum[i] ?? 0)) / 2) as Vector,
    size: Math.max(...extent),
  };
}

export function toView(space: Space, point: Vector): Vector {
  return point.map((v, i) => (v - (space.centre[i] ?? 0)) / space.size) as Vector;
}
