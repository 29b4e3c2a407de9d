/** One curve against another as a drawing: axes, ticks, lines; the same for the screen and for the SVG file. */
import { scaleFor } from "../format.js";
import { extent, makeAxis, tickText, type Axis } from "./scale.js";

/** A second curve in the same figure, for comparison. */
export interface OtherCurve {
  label: string;
  x: Float64Array;
  y: Float64Array;
}

export interface PlotData {
  x: Float64Array;
  y: Float64Array;
  xLabel: string;
  yLabel: string;
  xUnit: string;
  yUnit: string;
  other: OtherCurve | null;
}

/** Least and largest value of one or two lists. */
function jointExtent(a: Float64Array, b: Float64Array | undefined): [number, number] | null {
  const [first, second] = [extent(a), b ? extent(b) : null];
  return first && second ? [Math.min(first[0], second[0]), Math.max(first[1], second[1])] : (first ?? second);
}

export interface Window {
  x: [number, number];
  y: [number, number];
}

/** Where everything goes. Values are in the data's own unit times `factor`. */
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

/** Everything shown when `window` is null, else this part of it (in the data's unit). */
export function layout(data: PlotData, width: number, height: number, window: Window | null): Layout {
  const [xLow, xHigh] = window?.x ?? jointExtent(data.x, data.other?.x) ?? [0, 1];
  const [yLow, yHigh] = window?.y ?? jointExtent(data.y, data.other?.y) ?? [0, 1];
  const x = scaleFor(Math.max(Math.abs(xLow), Math.abs(xHigh)), data.xUnit);
  const y = scaleFor(Math.max(Math.abs(yLow), Math.abs(yHigh)), data.yUnit);
  const left = 56;
  const right = width - 14;
  const top = 12;
  const bottom = height - 40;
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x: makeAxis(xLow * x.factor, xHigh * x.factor, Math.max(2, (right - left) / 90), false),
    y: makeAxis(yLow * y.factor, yHigh * y.factor, Math.max(2, (bottom - top) / 50), window === null),
    xFactor: x.factor,
    yFactor: y.factor,
    xTitle: title(data.xLabel, x.unit),
    yTitle: title(data.yLabel, y.unit),
  };
}

function title(label: string, unit: string): string {
  return unit === "" ? label : `${label} (${unit})`;
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

/** Points of the line in pixels, runs apart where values are missing. Samples less than half a pixel from the last kept
 *  one are left out: a curve of a million samples draws as fast as one of a thousand and looks the same. */
export function linePixels(at: Layout, data: { x: Float64Array; y: Float64Array }): number[][] {
  const runs: number[][] = [];
  let run: number[] = [];
  let [lastX, lastY] = [NaN, NaN];
  for (let i = 0; i < data.x.length; i++) {
    const px = toPixelX(at, data.x[i] ?? NaN);
    const py = toPixelY(at, data.y[i] ?? NaN);
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      if (run.length > 0) runs.push(run);
      run = [];
      [lastX, lastY] = [NaN, NaN];
      continue;
    }
    const near = Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5;
    if (near && i < data.x.length - 1) continue;
    run.push(px, py);
    [lastX, lastY] = [px, py];
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}

/** The figure as an SVG file, black on white, ready for a report. */
export function svgFile(data: PlotData, heading: string, window: Window | null): string {
  const at = layout(data, 720, 460, window);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${at.width} ${at.height}" font-family="sans-serif" font-size="13">`];
  out.push(`<title>${escaped(heading)}</title><rect width="${at.width}" height="${at.height}" fill="#fff"/>`);
  out.push(`<clipPath id="c"><rect x="${at.left}" y="${at.top}" width="${at.right - at.left}" height="${at.bottom - at.top}"/></clipPath>`);
  const xTexts = tickLabels(at.x);
  at.x.ticks.forEach((tick, i) => {
    const px = toPixelX(at, tick / at.xFactor).toFixed(1);
    out.push(`<path d="M${px} ${at.top}V${at.bottom}" stroke="#ddd"/><text x="${px}" y="${at.bottom + 17}" text-anchor="middle">${xTexts[i] ?? ""}</text>`);
  });
  const yTexts = tickLabels(at.y);
  at.y.ticks.forEach((tick, i) => {
    const py = toPixelY(at, tick / at.yFactor).toFixed(1);
    out.push(`<path d="M${at.left} ${py}H${at.right}" stroke="#ddd"/><text x="${at.left - 7}" y="${Number(py) + 4.5}" text-anchor="end">${yTexts[i] ?? ""}</text>`);
  });
  const draw = (line: { x: Float64Array; y: Float64Array }, style: string): void => {
    for (const run of linePixels(at, line)) {
      const points = run.map((v) => v.toFixed(2)).join(" ");
      out.push(`<polyline clip-path="url(#c)" fill="none" ${style} stroke-linejoin="round" points="${points}"/>`);
    }
  };
  if (data.other) draw(data.other, 'stroke="#b3541e" stroke-width="1.4" stroke-dasharray="5 3"');
  draw(data, 'stroke="#0b6e75" stroke-width="1.6"');
  if (data.other) out.push(`<text x="${at.right - 6}" y="${at.top + 16}" text-anchor="end" fill="#b3541e">- - ${escaped(data.other.label)}</text>`);
  out.push(`<path d="M${at.left} ${at.top}V${at.bottom}H${at.right}" fill="none" stroke="#333"/>`);
  out.push(`<text x="${(at.left + at.right) / 2}" y="${at.height - 6}" text-anchor="middle">${escaped(at.xTitle)}</text>`);
  out.push(`<text transform="translate(14 ${(at.top + at.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(at.yTitle)}</text></svg>`);
  return out.join("\n");
}
