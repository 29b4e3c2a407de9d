/** Which values the ends of the colour scale stand for. */
import type { FrameArray } from "../record.js";

export interface Range {
  low: number;
  high: number;
}

export type RangeMode = "run" | "frame" | "fixed";

/** Least and largest value of a scalar array. 16-bit arrays carry them; others are searched. */
export function arrayRange(array: FrameArray): Range | null {
  if (array.data.length === 0) return null;
  if (array.data instanceof Uint16Array) return { low: array.low[0], high: array.high[0] };
  let low = Infinity;
  let high = -Infinity;
  for (const value of array.data) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : null;
}

/** The range of one field as frames come: of this frame, of all frames seen so far, or what the user set. */
export class FieldRange {
  mode: RangeMode = "run";
  fixed: Range = { low: 0, high: 1 };
  private seen: Range | null = null;
  private frame: Range | null = null;

  observe(range: Range | null): void {
    if (!range) return;
    this.frame = range;
    this.seen = this.seen ? { low: Math.min(this.seen.low, range.low), high: Math.max(this.seen.high, range.high) } : range;
  }

  /** Whether all values seen so far, if there were any, are the same. */
  get flat(): boolean {
    return this.seen !== null && this.seen.low === this.seen.high;
  }

  get current(): Range {
    if (this.mode === "fixed") return this.fixed;
    return (this.mode === "frame" ? this.frame : this.seen) ?? { low: 0, high: 1 };
  }
}

/** The most frequent classes of a uint32 array, and how many there are in all. */
export function classCounts(array: FrameArray, most: number): { classes: { value: number; count: number }[]; total: number } {
  const counts = new Map<number, number>();
  for (const value of array.data) counts.set(value, (counts.get(value) ?? 0) + 1);
  const classes = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || a.value - b.value);
  return { classes: classes.slice(0, most), total: counts.size };
}
