/** A frame whose pieces stand apart: each moved away from the middle of all of them, whole, by a share of its distance from there. */
import { places, recoded } from "./enlarged.js";
import { arrayValue, type Frame, type FrameArray, type FrameBlock } from "./record.js";
import type { Drawable } from "./topology.js";

const BODIES = new Set(["points", "instances"]);
const PIECE_OF_SKIN = 1; /* field of a skin's vertices */

const arrayOf = (block: FrameBlock, field: number, components: number): FrameArray | undefined => block.arrays.find((array) => array.field === field && array.components === components && array.data.length === components * block.elementCount);

/** Sums of places by piece: x, y, z and how many. */
type Sums = Map<number, [number, number, number, number]>;

function sumsOf(block: FrameBlock, pieces: number): { sums: Sums; piece: (element: number) => number } | null {
  const position = arrayOf(block, 0, 3);
  if (!position) return null;
  const numbers = pieces < 0 ? undefined : arrayOf(block, pieces, 1);
  if (pieces >= 0 && !numbers) return null;
  const piece = (element: number): number => (numbers ? arrayValue(numbers, element) : element);
  const sums: Sums = new Map();
  const at = places(position);
  for (let i = 0; i < block.elementCount; i++) {
    const sum = sums.get(piece(i)) ?? [0, 0, 0, 0];
    for (const axis of [0, 1, 2] as const) sum[axis] += at[3 * i + axis] as number;
    sum[3]++;
    sums.set(piece(i), sum);
  }
  return { sums, piece };
}

function shifted(array: FrameArray, by: (element: number) => readonly number[]): FrameArray {
  const values = places(array);
  for (let i = 0; 3 * i + 2 < values.length; i++) {
    const shift = by(i);
    for (let axis = 0; axis < 3; axis++) values[3 * i + axis] = (values[3 * i + axis] as number) + (shift[axis] ?? 0);
  }
  return recoded(array, values);
}

const moved = (block: FrameBlock, by: (element: number) => readonly number[]): FrameBlock => ({ ...block, arrays: block.arrays.map((array) => (array.field === 0 && array.components === 3 ? shifted(array, by) : array)) });

/** @param factor 0: as it is; 1: every piece twice as far from the middle. Points without pieces stay, instances are a piece each unless they say theirs. */
export function exploded(frame: Frame, factor: number, drawables: Drawable[]): Frame {
  if (factor === 0) return frame;
  const bodies = drawables.filter(({ kind, pieces }) => kind === "instances" || (kind === "points" && pieces >= 0)).filter(({ kind, changing }) => BODIES.has(kind) && !changing);
  const found = new Map(frame.blocks.flatMap((block) => {
    const drawable = bodies.find(({ id }) => id === block.drawable);
    const sums = drawable && sumsOf(block, drawable.pieces);
    return sums ? [[block.drawable, sums] as const] : [];
  }));
  const middle = [0, 0, 0];
  let count = 0;
  for (const { sums } of found.values())
    for (const sum of sums.values()) {
      for (let axis = 0; axis < 3; axis++) middle[axis] = (middle[axis] ?? 0) + (sum[axis] ?? 0);
      count += sum[3];
    }
  const still = [0, 0, 0];
  const shiftOf = (sums: Sums, piece: number): readonly number[] => {
    const sum = sums.get(piece);
    return sum ? middle.map((total, axis) => factor * ((sum[axis] ?? 0) / sum[3] - total / count)) : still;
  };
  const blocks = frame.blocks.map((block) => {
    const own = found.get(block.drawable);
    if (own) return moved(block, (element) => shiftOf(own.sums, own.piece(element)));
    const below = drawables.find(({ id, changing }) => changing && id === block.drawable)?.skinOf ?? -1;
    const covered = found.get(below);
    const pieces = covered && block.arrays.find(({ field }) => field === PIECE_OF_SKIN);
    return covered && pieces && arrayOf(block, 0, 3) ? moved(block, (vertex) => shiftOf(covered.sums, arrayValue(pieces, vertex))) : block;
  });
  return { ...frame, blocks };
}
