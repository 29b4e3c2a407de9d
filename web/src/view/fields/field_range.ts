/** Which values the ends of the colour scale stand for. */
import { MAPS, type MapName } from "../../colour.js";
import type { FrameArray } from "../../recording/record.js";

const DECADES_FEW = 1e3; /* of a logarithmic scale that would begin at zero or below */
const DECADES_MOST = 1e6; /* what single precision on the graphics processor tells apart */

export interface Range {
  low: number;
  high: number;
}

export type RangeMode = "run" | "frame" | "fixed";

/** Least and largest value of a scalar array, which its header tells. */
export function arrayRange(array: FrameArray): Range | null {
  return array.data.length === 0 ? null : { low: array.low[0], high: array.high[0] };
}

/** The same over all frames of the run up to this one; null in recordings that don't tell. */
export function runRange(array: FrameArray): Range | null {
  return array.components === 1 && array.high[2] === 1 ? { low: array.low[1], high: array.high[1] } : null;
}

/** The range of one field as frames come: of this frame, of the run up to it, or what the user set. Recordings that don't tell the second (those of
 *  versions before 0.2) are given what this browser has seen. */
export class FieldRange {
  mode: RangeMode = "run";
  fixed: Range = { low: 0, high: 1 };
  private seen: Range | null = null;
  private frame: Range | null = null;

  /** @param run the run's range up to this frame, when it is known */
  observe(range: Range | null, run: Range | null = null): void {
    if (!range) return;
    this.frame = range;
    this.seen = run ?? (this.seen ? { low: Math.min(this.seen.low, range.low), high: Math.max(this.seen.high, range.high) } : range);
  }

  /** Whether all values seen so far, if there were any, are the same. */
  get flat(): boolean {
    return this.seen !== null && this.seen.low === this.seen.high;
  }

  /** Of all values seen so far, null before the first. */
  get known(): Range | null {
    return this.seen;
  }

  /** The ends of the scale that colours: with a logarithmic one both above zero, with a map by sign as far on either side of zero. */
  scale(map: MapName, logarithmic: boolean): Range & { logarithmic: boolean } {
    const { low, high } = this.current;
    const fit = logarithmic && high > 0;
    if (fit) return { low: low > 0 && low < high ? Math.max(low, high / DECADES_MOST) : high / DECADES_FEW, high, logarithmic: true };
    const most = Math.max(Math.abs(low), Math.abs(high));
    return MAPS[map].diverging && this.mode !== "fixed" ? { low: -most, high: most, logarithmic: false } : { low, high, logarithmic: false };
  }

  get current(): Range {
    if (this.mode === "fixed") return this.fixed;
    return (this.mode === "frame" ? this.frame : this.seen) ?? { low: 0, high: 1 };
  }
}

/** The most frequent classes of a uint32 array, and how many there are in all. */
export function classCounts(array: Pick<FrameArray, "data">, most: number): { classes: { value: number; count: number }[]; total: number } {
  const counts = new Map<number, number>();
  for (const value of array.data) counts.set(value, (counts.get(value) ?? 0) + 1);
  const classes = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || a.value - b.value);
  return { classes: classes.slice(0, most), total: counts.size };
}
