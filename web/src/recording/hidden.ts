/** A frame without the elements that the user hides: those with certain values of a field, such as the number of their piece or grain. */
import { arrayValue, type Frame, type FrameArray, type FrameBlock, type FrameData } from "./record.js";
import type { Drawable } from "./topology.js";

/** What is hidden of a drawable: elements whose field has one of the values. */
export interface Hidden {
  drawable: number;
  field: number; /** -1: elements by their place in the list */
  values: Set<number>;
}

const ELEMENTS = new Set(["points", "instances"]);
const [PIECE, CORNERS] = [1, 2]; /* fields of a skin */

/** Fields that elements can be hidden by: whole numbers of which several elements may have the same, then "each by itself". */
export function fieldsToHideBy(drawable: Drawable): { field: number; name: string }[] {
  if (!ELEMENTS.has(drawable.kind)) return [];
  const numbered = drawable.fields.flatMap(({ name, encoding, components }, field) => (field > 0 && encoding === "uint32" && components === 1 && name !== "shape" ? [{ field, name }] : []));
  return drawable.kind === "instances" && !numbered.some(({ name }) => name === "id") ? [...numbered, { field: -1, name: "body" }] : numbered;
}

function picked(array: FrameArray, kept: Uint32Array): FrameArray {
  const { components, data } = array;
  const out = new (data.constructor as new (length: number) => FrameData)(components * kept.length);
  for (let k = 0; k < kept.length; k++) for (let i = 0; i < components; i++) out[components * k + i] = data[components * (kept[k] as number) + i] as number;
  return { ...array, data: out };
}

/** Whether an element of a block is hidden. */
export function hiddenIn(block: FrameBlock, hidden: Hidden[]): (element: number) => boolean {
  const tests = hidden.filter(({ drawable }) => drawable === block.drawable).map(({ field, values }) => ({ array: block.arrays.find((one) => one.field === field && one.components === 1), field, values }));
  return (element) => tests.some(({ array, field, values }) => (field < 0 ? values.has(element) : array !== undefined && values.has(arrayValue(array, element))));
}

function without(block: FrameBlock, hidden: Hidden[]): FrameBlock {
  const isHidden = hiddenIn(block, hidden);
  const list = new Uint32Array(block.elementCount);
  let count = 0;
  for (let i = 0; i < list.length; i++) if (!isHidden(i)) list[count++] = i;
  if (count === list.length) return block;
  const kept = list.subarray(0, count);
  return { ...block, elementCount: count, arrays: block.arrays.map((array) => (array.data.length === array.components * block.elementCount ? picked(array, kept) : array)) };
}

/** The pieces that elements of a block are of. */
function piecesIn(block: FrameBlock, field: number): Set<number> | null {
  const array = block.arrays.find((one) => one.field === field && one.components === 1);
  return array ? new Set(Array.from({ length: block.elementCount }, (_, i) => arrayValue(array, i))) : null;
}

/** The triangles of a skin whose piece is still there. */
function skinOver(block: FrameBlock, skin: FrameBlock[], pieces: Set<number>): FrameBlock {
  const of = skin.flatMap(({ arrays }) => arrays).find(({ field }) => field === PIECE);
  const corners = block.arrays.find(({ field }) => field === CORNERS);
  if (!of || !corners || corners.components !== 3) return block;
  const list: number[] = [];
  for (let t = 0; 3 * t + 2 < corners.data.length; t++) if (pieces.has(arrayValue(of, corners.data[3 * t] as number))) list.push(t);
  return { ...block, elementCount: list.length, arrays: block.arrays.map((array) => (array === corners ? picked(array, Uint32Array.from(list)) : array)) };
}

/** @param hidden empty: the frame itself */
export function withoutHidden(frame: Frame, hidden: Hidden[], drawables: Drawable[]): Frame {
  if (hidden.length === 0) return frame;
  const less = frame.blocks.map((block) => (hidden.some(({ drawable }) => drawable === block.drawable) ? without(block, hidden) : block));
  const blocks = less.map((block) => {
    const skin = drawables.find(({ id, changing }) => changing && id === block.drawable);
    const below = skin && hidden.some(({ drawable }) => drawable === skin.skinOf) ? less.find(({ drawable }) => drawable === skin.skinOf) : undefined;
    const pieces = below ? piecesIn(below, drawables.find(({ id }) => id === skin?.skinOf)?.pieces ?? -1) : null;
    return pieces ? skinOver(block, less.filter(({ drawable }) => drawable === block.drawable), pieces) : block;
  });
  return { ...frame, blocks };
}
