/** All samples of a run's curves, one growing column per series. */
import type { CurveChunk } from "./record.js";

export class Curves {
  length = 0;
  private columns: Float64Array[];

  constructor(readonly seriesCount: number) {
    this.columns = Array.from({ length: seriesCount }, () => new Float64Array(1024));
  }

  /** Adds a chunk at its place. After a reconnection chunks may come twice; a chunk that would leave a gap is refused
   *  (false), and the caller asks for the curves again. */
  add(chunk: CurveChunk): boolean {
    if (chunk.seriesCount !== this.seriesCount || chunk.firstSample > this.length) return false;
    const end = chunk.firstSample + chunk.sampleCount;
    this.reserve(end);
    this.columns.forEach((column, series) => {
      for (let i = 0; i < chunk.sampleCount; i++) column[chunk.firstSample + i] = chunk.values[i * chunk.seriesCount + series] ?? NaN;
    });
    this.length = Math.max(this.length, end);
    return true;
  }

  /** View of one series, valid until the next add. */
  column(series: number): Float64Array {
    return (this.columns[series] ?? new Float64Array(0)).subarray(0, this.length);
  }

  private reserve(length: number): void {
    let capacity = this.columns[0]?.length ?? 1024;
    if (length <= capacity) return;
    while (capacity < length) capacity *= 2;
    this.columns = this.columns.map((old) => {
      const grown = new Float64Array(capacity);
      grown.set(old);
      return grown;
    });
  }
}

/** Mean of each sample and the `window` - 1 before it; at the beginning of what is there. The server's plots average the same way. */
export function movingAverage(values: Float64Array, window: number): Float64Array {
  if (window <= 1) return values;
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] ?? 0) + (values[i] ?? 0);
  return values.map((_, i) => {
    const from = Math.max(0, i + 1 - window);
    return ((sums[i + 1] ?? 0) - (sums[from] ?? 0)) / (i + 1 - from);
  });
}

/** Index of the last sample at or before `time`, -1 when there is none. `times` ascends. */
export function sampleAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
