/** Cells of a structured grid: where they are, and which of their faces are seen from outside. */
import type { FrameData } from "./record.js";
import type { GridShape, Vector } from "./topology.js";

/** i, j, k of a cell by its number. */
export function placeOf({ counts }: GridShape, cell: number): Vector {
  const [nx, ny] = counts;
  return [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))];
}

/** The axis along which a grid is flat, -1 for none. */
export function flatAxis({ spacing }: GridShape): number {
  return spacing.indexOf(0);
}

export function cellCount({ counts }: GridShape): number {
  return counts[0] * counts[1] * counts[2];
}

/** Faces between a cell that is shown and a place that is not. */
export interface Faces {
  element: Uint32Array; /** of the frame: whose face it is */
  side: Uint32Array; /** 2 axis + 1 at the upper end of the cell, 2 axis at the lower */
}

/** The outer faces of cells; of a flat grid one face each.
 *  @param cells their numbers, rising   @param shown places in `cells` of those that are shown, rising */
export function outerFaces(shape: GridShape, cells: FrameData, shown: Uint32Array): Faces {
  const flat = flatAxis(shape);
  if (flat >= 0) return { element: shown, side: new Uint32Array(shown.length).fill(2 * flat + 1) };
  const element: number[] = [];
  const side: number[] = [];
  const strides = [1, shape.counts[0], shape.counts[0] * shape.counts[1]];
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1;
    const upper = (face & 1) === 1;
    const end = upper ? (shape.counts[axis] as number) - 1 : 0;
    const step = (upper ? 1 : -1) * (strides[axis] as number);
    let at = 0; /* numbers rise, so the neighbours' do too */
    for (const k of shown) {
      const cell = cells[k] as number;
      const neighbour = cell + step;
      while (at < shown.length && (cells[shown[at] as number] as number) < neighbour) at++;
      const covered = placeOf(shape, cell)[axis] !== end && at < shown.length && cells[shown[at] as number] === neighbour;
      if (covered) continue;
      element.push(k);
      side.push(face);
    }
  }
  return { element: Uint32Array.from(element), side: Uint32Array.from(side) };
}
