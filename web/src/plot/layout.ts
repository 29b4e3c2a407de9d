/** Where everything of a figure goes: axes, margins, titles, units. */
import { number, powerOfTen, scaleFor } from "../format.js";
import { atShare, extent, logarithmicAxis, makeAxis, shareOf, shownRange, tickText, type Axis } from "./scale.js";

/** One curve. */
export interface Line {
  label: string;
  x: Float64Array;
  y: Float64Array;
  band?: { low: Float64Array; high: Float64Array }; /** of y, at its x */
}

export interface PlotData extends Line {
  xLabel: string;
  yLabel: string;
  xUnit: string;
  yUnit: string;
  others: Line[]; /** further curves of the same quantities, for comparison */
  logarithmic?: { x: boolean; y: boolean };
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
  xLines: string[]; /** of the titles, as far as the figure has room for each */
  yLines: string[];
}

const CHARACTER = 6.6; /* width of a digit in the axes' writing, pixels */
const TITLE = 24; /* room of the turned title */
export const LINE = 14; /* from one line of a title to the next, pixels */
const LINES_MOST = 3;

/** @param positive only what a logarithmic axis can show */
function jointExtent(lists: Float64Array[], positive: boolean): [number, number] | null {
  return lists.map((list) => extent(positive ? list.filter((value) => value > 0) : list)).reduce((all, one) => (all && one ? [Math.min(all[0], one[0]), Math.max(all[1], one[1])] : (all ?? one)), null);
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
  const { x: xLog, y: yLog } = data.logarithmic ?? { x: false, y: false };
  const [xLow, xHigh] = window?.x ?? jointExtent([data.x, ...data.others.map((line) => line.x)], xLog) ?? (xLog ? [0.1, 1] : [0, 1]);
  const bands = [data, ...data.others].flatMap(({ band }) => (band ? [band.low, band.high] : []));
  const yAll = jointExtent([data.y, ...data.others.map((line) => line.y), ...bands], yLog) ?? (yLog ? [0.1, 1] : [0, 1]);
  const [yLow, yHigh] = window?.y ?? (yLog ? yAll : shownRange(...yAll, data.yUnit));
  const x = axisScale(Math.max(Math.abs(xLow), Math.abs(xHigh)), data.xUnit);
  const y = axisScale(Math.max(Math.abs(yLow), Math.abs(yHigh)), data.yUnit);
  const top = 12;
  const right = width - 14;
  const [xTitle, yTitle] = [title(data.xLabel, x.unit), title(data.yLabel, y.unit)];
  const xLines = wrapped(xTitle, right - 90);
  const bottom = height - 40 - LINE * (xLines.length - 1);
  const yLines = wrapped(yTitle, bottom - top);
  const yMake = yLog && yLow > 0 ? logarithmicAxis : makeAxis;
  const yAxis = yMake(yLow * y.factor, yHigh * y.factor, Math.max(2, (bottom - top) / 50), window === null);
  const longest = Math.max(2, ...tickLabels(yAxis).map((text) => text.length));
  const left = Math.min(width / 2, Math.max(56, Math.ceil(TITLE + LINE * (yLines.length - 1) + CHARACTER * longest + 7)));
  const xMake = xLog && xLow > 0 ? logarithmicAxis : makeAxis;
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x: xMake(xLow * x.factor, xHigh * x.factor, Math.max(2, (right - left) / 90), false),
    y: yAxis,
    xFactor: x.factor,
    yFactor: y.factor,
    xTitle,
    yTitle,
    xLines,
    yLines,
  };
}

function title(label: string, unit: string): string {
  return unit === "" ? label : `${label} (${unit})`;
}

/** A text in lines of at most so many pixels, where its words allow it; what is beyond the last line stays in it. */
export function wrapped(text: string, pixels: number): string[] {
  const most = Math.max(8, Math.floor(pixels / CHARACTER));
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && (last.length + 1 + word.length <= most || lines.length === LINES_MOST)) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Pixels of values in the data's unit; NaN for what a logarithmic axis cannot show. */
export function pixelScale(at: Layout): { x: (value: number) => number; y: (value: number) => number } {
  const scale = (axis: Axis, factor: number, from: number, to: number): ((value: number) => number) => {
    const per = (to - from) / (axis.high - axis.low);
    const start = from - axis.low * per;
    return axis.logarithmic === true ? (value) => from + (to - from) * shareOf(axis, value * factor) : (value) => start + factor * per * value;
  };
  return { x: scale(at.x, at.xFactor, at.left, at.right), y: scale(at.y, at.yFactor, at.bottom, at.top) };
}

export function toPixelX(at: Layout, value: number): number {
  return at.left + shareOf(at.x, value * at.xFactor) * (at.right - at.left);
}

export function toPixelY(at: Layout, value: number): number {
  return at.bottom - shareOf(at.y, value * at.yFactor) * (at.bottom - at.top);
}

export function fromPixelX(at: Layout, pixel: number): number {
  return atShare(at.x, (pixel - at.left) / (at.right - at.left)) / at.xFactor;
}

export function fromPixelY(at: Layout, pixel: number): number {
  return atShare(at.y, (at.bottom - pixel) / (at.bottom - at.top)) / at.yFactor;
}

export function tickLabels(axis: Axis): string[] {
  if (axis.logarithmic === true) return axis.ticks.map((value) => (value >= 1e-3 && value < 1e5 ? number(value, 3) : Math.abs(Math.log10(value) % 1) < 1e-9 ? powerOfTen(Math.round(Math.log10(value))) : number(value, 2)));
  const step = axis.ticks.length > 1 ? (axis.ticks[1] ?? 1) - (axis.ticks[0] ?? 0) : Math.abs(axis.ticks[0] ?? 1) || 1;
  return axis.ticks.map((value) => tickText(value, step));
}
