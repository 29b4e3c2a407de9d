/** One curve against another as a drawing, with others for comparison: on a canvas for the screen and for a picture, and as an SVG file. */
import { LINE, layout, tickLabels, toPixelX, toPixelY, type Layout, type Line, type PlotData, type Window } from "./layout.js";
import { traces, type Trace } from "./trace.js";

/** Colours of a drawing. `others` are taken in turn. */
export interface Theme {
  font: string;
  ground: string;
  text: string;
  soft: string;
  grid: string;
  line: string;
  others: string[];
}

/** For print: the same in pictures and SVG files, whatever the screen's colours. */
export const PAPER: Theme = {
  font: "sans-serif",
  ground: "#ffffff",
  text: "#111111",
  soft: "#333333",
  grid: "#dddddd",
  line: "#0b6e75",
  others: ["#b3541e", "#6b4fbb", "#2f7d32", "#b0266b", "#8a6d00", "#3566c0"],
};

export const DARK_OTHERS = ["#e89a5e", "#a992ec", "#7cc47f", "#ec7fb0", "#d8bd4a", "#7ea8f0"];

const DASHES = ["5 3", "2 3", "8 3 2 3", "10 4", "1 2", "6 2 1 2 1 2"];
const PAPER_WIDTH = 720;
const PAPER_HEIGHT = 460;
const INSET_WIDTH = 460; /* within a larger picture, where the writing is to be as large as that of the picture's key */
const LEGEND_LINE = 17;
const LEGEND_CHARACTERS = 44;

const dashOf = (other: number): string => DASHES[other % DASHES.length] ?? "";
const colourOf = (theme: Theme, other: number): string => theme.others[other % theme.others.length] ?? theme.line;

/** A figure laid out, with its lines in pixels. */
export interface Figure {
  at: Layout;
  own: Trace[];
  others: Trace[][];
}

export function figureOf(data: PlotData, width: number, height: number, window: Window | null): Figure {
  const at = layout(data, width, height, window);
  return { at, own: traces(at, data), others: data.others.map((line) => traces(at, line)) };
}

interface Entry {
  label: string;
  colour: string;
  dash: string;
}

/** Every curve once, own first; none when there is only one. */
function legendOf(data: PlotData, theme: Theme): Entry[] {
  if (data.others.length === 0) return [];
  const cut = (label: string): string => (label.length > LEGEND_CHARACTERS ? `${label.slice(0, LEGEND_CHARACTERS - 1)}…` : label);
  return [{ label: cut(data.label), colour: theme.line, dash: "" }, ...data.others.map((line, i) => ({ label: cut(line.label), colour: colourOf(theme, i), dash: dashOf(i) }))];
}

/** The corner in which a legend of this size hides least of the curves. */
function legendPlace(figure: Figure, width: number, height: number): [number, number] {
  const { at } = figure;
  const corners = [at.right - 6 - width, at.left + 6].flatMap((x) => [at.top + 6, at.bottom - 6 - height].map((y): [number, number] => [x, y]));
  const hidden = ([x, y]: [number, number]): number => {
    let count = 0;
    for (const { pixels } of [...figure.own, ...figure.others.flat()])
      for (let i = 0; i < pixels.length; i += 2) {
        const [px, py] = [pixels[i] ?? 0, pixels[i + 1] ?? 0];
        if (px >= x && px <= x + width && py >= y && py <= y + height) count++;
      }
    return count;
  };
  const counts = corners.map(hidden);
  return corners[counts.indexOf(Math.min(...counts))] ?? [at.left + 6, at.top + 6];
}

/* ── on a canvas ── */

function drawAxes(context: CanvasRenderingContext2D, at: Layout, theme: Theme): void {
  context.font = `11.5px ${theme.font}`;
  context.lineWidth = 1;
  context.fillStyle = theme.soft;
  context.strokeStyle = theme.grid;
  context.beginPath();
  context.textAlign = "center";
  const xTexts = tickLabels(at.x);
  at.x.ticks.forEach((tick, i) => {
    const px = Math.round(toPixelX(at, tick / at.xFactor)) + 0.5;
    context.moveTo(px, at.top);
    context.lineTo(px, at.bottom);
    context.fillText(xTexts[i] ?? "", px, at.bottom + 16);
  });
  context.textAlign = "right";
  const yTexts = tickLabels(at.y);
  at.y.ticks.forEach((tick, i) => {
    const py = Math.round(toPixelY(at, tick / at.yFactor)) + 0.5;
    context.moveTo(at.left, py);
    context.lineTo(at.right, py);
    context.fillText(yTexts[i] ?? "", at.left - 7, py + 4);
  });
  context.stroke();
  context.strokeStyle = theme.soft;
  context.strokeRect(at.left + 0.5, at.top + 0.5, at.right - at.left, at.bottom - at.top);
  context.textAlign = "center";
  context.fillStyle = theme.text;
  at.xLines.forEach((line, i) => context.fillText(line, (at.left + at.right) / 2, at.height - 7 - LINE * (at.xLines.length - 1 - i), at.right - at.left));
  context.save();
  context.translate(13, (at.top + at.bottom) / 2);
  context.rotate(-Math.PI / 2);
  at.yLines.forEach((line, i) => context.fillText(line, 0, LINE * i, at.bottom - at.top));
  context.restore();
}

function stroke(context: CanvasRenderingContext2D, lines: Trace[]): void {
  context.beginPath();
  for (const { pixels } of lines)
    for (let i = 0; i < pixels.length; i += 2) {
      if (i === 0) context.moveTo(pixels[i] ?? 0, pixels[i + 1] ?? 0);
      else context.lineTo(pixels[i] ?? 0, pixels[i + 1] ?? 0);
    }
  context.stroke();
}

function drawLegend(context: CanvasRenderingContext2D, figure: Figure, entries: Entry[], theme: Theme): void {
  if (entries.length === 0) return;
  context.font = `11.5px ${theme.font}`;
  context.textAlign = "left";
  const width = 40 + Math.max(...entries.map(({ label }) => context.measureText(label).width));
  const height = 8 + LEGEND_LINE * entries.length;
  const [x, y] = legendPlace(figure, width, height);
  context.globalAlpha = 0.85;
  context.fillStyle = theme.ground;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
  entries.forEach(({ label, colour, dash }, i) => {
    const py = y + 4 + LEGEND_LINE * (i + 0.5);
    context.strokeStyle = colour;
    context.setLineDash(dash === "" ? [] : dash.split(" ").map(Number));
    context.beginPath();
    context.moveTo(x + 6, py);
    context.lineTo(x + 30, py);
    context.stroke();
    context.fillStyle = theme.text;
    context.fillText(label, x + 36, py + 4);
  });
  context.setLineDash([]);
}

/** The outlines of a line's band, in pixels: pieces apart where a value is missing. */
function outlines(at: Layout, { x, band }: Line): [number, number][][] {
  if (!band) return [];
  const pieces: { low: [number, number][]; high: [number, number][] }[] = [];
  let open = false;
  for (let i = 0; i < x.length; i++) {
    const [px, low, high] = [toPixelX(at, x[i] ?? NaN), toPixelY(at, band.low[i] ?? NaN), toPixelY(at, band.high[i] ?? NaN)];
    if (!Number.isFinite(px + low + high)) {
      open = false;
      continue;
    }
    if (!open) pieces.push({ low: [], high: [] });
    open = true;
    pieces[pieces.length - 1]?.low.push([px, low]);
    pieces[pieces.length - 1]?.high.push([px, high]);
  }
  return pieces.map(({ low, high }) => [...low, ...high.reverse()]);
}

const BAND_SHARE = 0.18; /* of a line's colour in its band */

function drawBand(context: CanvasRenderingContext2D, at: Layout, line: Line, colour: string): void {
  context.globalAlpha = BAND_SHARE;
  context.fillStyle = colour;
  for (const outline of outlines(at, line)) {
    context.beginPath();
    outline.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.closePath();
    context.fill();
  }
  context.globalAlpha = 1;
}

export function drawFigure(context: CanvasRenderingContext2D, figure: Figure, data: PlotData, theme: Theme): void {
  const { at } = figure;
  drawAxes(context, at, theme);
  context.save();
  context.beginPath();
  context.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  context.clip();
  context.lineJoin = "round";
  context.lineWidth = 1.5;
  drawBand(context, at, data, theme.line);
  data.others.forEach((line, i) => drawBand(context, at, line, colourOf(theme, i)));
  figure.others.forEach((lines, i) => {
    context.strokeStyle = colourOf(theme, i);
    context.setLineDash(dashOf(i).split(" ").map(Number));
    stroke(context, lines);
  });
  context.setLineDash([]);
  context.strokeStyle = theme.line;
  context.lineWidth = 1.75;
  stroke(context, figure.own);
  drawLegend(context, figure, legendOf(data, theme), theme);
  context.restore();
}

/** Where a figure is drawn into a larger picture, pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The figure within a larger picture, its writing in proportion to the box, with a dot at a sample; its ground is left as it is. */
export function drawFigureInto(context: CanvasRenderingContext2D, box: Box, data: PlotData, theme: Theme, sample: number): void {
  const scale = box.width / INSET_WIDTH;
  const figure = figureOf(data, INSET_WIDTH, box.height / scale, null);
  const [px, py] = [toPixelX(figure.at, data.x[sample] ?? NaN), toPixelY(figure.at, data.y[sample] ?? NaN)];
  context.save();
  context.translate(box.x, box.y);
  context.scale(scale, scale);
  drawFigure(context, figure, data, theme);
  if (Number.isFinite(px + py)) {
    context.beginPath();
    context.arc(px, py, 6, 0, 2 * Math.PI);
    context.fillStyle = colourOf(theme, 0);
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = theme.ground;
    context.stroke();
  }
  context.restore();
}

/** The figure as on paper, on a white ground, with two pixels for each unit of the SVG file. */
export function paperPicture(data: PlotData, window: Window | null): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = 2 * PAPER_WIDTH;
  canvas.height = 2 * PAPER_HEIGHT;
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.fillStyle = PAPER.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(2, 2);
  drawFigure(context, figureOf(data, PAPER_WIDTH, PAPER_HEIGHT, window), data, PAPER);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/* ── as a file ── */

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c);
}

function svgLegend(figure: Figure, entries: Entry[]): string[] {
  if (entries.length === 0) return [];
  const width = 40 + 6.9 * Math.max(...entries.map(({ label }) => label.length));
  const height = 8 + LEGEND_LINE * entries.length;
  const [x, y] = legendPlace(figure, width, height);
  const lines = entries.map(({ label, colour, dash }, i) => {
    const py = y + 4 + LEGEND_LINE * (i + 0.5);
    const style = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
    return `<path d="M${x + 6} ${py}h24" stroke="${colour}" stroke-width="1.5"${style}/><text x="${x + 36}" y="${py + 4}">${escaped(label)}</text>`;
  });
  return [`<g class="legend"><rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#fff" fill-opacity="0.85"/>${lines.join("")}</g>`];
}

/** The figure as an SVG file, black on white, ready for a report. */
export function svgFile(data: PlotData, heading: string, window: Window | null): string {
  const figure = figureOf(data, PAPER_WIDTH, PAPER_HEIGHT, window);
  const { at } = figure;
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
  const draw = (lines: Trace[], style: string): void => {
    for (const { pixels } of lines) out.push(`<polyline clip-path="url(#c)" fill="none" ${style} stroke-linejoin="round" points="${pixels.map((v) => v.toFixed(2)).join(" ")}"/>`);
  };
  data.others.forEach((line, i) => {
    for (const outline of outlines(at, line)) out.push(`<polygon clip-path="url(#c)" fill="${colourOf(PAPER, i)}" fill-opacity="${BAND_SHARE}" points="${outline.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ")}"/>`);
  });
  figure.others.forEach((lines, i) => draw(lines, `stroke="${colourOf(PAPER, i)}" stroke-width="1.4" stroke-dasharray="${dashOf(i)}"`));
  draw(figure.own, `stroke="${PAPER.line}" stroke-width="1.6"`);
  out.push(...svgLegend(figure, legendOf(data, PAPER)));
  out.push(`<path d="M${at.left} ${at.top}V${at.bottom}H${at.right}" fill="none" stroke="#333"/>`);
  at.xLines.forEach((line, i) => out.push(`<text x="${(at.left + at.right) / 2}" y="${at.height - 6 - LINE * (at.xLines.length - 1 - i)}" text-anchor="middle">${escaped(line)}</text>`));
  at.yLines.forEach((line, i) => out.push(`<text transform="translate(${14 + LINE * i} ${(at.top + at.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(line)}</text>`));
  out.push("</svg>");
  return out.join("\n");
}
