/** The cell under the pointer: the nearest of the faces that are drawn. In the view's units. */
import type { Faces } from "../../recording/cells.js";
import type { Ray } from "./ray.js";

/** @param corners lower corner of each face's cell, x y z   @param size of a cell
 *  @returns the element of the frame, -1 for none, and its distance */
export function nearestCell(ray: Ray, faces: Faces, corners: Float32Array, size: readonly number[]): { element: number; distance: number } {
  let best = { element: -1, distance: Infinity };
  for (let f = 0; f < faces.element.length; f++) {
    const side = faces.side[f] as number;
    const axis = side >> 1;
    const along = ray.along[axis] as number;
    if (along === 0) continue;
    const plane = (corners[3 * f + axis] as number) + (side & 1) * (size[axis] as number);
    const distance = (plane - (ray.from[axis] as number)) / along;
    if (!(distance > 0 && distance < best.distance)) continue;
    const meets = [1, 2].every((turn) => {
      const across = (axis + turn) % 3;
      const off = (ray.from[across] as number) + distance * (ray.along[across] as number) - (corners[3 * f + across] as number);
      return off >= 0 && off <= (size[across] as number);
    });
    if (meets) best = { element: faces.element[f] as number, distance };
  }
  return best;
}
