/** Where everything of a figure goes: axes, margins, titles, units. */
import { powerOfTen, scaleFor } from "../format.js";
import { extent, makeAxis, shownRange, tickText, type Axis } from "./scale.js";

/** One curve. */
export interface Line {
  label: string;
  x: Float64Array;
  y: Float64Array;
}

export interface PlotData extends Line {
  xLabel: string;
  yLabel: string;
  xUnit: string;
  yUnit: string;
  others: Line[]; /** further curves of the same quantities, for comparison */
}

export interface Window {
  x: [number, number];
  y: [number, number];
}

/** Values are in the data's own unit times `factor`. */
export interface Layout {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: Axis;
  y: Axis;
  xFactor: number;
  yFactor: number;
  xTitle: string;
  yTitle: string;
}

const CHARACTER = 6.6; /* width of a digit in the axes' writing, pixels */
const TITLE = 24; /* room of the turned title */

function jointExtent(lists: Float64Array[]): [number, number] | null {
  return lists.map(extent).reduce((all, one) => (all && one ? [Math.min(all[0], one[0]), Math.max(all[1], one[1])] : (all ?? one)), null);
}

/** The factor and unit in which the largest value has few digits: a prefix, or a power of ten where the unit takes none. */
function axisScale(size: number, unit: string): { factor: number; unit: string } {
  const scale = scaleFor(size, unit);
  const shown = size * scale.factor;
  if (!Number.isFinite(shown) || shown === 0 || (shown >= 0.01 && shown < 1e5)) return scale;
  const power = Math.floor(Math.log10(shown));
  return { factor: scale.factor * 10 ** -power, unit: scale.unit === "" ? powerOfTen(power) : `${powerOfTen(power)}\u202f${scale.unit}` };
}

/** Everything shown when `window` is null, else this part of it (in the data's unit). The left margin is as wide as the numbers need. */
export function layout(data: PlotData, width: number, height: number, window: Window | null): Layout {
  const [xLow, xHigh] = window?.x ?? jointExtent([data.x, ...data.others.map((line) => line.x)]) ?? [0, 1];
  const [yLow, yHigh] = window?.y ?? shownRange(...(jointExtent([data.y, ...data.others.map((line) => line.y)]) ?? [0, 1]), data.yUnit);
  const x = axisScale(Math.max(Math.abs(xLow), Math.abs(xHigh)), data.xUnit);
  const y = axisScale(Math.max(Math.abs(yLow), Math.abs(yHigh)), data.yUnit);
  const top = 12;
  const bottom = height - 40;
  const right = width - 14;
  const yAxis = makeAxis(yLow * y.factor, yHigh * y.factor, Math.max(2, (bottom - top) / 50), window === null);
  const longest = Math.max(2, ...tickLabels(yAxis).map((text) => text.length));
  const left = Math.min(width / 2, Math.max(56, Math.ceil(TITLE + CHARACTER * longest + 7)));
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x: makeAxis(xLow * x.factor, xHigh * x.factor, Math.max(2, (right - left) / 90), false),
    y: yAxis,
    xFactor: x.factor,
    yFactor: y.factor,
    xTitle: title(data.xLabel, x.unit),
    yTitle: title(data.yLabel, y.unit),
  };
}

function title(label: string, unit: string): string {
  return unit === "" ? label : `${label} (${unit})`;
}

/** Pixels of a value in the data's unit: x0 + kx x, y0 + ky y. */
export function pixelScale(at: Layout): { x0: number; kx: number; y0: number; ky: number } {
  const perX = (at.right - at.left) / (at.x.high - at.x.low);
  const perY = (at.bottom - at.top) / (at.y.high - at.y.low);
  return { x0: at.left - at.x.low * perX, kx: at.xFactor * perX, y0: at.bottom + at.y.low * perY, ky: -at.yFactor * perY };
}

export function toPixelX(at: Layout, value: number): number {
  return at.left + ((value * at.xFactor - at.x.low) / (at.x.high - at.x.low)) * (at.right - at.left);
}

export function toPixelY(at: Layout, value: number): number {
  return at.bottom - ((value * at.yFactor - at.y.low) / (at.y.high - at.y.low)) * (at.bottom - at.top);
}

export function fromPixelX(at: Layout, pixel: number): number {
  return (at.x.low + ((pixel - at.left) / (at.right - at.left)) * (at.x.high - at.x.low)) / at.xFactor;
}

export function fromPixelY(at: Layout, pixel: number): number {
  return (at.y.low + ((at.bottom - pixel) / (at.bottom - at.top)) * (at.y.high - at.y.low)) / at.yFactor;
}

export function tickLabels(axis: Axis): string[] {
  const step = axis.ticks.length > 1 ? (axis.ticks[1] ?? 1) - (axis.ticks[0] ?? 0) : Math.abs(axis.ticks[0] ?? 1) || 1;
  return axis.ticks.map((value) => tickText(value, step));
}
