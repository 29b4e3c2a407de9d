/** Round numbers along an axis, and the straight map from values to pixels. */

export interface Axis {
  low: number;
  high: number;
  ticks: number[];
  logarithmic?: boolean; /** low > 0 */
}

/** Where a value lies on an axis: 0 at its low end, 1 at its high one. NaN: nowhere. */
export function shareOf(axis: Axis, value: number): number {
  if (axis.logarithmic !== true) return (value - axis.low) / (axis.high - axis.low);
  return value > 0 ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : NaN;
}

export function atShare(axis: Axis, share: number): number {
  return axis.logarithmic === true ? axis.low * (axis.high / axis.low) ** share : axis.low + share * (axis.high - axis.low);
}

const DECADES_MOST = 12;

/** A logarithmic axis over at least low ... high, both above zero: with powers of ten, and 2 and 5 times them where there are few. */
export function logarithmicAxis(low: number, high: number, wanted: number, widen: boolean): Axis {
  if (!(high > low)) [low, high] = [low / 2, high * 2];
  low = Math.max(low, high / 10 ** DECADES_MOST);
  const [first, last] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  if (widen) [low, high] = [10 ** first, 10 ** last];
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, wanted)));
  const steps = last - first <= 2 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = first; power <= last; power += every) for (const step of steps) if (step * 10 ** power >= low * (1 - 1e-9) && step * 10 ** power <= high * (1 + 1e-9)) ticks.push(step * 10 ** power);
  return { low, high, ticks, logarithmic: true };
}

/** Least and largest finite value, null when there is none. */
export function extent(values: ArrayLike<number>): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? NaN;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high && Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}

const LEAST_SPAN = 1e-3; /* of the largest magnitude */
const NO_NATURAL_ZERO = ["m", "rad", "s"]; /* places and times: what counts is how far they go, wherever they begin */

/** The range that all of a curve is shown in. One that changes by less than a thousandth of itself would fill the figure with its last digits:
 *  it gets a thousandth, with itself in the middle. Not so in units whose zero is only where someone put it. */
export function shownRange(low: number, high: number, unit: string): [number, number] {
  const least = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high));
  if (!(high > low) || high - low >= least || NO_NATURAL_ZERO.includes(unit)) return [low, high];
  const middle = low + 0.5 * (high - low);
  return [middle - 0.5 * least, middle + 0.5 * least];
}

/** The step 1, 2 or 5 times a power of ten that gives about `wanted` parts. */
export function roundStep(span: number, wanted: number): number {
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * power >= raw * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** An axis over at least low ... high, with round ticks inside. `widen`: ends on ticks too. */
export function makeAxis(low: number, high: number, wanted: number, widen: boolean): Axis {
  if (!(high > low)) {
    const around = Math.abs(low) || 1;
    low -= 0.5 * around;
    high += 0.5 * around;
  }
  const step = roundStep(high - low, wanted);
  const first = widen ? Math.floor(low / step + 1e-9) : Math.ceil(low / step - 1e-9);
  const last = widen ? Math.ceil(high / step - 1e-9) : Math.floor(high / step + 1e-9);
  const ticks: number[] = [];
  for (let i = first; i <= last; i++) ticks.push(i * step + 0); /* + 0 turns -0 into 0 */
  return widen ? { low: first * step, high: last * step, ticks } : { low, high, ticks };
}

/** Digits after the point that tell the ticks of an axis apart. */
export function tickText(value: number, step: number): string {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  return value.toFixed(digits).replace("-", "−");
}
