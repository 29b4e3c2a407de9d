/** A line of samples in pixels: of the samples that follow one another within one column of pixels the first, the last, the least and the largest, so
 *  that a curve of a million samples draws and is searched as fast as one of a few thousand and looks the same, peaks and loops included. */
import { pixelScale, type Layout } from "./layout.js";

export interface Trace {
  pixels: number[]; /** x y x y ... */
  samples: number[]; /** which sample each point is */
}

const NEAR = 0.5; /* pixels between points that need not both be kept */

class Column {
  private first = -1;
  private last = -1;
  private low = -1;
  private high = -1;
  private lowY = 0;
  private highY = 0;

  constructor(
    private readonly trace: Trace,
    private readonly at: (sample: number) => [number, number],
  ) {}

  take(sample: number, y: number): void {
    if (this.first < 0) this.first = this.low = this.high = sample;
    if (sample === this.first || y < this.lowY) [this.low, this.lowY] = [sample, y];
    if (sample === this.first || y > this.highY) [this.high, this.highY] = [sample, y];
    this.last = sample;
  }

  /** Adds what must be drawn of the column. `whole`: also a last point that is near the one before. */
  flush(whole: boolean): void {
    if (this.first < 0) return;
    const kept = [this.first, ...(this.low < this.high ? [this.low, this.high] : [this.high, this.low]), this.last];
    kept.forEach((sample, i) => this.add(sample, whole && i === kept.length - 1));
    this.first = -1;
  }

  private add(sample: number, always: boolean): void {
    const { pixels, samples } = this.trace;
    if (samples[samples.length - 1] === sample) return;
    const [x, y] = this.at(sample);
    const count = pixels.length;
    const near = count > 0 && Math.abs(x - (pixels[count - 2] ?? 0)) < NEAR && Math.abs(y - (pixels[count - 1] ?? 0)) < NEAR;
    if (near && !always) return;
    pixels.push(x, y);
    samples.push(sample);
  }
}

/** Pieces of the line, apart where values are missing. */
export function traces(layout: Layout, data: { x: Float64Array; y: Float64Array }): Trace[] {
  const { x, y } = data;
  const scale = pixelScale(layout);
  const at = (sample: number): [number, number] => [scale.x(x[sample] ?? NaN), scale.y(y[sample] ?? NaN)];
  const found: Trace[] = [];
  let trace: Trace | null = null;
  let column: Column | null = null;
  let place = NaN;
  const end = (): void => {
    column?.flush(true);
    trace = column = null;
  };
  for (let i = 0; i < x.length; i++) {
    const px = scale.x(x[i] ?? NaN);
    const py = scale.y(y[i] ?? NaN);
    if (!(Math.abs(px) < Infinity && Math.abs(py) < Infinity)) {
      if (trace) end();
      continue;
    }
    if (!trace || !column) {
      trace = { pixels: [], samples: [] };
      column = new Column(trace, at);
      found.push(trace);
      place = Math.floor(px);
    } else if (Math.floor(px) !== place) {
      column.flush(false);
      place = Math.floor(px);
    }
    column.take(i, py);
  }
  if (trace) end();
  return found;
}

/** The sample drawn nearest to a pixel, -1 when none is within `reach` pixels. */
export function nearestSample(lines: Trace[], px: number, py: number, reach: number): number {
  let best = reach ** 2;
  let found = -1;
  for (const { pixels, samples } of lines)
    for (let i = 0; i < samples.length; i++) {
      const dx = (pixels[2 * i] ?? NaN) - px;
      const dy = (pixels[2 * i + 1] ?? NaN) - py;
      const square = dx * dx + dy * dy;
      if (square < best) [best, found] = [square, samples[i] ?? -1];
    }
  return found;
}
