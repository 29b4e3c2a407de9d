/** Repeated runs together: curves as bands on a common axis, and a result by Weibull's law, for each value of a factor. */
import { h, setText, svg } from "../dom.js";
import { count, number, quantity, scaleFor } from "../format.js";
import { errorText } from "../pages/messages.js";
import { makeAxis, roundStep, tickText } from "../plot/scale.js";
import type { Column } from "./columns.js";
import { getBands, getStrength, type Band, type Strength, type StudyDocument } from "./requests.js";

const WIDTH = 640;
const HEIGHT = 330;
const FRAME = { left: 66, right: 12, top: 10, bottom: 44 };
const COLOURS = ["#0b6a72", "#c2570c", "#5b4bb0", "#3f7d20", "#a0275f", "#7a5c00"];

const colour = (k: number): string => COLOURS[k % COLOURS.length] ?? "#0b6a72";

/** The curves that the scene plots first, to begin with. */
function firstPlot(document: StudyDocument): { x: string; y: string } {
  const given = document as { scene?: unknown; scenes?: Record<string, unknown> };
  const scene = given.scene ?? Object.values(given.scenes ?? {})[0];
  const plots = (scene as { output?: { plots?: { x?: string; y?: string }[] } } | undefined)?.output?.plots;
  return { x: plots?.[0]?.x ?? "time", y: plots?.[0]?.y ?? "" };
}

/** A frame with axes around [x] by [y]; returns the maps from values to places, and the group to draw in. */
function frame(xs: [number, number], ys: [number, number], xTitle: string, yTitle: string): { element: SVGElement; x(value: number): number; y(value: number): number } {
  const element = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "study-plot", role: "img" });
  const x = makeAxis(xs[0], xs[1], 6, false);
  const y = makeAxis(ys[0], ys[1], 5, true);
  const px = (value: number): number => FRAME.left + ((value - x.low) / (x.high - x.low)) * (WIDTH - FRAME.left - FRAME.right);
  const py = (value: number): number => HEIGHT - FRAME.bottom - ((value - y.low) / (y.high - y.low)) * (HEIGHT - FRAME.top - FRAME.bottom);
  const xStep = roundStep(x.high - x.low, 6);
  const yStep = roundStep(y.high - y.low, 5);
  for (const tick of x.ticks) element.append(svg("line", { x1: px(tick), x2: px(tick), y1: FRAME.top, y2: HEIGHT - FRAME.bottom, class: "grid" }), svg("text", { x: px(tick), y: HEIGHT - FRAME.bottom + 16, "text-anchor": "middle" }, tickText(tick, xStep)));
  for (const tick of y.ticks) element.append(svg("line", { x1: FRAME.left, x2: WIDTH - FRAME.right, y1: py(tick), y2: py(tick), class: "grid" }), svg("text", { x: FRAME.left - 6, y: py(tick) + 4, "text-anchor": "end" }, tickText(tick, yStep)));
  element.append(svg("text", { x: (FRAME.left + WIDTH - FRAME.right) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, xTitle), svg("text", { x: -(HEIGHT - FRAME.bottom) / 2, y: 14, transform: "rotate(-90)", "text-anchor": "middle" }, yTitle));
  return { element, x: px, y: py };
}

const finite = (values: (number | null)[]): number[] => values.filter((value): value is number => value !== null && Number.isFinite(value));

function rangeOf(lists: (number | null)[][]): [number, number] | null {
  const all = lists.flatMap(finite);
  if (all.length === 0) return null;
  return [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
}

function path(points: [number, number | null][], place: { x(v: number): number; y(v: number): number }): string {
  let text = "";
  let pen = false;
  for (const [x, y] of points) {
    if (y === null) pen = false;
    else {
      text += `${pen ? "L" : "M"}${place.x(x).toFixed(1)} ${place.y(y).toFixed(1)}`;
      pen = true;
    }
  }
  return text;
}

/** Bands of each group: all curves thin, the quantiles as an area, the median as a line. */
export function bandFigure(groups: Band[], xTitle: string, yTitle: string): SVGElement | null {
  const xs = rangeOf(groups.map(({ x }) => x));
  const ys = rangeOf(groups.flatMap((group) => [group.low, group.high, ...group.curves.map(({ y }) => y)]));
  if (xs === null || ys === null) return null;
  const made = frame(xs, ys, xTitle, yTitle);
  groups.forEach((group, k) => {
    for (const curve of group.curves) made.element.append(svg("path", { d: path(curve.x.map((x, i): [number, number | null] => [x ?? NaN, curve.y[i] ?? null]), made), stroke: colour(k), class: "thin" }));
    const both = group.x.map((x, i): [number, number | null, number | null] => [x, group.low[i] ?? null, group.high[i] ?? null]).filter(([, low, high]) => low !== null && high !== null);
    const there = both.map(([x, low]) => `${made.x(x).toFixed(1)} ${made.y(low ?? 0).toFixed(1)}`);
    const back = both.map(([x, , high]) => `${made.x(x).toFixed(1)} ${made.y(high ?? 0).toFixed(1)}`).reverse();
    if (both.length > 1) made.element.append(svg("polygon", { points: [...there, ...back].join(" "), fill: colour(k), class: "area" }));
    made.element.append(svg("path", { d: path(group.x.map((x, i): [number, number | null] => [x, group.median[i] ?? null]), made), stroke: colour(k), class: "median" }));
  });
  return made.element;
}

/** Weibull's plot: ln(-ln(1 - F)) over the logarithm of the result, with the fitted line of each group. */
export function weibullFigure(groups: Strength[], unit: string, name: string): SVGElement | null {
  const fitted = groups.filter(({ weibull }) => weibull !== null && weibull.plot.value.length > 1);
  const xs = rangeOf(fitted.map(({ weibull }) => weibull?.plot.value ?? []));
  const ys = rangeOf(fitted.map(({ weibull }) => weibull?.plot.y ?? []));
  if (xs === null || ys === null || !(xs[0] > 0)) return null;
  const scale = scaleFor(xs[1], unit);
  const wide = 0.05 * (xs[1] - xs[0] || xs[1]);
  const low = Math.max(xs[0] - wide, 0.5 * xs[0]);
  const place = frame([Math.log10(low * scale.factor), Math.log10((xs[1] + wide) * scale.factor)], ys, `log10 of ${name}${scale.unit === "" ? "" : `, ${scale.unit}`}`, "ln(−ln(1 − F))");
  const px = (value: number): number => place.x(Math.log10(value * scale.factor));
  groups.forEach((group, k) => {
    const fit = group.weibull;
    if (fit === null || fit.plot.value.length < 2) return;
    fit.plot.value.forEach((value, i) => place.element.append(svg("circle", { cx: px(value), cy: place.y(fit.plot.y[i] ?? 0), r: 3, fill: colour(k) })));
    if (fit.modulus === null || fit.scale === null) return;
    const [modulus, middle] = [fit.modulus, fit.scale];
    const at = (y: number): number => middle * Math.exp(y / modulus);
    place.element.append(svg("line", { x1: px(at(ys[0])), y1: place.y(ys[0]), x2: px(at(ys[1])), y2: place.y(ys[1]), stroke: colour(k), class: "median" }));
  });
  return place.element;
}

function strengthText(group: Strength, unit: string): string {
  const fit = group.weibull;
  const head = `${count(group.rows)} rows, mean ${quantity(group.mean, unit)}, deviation ${quantity(group.deviation, unit)}`;
  if (fit === null || fit.modulus === null) return `${head}; no Weibull fit: it needs three values above 0 at least`;
  const more = fit.rows_for_half_the_width === null ? "" : `; ${count(fit.rows_for_half_the_width)} rows would halve the interval of the modulus`;
  return `${head}; modulus ${number(fit.modulus, 3)} (${number(fit.modulus_low ?? NaN, 3)} to ${number(fit.modulus_high ?? NaN, 3)}), scale ${quantity(fit.scale, unit)} (${quantity(fit.scale_low, unit)} to ${quantity(fit.scale_high, unit)})${more}`;
}

export class Ensemble {
  readonly element: HTMLElement;
  private readonly by: HTMLSelectElement;
  private readonly result: HTMLSelectElement;
  private readonly x: HTMLInputElement;
  private readonly y: HTMLInputElement;
  private readonly figure = h("div", { class: "study-figure" });
  private readonly said = h("div", { class: "study-said", role: "status" });

  constructor(
    private readonly study: number,
    document: StudyDocument,
    private readonly columns: Column[],
  ) {
    const factors = columns.filter(({ kind }) => kind === "factor");
    const plot = firstPlot(document);
    this.by = h("select", { "aria-label": "For each value of" }, h("option", { value: "" }, "all together"), ...factors.map(({ name }) => h("option", { value: name }, name)));
    this.result = h("select", { "aria-label": "Result" }, ...columns.filter(({ kind }) => kind === "result").map(({ name }) => h("option", { value: name }, name)));
    this.x = h("input", { "aria-label": "Curve across", value: plot.x, spellcheck: "false" });
    this.y = h("input", { "aria-label": "Curve upwards", value: plot.y, spellcheck: "false" });
    this.element = h(
      "section",
      { class: "card study-ensemble" },
      h("h2", {}, "Repeated runs"),
      h("div", { class: "study-picks" }, "For each value of ", this.by, h("button", { type: "button", class: "small", onclick: () => void this.drawBands() }, "Bands of"), this.y, " over ", this.x, h("button", { type: "button", class: "small", onclick: () => void this.drawStrength() }, "Weibull plot of"), this.result),
      this.figure,
      this.said,
    );
  }

  private legend(groups: { label: string; rows: number }[], text: (k: number) => string): void {
    const label = ({ label: value }: { label: string }): string => (this.by.value === "" ? "" : `${this.by.value} ${value}: `);
    this.said.replaceChildren(h("ul", { class: "study-legend" }, ...groups.map((group, k) => h("li", {}, svg("svg", { viewBox: "0 0 12 12", class: "study-mark", "aria-hidden": "true" }, svg("circle", { cx: 6, cy: 6, r: 5, fill: colour(k) })), `${label(group)}${text(k)}`))));
  }

  private async drawBands(): Promise<void> {
    setText(this.said, "Reading the recordings …");
    try {
      const groups = await getBands(this.study, this.x.value, this.y.value, this.by.value);
      const figure = bandFigure(groups, this.x.value, this.y.value);
      this.figure.replaceChildren(...(figure ? [figure] : []));
      if (figure) this.legend(groups, (k) => `${count(groups[k]?.rows ?? 0)} curves; median, and the band of 90 % of them`);
      else setText(this.said, "No row has these curves yet.");
    } catch (error) {
      setText(this.said, errorText(error));
    }
  }

  private async drawStrength(): Promise<void> {
    const column = this.columns.find(({ name }) => name === this.result.value);
    if (!column) return setText(this.said, "The study has no results.");
    try {
      const groups = await getStrength(this.study, column.name, this.by.value);
      const figure = weibullFigure(groups, column.unit, column.name);
      this.figure.replaceChildren(...(figure ? [figure] : []));
      this.legend(groups, (k) => (groups[k] ? strengthText(groups[k] as Strength, column.unit) : ""));
    } catch (error) {
      setText(this.said, errorText(error));
    }
  }
}

