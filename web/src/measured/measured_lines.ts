/** Measured curves as lines of a plot: their mean with the band of their scatter, or the one curve there is. */
import type { Line } from "../plot/layout.js";
import type { MeasuredCurves } from "./requests.js";

const numbers = (list: (number | null)[]): Float64Array => Float64Array.from(list, (value) => value ?? NaN);

/** @param factor of y on the plot: of degrees where the plot shows those */
export function measuredLine({ curves, band }: MeasuredCurves, label: string, factor = 1): Line {
  const scaled = (list: (number | null)[]): Float64Array => numbers(list).map((value) => factor * value);
  const [first] = curves;
  if (!band) return { label, x: numbers(first?.x ?? []), y: scaled(first?.y ?? []) };
  const line = { label, x: numbers(band.x), y: scaled(band.mean) };
  return band.deviation === null ? line : { ...line, band: { low: scaled(band.low), high: scaled(band.high) } };
}
