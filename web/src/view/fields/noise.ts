/** Numbers that are rounding noise: far below the largest of their kind in the run, or below what the recording's 16 bits tell apart. They read 0. */
import type { FrameArray } from "../../recording/record.js";

const SHARE = 1e-10; /* of the largest: a sum of some million terms in double precision is off by less */

export class Noise {
  private readonly largest = new Map<string, number>(); /* magnitude by unit */

  /** @param size m, of the whole run: a length that small against it is none */
  constructor(size: number) {
    this.largest.set("m", size);
  }

  /** Values of this size occur in the run. */
  observe(unit: string, ...values: number[]): void {
    for (const value of values) if (Math.abs(value) > (this.largest.get(unit) ?? 0)) this.largest.set(unit, Math.abs(value));
  }

  clean(value: number, unit: string): number {
    return Math.abs(value) <= SHARE * (this.largest.get(unit) ?? 0) ? 0 : value;
  }

  /** A component of an array: what is nearer to 0 than half a step of its 16 bits is 0 as well. */
  cleanOf(array: FrameArray, value: number, component: number, unit: string): number {
    const step = array.data instanceof Uint16Array ? ((array.high[component] ?? 0) - (array.low[component] ?? 0)) / 65535 : 0;
    return Math.abs(value) < 0.5001 * step ? 0 : this.clean(value, unit);
  }
}
