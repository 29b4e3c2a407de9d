/** A frame with displacements enlarged: each element stands as many times as far from where it began. The rig stays where it is. */
import type { Frame, FrameArray } from "./record.js";
import type { Drawable } from "./topology.js";

const BODIES = new Set(["points", "instances", "surface", "threads"]);

/** Places as numbers, m. */
export function places({ data, low, high }: FrameArray): Float64Array {
  const coded = data instanceof Uint16Array;
  return Float64Array.from(data, (value, i) => (coded ? (low[i % 3] ?? 0) + (((high[i % 3] ?? 0) - (low[i % 3] ?? 0)) * value) / 65535 : value));
}

/** The same numbers in the encoding that the array has: 16 bits over a range of their own, or floats. */
export function recoded(array: FrameArray, values: Float64Array): FrameArray {
  if (!(array.data instanceof Uint16Array)) return { ...array, data: Float32Array.from(values) };
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  values.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3] ?? value, value);
    high[i % 3] = Math.max(high[i % 3] ?? value, value);
  });
  const data = Uint16Array.from(values, (value, i) => {
    const [from, to] = [low[i % 3] ?? 0, high[i % 3] ?? 0];
    return to > from ? Math.round((65535 * (value - from)) / (to - from)) : 0;
  });
  return { ...array, data, low, high };
}

/** @param first the run's first frame   @param factor 1: as it is
 *  Drawables whose elements come and go, or of which only some are in a frame, stay as they are. */
export function enlarged(frame: Frame, first: Frame, factor: number, drawables: Drawable[]): Frame {
  if (factor === 1 || frame.thinned > 1 || first.thinned > 1) return frame;
  const followed = new Set(drawables.filter(({ kind, changing, fields }) => BODIES.has(kind) && !changing && !fields.some(({ name }) => name === "id")).map(({ id }) => id));
  const blocks = frame.blocks.map((block) => {
    const begun = followed.has(block.drawable) ? first.blocks.find((one) => one.drawable === block.drawable && one.elementCount === block.elementCount) : undefined;
    const from = begun?.arrays.find(({ field, components }) => field === 0 && components === 3);
    if (!from) return block;
    const start = places(from);
    const arrays = block.arrays.map((array) => {
      if (array.field !== 0 || array.components !== 3 || array.data.length !== start.length) return array;
      return recoded(array, places(array).map((value, i) => (start[i] ?? value) + factor * (value - (start[i] ?? value))));
    });
    return { ...block, arrays };
  });
  return { ...frame, blocks };
}
