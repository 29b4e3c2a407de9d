/** Numbers read off a curve, of all of it or of the part that is shown. */
import { extent } from "./scale.js";

export interface Readouts {
  samples: number;
  peak: { x: number; y: number }; /** where the magnitude is largest */
  difference: { x: number; y: number }; /** the last sample less the first */
  integral: number; /** of y over x along the curve, by trapezoids: a loop gives what it encloses */
  slope: number; /** of the straight line that fits best; NaN where x does not change */
  mean: number; /** of the samples */
}

/** Of the samples with x inside `within` (null: all) that are numbers; null when there are fewer than two. */
export function readoutsOf(x: Float64Array, y: Float64Array, within: [number, number] | null): Readouts | null {
  const [low, high] = within ?? extent(x) ?? [0, 0];
  const inside = (i: number): boolean => Number.isFinite(x[i]) && Number.isFinite(y[i]) && (x[i] as number) >= low && (x[i] as number) <= high;
  let [first, last, peak, many, integral] = [-1, -1, -1, 0, 0];
  let [sx, sy] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    if (!inside(i)) continue;
    const [xi, yi] = [x[i] as number, y[i] as number];
    if (first < 0) first = i;
    if (peak < 0 || Math.abs(yi) > Math.abs(y[peak] as number)) peak = i;
    if (last === i - 1 && i > 0) integral += 0.5 * (yi + (y[last] as number)) * (xi - (x[last] as number));
    last = i;
    many++;
    sx += xi;
    sy += yi;
  }
  if (many < 2) return null;
  const [mx, my] = [sx / many, sy / many];
  let [sxx, sxy] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    if (!inside(i)) continue;
    sxx += ((x[i] as number) - mx) ** 2;
    sxy += ((x[i] as number) - mx) * ((y[i] as number) - my);
  }
  const at = (i: number): { x: number; y: number } => ({ x: x[i] as number, y: y[i] as number });
  const [from, to] = [at(first), at(last)];
  return { samples: many, peak: at(peak), difference: { x: to.x - from.x, y: to.y - from.y }, integral, slope: sxx > 0 ? sxy / sxx : NaN, mean: my };
}

const NAMED: Record<string, string> = { "N*m": "J", "m*N": "J", "N*s": "N s", "W*s": "J", "s*W": "J", "m/s*s": "m", "m/m": "1", "N/N": "1", "1/1": "1", "m/s/s": "m/s^2", "Pa*1": "Pa" };

/** The unit of a product: y integrated over x. */
export function productUnit(y: string, x: string): string {
  if (x === "1") return y;
  if (y === "1") return x;
  return NAMED[`${y}*${x}`] ?? `${y} ${x}`;
}

/** The unit of y over x. */
export function quotientUnit(y: string, x: string): string {
  if (y === x) return "1";
  if (x === "1") return y;
  return NAMED[`${y}/${x}`] ?? `${y}/${/[ /*]/.test(x) ? `(${x})` : x}`;
}

const CONTACT = 0.01; /* of the largest magnitude */

/** x where the curve first carries a hundredth of its largest magnitude; NaN when it never does. */
export function firstContact(x: Float64Array, y: Float64Array): number {
  const [low, high] = extent(y) ?? [0, 0];
  const least = CONTACT * Math.max(Math.abs(low), Math.abs(high));
  const at = least > 0 ? y.findIndex((value) => Math.abs(value) >= least) : -1;
  return at < 0 ? NaN : (x[at] ?? NaN);
}

/** What a plot's values are called and measured in when they are multiplied by `scale`: in the unit that the plot says; else degrees are degrees, and
 *  whatever has lost its unit says what it was multiplied by. */
export function scaledUnit(label: string, unit: string, scale: number, said = ""): { label: string; unit: string } {
  if (said !== "") return { label, unit: said === "deg" ? "°" : said };
  if (scale === 1) return { label, unit };
  if (scale === -1) return { label: `−${label}`, unit };
  if (unit === "rad" && Math.abs(Math.abs(scale) * (Math.PI / 180) - 1) < 1e-4) return { label: scale < 0 ? `−${label}` : label, unit: "°" };
  return { label: `${label} × ${String(Number(scale.toPrecision(4)))}${unit === "1" ? "" : `/${unit}`}`, unit: "1" };
}
