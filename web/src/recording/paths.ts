/** The path of one element through a run: where it is in each frame. */
import { arrayValue, type Frame, type FrameBlock } from "./record.js";
import type { Drawable, Vector } from "./topology.js";

/** An element that is followed: by its value of the field `id` where there is one, else by its place in the list. */
export interface Followed {
  drawable: number;
  field: number; /** -1: by its place */
  value: number;
}

export function followedOf(drawable: Drawable, block: FrameBlock, element: number): Followed {
  const field = drawable.fields.findIndex(({ name, components }) => name === "id" && components === 1);
  const ids = block.arrays.find((array) => array.field === field && array.components === 1);
  return ids ? { drawable: drawable.id, field, value: arrayValue(ids, element) } : { drawable: drawable.id, field: -1, value: element };
}

/** Where it is in a frame, m; null: it is not there, or the frame holds only some of the elements. */
export function placeIn(frame: Frame, { drawable, field, value }: Followed): Vector | null {
  const block = frame.blocks.find((one) => one.drawable === drawable);
  const position = block?.arrays.find((array) => array.field === 0 && array.components === 3);
  if (!block || !position || frame.thinned > 1) return null;
  let element = value;
  if (field >= 0) {
    const ids = block.arrays.find((array) => array.field === field && array.components === 1);
    element = ids ? Array.from({ length: block.elementCount }, (_, i) => arrayValue(ids, i)).indexOf(value) : -1;
  }
  return element < 0 || element >= block.elementCount ? null : [arrayValue(position, element, 0), arrayValue(position, element, 1), arrayValue(position, element, 2)];
}

/** How long a path is, m. */
export function lengthOf(path: Vector[]): number {
  return path.slice(1).reduce((sum, place, i) => sum + distance(place, path[i] ?? place), 0);
}

export const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
