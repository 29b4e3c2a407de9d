/** Vectors of elements: fields of three components as a frame has them, and velocities from where elements were in the frame before. */
import { hiddenIn, type Hidden } from "./hidden.js";
import { arrayValue, type Frame } from "./record.js";
import type { Drawable } from "./topology.js";

/** What is shown as arrows: a field, or -1: the velocity. */
export interface VectorChoice {
  drawable: number; /** -1: of every drawable that moves */
  field: number;
  name: string;
  unit: string;
}

export interface Vectors {
  places: Float64Array; /** x y z of each, m */
  values: Float64Array; /** x y z of each, in the field's unit */
  longest: number; /** of the values */
}

const BODIES = new Set(["points", "instances", "surface", "threads"]);
const FORM = new Set(["orientation", "position", "normal"]); /* vectors that say how things are drawn */

export const VELOCITY: VectorChoice = { drawable: -1, field: -1, name: "velocity", unit: "m/s" };

/** What can be shown of a run: velocities, and each vector field, such as a contact's force. */
export function vectorChoices(drawables: Drawable[]): VectorChoice[] {
  const fields = drawables.flatMap(({ id, fields: list }) => list.flatMap(({ name, unit, components }, field) => (field > 0 && components === 3 && !FORM.has(name) && name !== "amplitudes" ? [{ drawable: id, field, name, unit }] : [])));
  return drawables.some(moves) ? [VELOCITY, ...fields] : fields;
}

const moves = ({ kind, changing }: Drawable): boolean => BODIES.has(kind) && !changing;

/** At most so many vectors, of elements evenly picked from the list.
 *  @param before the frame before this one, for velocities; null: there are none
 *  Elements that come and go, and those of frames with only some of the points, have no velocities. */
export function vectorsOf(frame: Frame, before: Frame | null, drawables: Drawable[], choice: VectorChoice, most: number, hidden: Hidden[] = []): Vectors {
  const places: number[] = [];
  const values: number[] = [];
  const chosen = drawables.filter((drawable) => (choice.drawable < 0 ? moves(drawable) && !drawable.fields.some(({ name }) => name === "id") : drawable.id === choice.drawable));
  const blocks = chosen.flatMap(({ id }) => frame.blocks.filter(({ drawable }) => drawable === id));
  const every = Math.max(1, Math.ceil(blocks.reduce((sum, { elementCount }) => sum + elementCount, 0) / most));
  const span = before ? frame.time - before.time : 0;
  for (const block of blocks) {
    const place = block.arrays.find(({ field, components }) => field === 0 && components === 3);
    const array = choice.field < 0 ? place : block.arrays.find(({ field, components }) => field === choice.field && components === 3);
    const old = choice.field < 0 ? before?.blocks.find((one) => one.drawable === block.drawable && one.elementCount === block.elementCount)?.arrays.find(({ field, components }) => field === 0 && components === 3) : undefined;
    if (!place || !array || (choice.field < 0 && (!old || !(span > 0) || frame.thinned > 1))) continue;
    const isHidden = hiddenIn(block, hidden);
    for (let i = 0; i < block.elementCount; i += every) {
      if (isHidden(i)) continue;
      for (let axis = 0; axis < 3; axis++) {
        places.push(arrayValue(place, i, axis));
        values.push(old ? (arrayValue(place, i, axis) - arrayValue(old, i, axis)) / span : arrayValue(array, i, axis));
      }
    }
  }
  let longest = 0;
  for (let i = 0; i < values.length; i += 3) longest = Math.max(longest, Math.hypot(values[i] ?? 0, values[i + 1] ?? 0, values[i + 2] ?? 0));
  return { places: Float64Array.from(places), values: Float64Array.from(values), longest };
}
