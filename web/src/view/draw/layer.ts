/** What every drawn kind of drawable offers the view: one object in the picture, fed frame by frame. */
import type { Object3D } from "three";
import type { Frame, FrameArray, FrameBlock } from "../../recording/record.js";
import type { Bounds, Drawable } from "../../recording/topology.js";
import type { ClipBox } from "./clip.js";
import type { Detail } from "../pace.js";
import type { Hit, Ray } from "../pick/ray.js";
import type { Colouring } from "./tint.js";

export interface Layer {
  readonly object: Object3D;
  readonly drawable: Drawable;
  /** Takes a frame's values; what the frame lacks is not drawn. */
  show(frame: Frame): void;
  /** The box around what is drawn, m; null when nothing is. */
  bounds(): Bounds | null;
  setColouring(colouring: Colouring): void;
  /** What lies outside is left out. */
  setClip(box: ClipBox): void;
  setDetail(detail: Detail): void;
  setViewportHeight(pixels: number): void;
  /** The nearest part of it that a ray meets. */
  pick(ray: Ray): Hit | null;
  dispose(): void;
}

/** Blocks of one drawable, in the order of the frame: threads and skins have two. */
export function blocksOf(frame: Frame, drawable: number): FrameBlock[] {
  return frame.blocks.filter((block) => block.drawable === drawable);
}

/** The array of a field, when it is there with so many components for each of `count` elements. */
export function arrayOf(block: FrameBlock | undefined, field: number, components: number): FrameArray | undefined {
  if (!block || field < 0) return undefined;
  return block.arrays.find((array) => array.field === field && array.components === components && array.data.length === components * block.elementCount);
}
