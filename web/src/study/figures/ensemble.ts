/** Repeated runs together: curves as bands on a common axis, and a result by Weibull's law, for each value of a factor. */
import { h, setText, svg } from "../../dom.js";
import * as english from "../../english/study.js";
import { count, number, quantity, scaleFor } from "../../format.js";
import { errorText } from "../../pages/messages.js";
import type { Theme } from "../../plot/figure.js";
import { extent } from "../../plot/scale.js";
import { screenTheme } from "../../plot/screen_theme.js";
import type { Column } from "../columns.js";
import { getBands, getStrength, type Band, type Strength, type StudyDocument } from "../requests.js";
import { csvLine, FigureView, type Drawn } from "./figure_view.js";
import { drawBox, scaleOf, type Box, type Pen } from "./pen.js";

const HEIGHT = 340;

type Named = Pick<Column, "name" | "unit">;

const colour = (theme: Theme, k: number): string => [theme.line, ...theme.others][k % (theme.others.length + 1)] ?? theme.line;

/** The curves that the scene plots first, to begin with. */
function firstPlot(document: StudyDocument): { x: string; y: string } {
  const given = document as { scene?: unknown; scenes?: Record<string, unknown> };
  const scene = given.scene ?? Object.values(given.scenes ?? {})[0];
  const plots = (scene as { output?: { plots?: { x?: string; y?: string }[] } } | undefined)?.output?.plots;
  return { x: plots?.[0]?.x ?? "time", y: plots?.[0]?.y ?? "" };
}

const boxOf = (width: number, height: number): Box => ({ left: 72, right: width - 14, top: 10, bottom: height - 42 });

/** Bands of each group: all curves thin, the quantiles as an area, the median as a line. */
export function drawBands(pen: Pen, groups: Band[], [across, upwards]: [Named, Named], [width, height]: [number, number], theme: Theme): boolean {
  const box = boxOf(width, height);
  const none = (list: (number | null)[]): number[] => list.map((value) => value ?? NaN);
  const x = scaleOf({ values: groups.flatMap((group) => group.x), names: [] }, across, [box.left, box.right], 6, 0);
  const y = scaleOf({ values: groups.flatMap((group) => [...none(group.low), ...none(group.high), ...group.curves.flatMap((curve) => none(curve.y))]), names: [] }, upwards, [box.bottom, box.top], 5);
  if (!x || !y) return false;
  drawBox(pen, box, x, y, theme);
  const line = (xs: (number | null)[], ys: (number | null)[]): [number, number][] => xs.map((value, i) => [x.at(value ?? NaN), y.at(ys[i] ?? NaN)]);
  groups.forEach((group, k) => {
    for (const curve of group.curves) pen.path(line(curve.x, curve.y), { stroke: colour(theme, k), width: 0.7, opacity: 0.35, name: "thin" });
    const both = group.x.map((_, i) => i).filter((i) => group.low[i] !== null && group.high[i] !== null);
    const there = both.map((i): [number, number] => [x.at(group.x[i] ?? NaN), y.at(group.low[i] ?? NaN)]);
    const back = both.map((i): [number, number] => [x.at(group.x[i] ?? NaN), y.at(group.high[i] ?? NaN)]).reverse();
    if (both.length > 1) pen.path([...there, ...back], { fill: colour(theme, k), opacity: 0.18, name: "area" });
    pen.path(line(group.x, group.median), { stroke: colour(theme, k), width: 2, name: "median" });
  });
  return true;
}

/** Weibull's plot: ln(-ln(1 - F)) over the logarithm of the result, with the fitted line of each group. */
export function drawWeibull(pen: Pen, groups: Strength[], { name, unit }: Named, [width, height]: [number, number], theme: Theme): boolean {
  const fits = groups.map(({ weibull }) => (weibull !== null && weibull.plot.value.length > 1 ? weibull : null));
  const values = fits.flatMap((fit) => fit?.plot.value ?? []);
  const ys = fits.flatMap((fit) => fit?.plot.y ?? []);
  const [low, high] = extent(values) ?? [0, 0];
  const range = extent(ys);
  if (!(low > 0) || range === null) return false;
  const scale = scaleFor(high, unit);
  const box = boxOf(width, height);
  const log = (value: number): number => Math.log10(value * scale.factor);
  const x = scaleOf({ values: [log(low) - 0.02, log(high) + 0.02], names: [] }, { name: english.bandsLogarithm(`${name}${scale.unit === "" ? "" : `, ${scale.unit}`}`), unit: "1" }, [box.left, box.right], 6, 0);
  const y = scaleOf({ values: range, names: [] }, { name: "ln(−ln(1 − F))", unit: "1" }, [box.bottom, box.top], 5);
  if (!x || !y) return false;
  drawBox(pen, box, x, y, theme);
  fits.forEach((fit, k) => {
    if (!fit) return;
    fit.plot.value.forEach((value, i) => pen.dot(x.at(log(value)), y.at(fit.plot.y[i] ?? NaN), 3, { fill: colour(theme, k) }));
    if (fit.modulus === null || fit.scale === null) return;
    const [modulus, middle] = [fit.modulus, fit.scale];
    pen.path(range.map((level): [number, number] => [x.at(log(middle * Math.exp(level / modulus))), y.at(level)]), { stroke: colour(theme, k), width: 2, name: "median" });
  });
  return true;
}

function strengthText(group: Strength, unit: string): string {
  const fit = group.weibull;
  const head = english.bandsStrength(count(group.rows), quantity(group.mean, unit), quantity(group.deviation, unit));
  if (fit === null || fit.modulus === null) return `${head}${english.bands.noFit}`;
  const more = fit.rows_for_half_the_width === null ? "" : english.bandsHalve(count(fit.rows_for_half_the_width));
  return head + english.bandsModulus(number(fit.modulus, 3), number(fit.modulus_low ?? NaN, 3), number(fit.modulus_high ?? NaN, 3)) + english.bandsScale(quantity(fit.scale, unit), quantity(fit.scale_low, unit), quantity(fit.scale_high, unit)) + more;
}

function bandsCsv(groups: Band[], [x, y]: [string, string]): string {
  const lines = groups.flatMap((group) => group.x.map((value, i) => csvLine([group.label, value, group.low[i], group.median[i], group.high[i]])));
  return `${csvLine(["group", x, `${y} low`, `${y} median`, `${y} high`])}\n${lines.join("\n")}\n`;
}

function strengthCsv(groups: Strength[], name: string): string {
  const lines = groups.flatMap((group) => (group.weibull?.plot.value ?? []).map((value, i) => csvLine([group.label, value, group.weibull?.plot.y[i]])));
  return `${csvLine(["group", name, "ln(-ln(1 - F))"])}\n${lines.join("\n")}\n`;
}

export class Ensemble {
  readonly element: HTMLElement;
  private readonly by: HTMLSelectElement;
  private readonly result: HTMLSelectElement;
  private readonly x: HTMLInputElement;
  private readonly y: HTMLInputElement;
  private readonly view: FigureView;
  private drawn: Drawn = { draw: () => false, csv: () => "", label: () => "" };
  private kind = "bands";
  private readonly said = h("div", { class: "study-said", role: "status" });

  constructor(
    private readonly study: number,
    document: StudyDocument,
    private readonly columns: Column[],
    name: () => string,
  ) {
    this.view = new FigureView({ draw: (...given) => this.drawn.draw(...given), csv: () => this.drawn.csv(), label: () => this.drawn.label() }, () => `${name()}-${this.kind}`, HEIGHT, false);
    const factors = columns.filter(({ kind }) => kind === "factor");
    const plot = firstPlot(document);
    this.by = h("select", { "aria-label": english.bands.each }, h("option", { value: "" }, english.bands.all), ...factors.map(({ name }) => h("option", { value: name }, name)));
    this.result = h("select", { "aria-label": english.bands.result }, ...columns.filter(({ kind }) => kind === "result").map(({ name }) => h("option", { value: name }, name)));
    this.x = h("input", { "aria-label": english.bands.x, value: plot.x, spellcheck: "false" });
    this.y = h("input", { "aria-label": english.bands.y, value: plot.y, spellcheck: "false" });
    this.element = h(
      "section",
      { class: "card study-ensemble" },
      h("h2", {}, english.bands.title),
      h("div", { class: "study-picks" }, english.bands.each, " ", this.by, h("button", { type: "button", class: "small", onclick: () => void this.drawBands() }, english.bands.draw), this.y, " ", english.bands.over, " ", this.x, h("button", { type: "button", class: "small", onclick: () => void this.drawStrength() }, english.bands.weibull), this.result),
      this.view.element,
      this.said,
    );
  }

  dispose(): void {
    this.view.dispose();
  }

  private show(kind: string, drawn: Drawn): void {
    this.kind = kind;
    this.drawn = drawn;
    this.view.update();
  }

  private legend(groups: { label: string; rows: number }[], text: (k: number) => string): void {
    const label = ({ label: value }: { label: string }): string => (this.by.value === "" ? "" : `${this.by.value} ${value}: `);
    this.said.replaceChildren(h("ul", { class: "study-legend" }, ...groups.map((group, k) => h("li", {}, svg("svg", { viewBox: "0 0 12 12", class: "study-mark", "aria-hidden": "true" }, svg("circle", { cx: 6, cy: 6, r: 5, fill: colour(screenTheme(), k) })), `${label(group)}${text(k)}`))));
  }

  private async drawBands(): Promise<void> {
    setText(this.said, english.bands.reading);
    try {
      const titles: [string, string] = [this.x.value, this.y.value];
      const { groups, x_unit = "1", y_unit = "1" } = await getBands(this.study, ...titles, this.by.value);
      const named: [Named, Named] = [{ name: titles[0], unit: x_unit }, { name: titles[1], unit: y_unit }];
      this.show("bands", { draw: (pen, width, height, theme) => drawBands(pen, groups, named, [width, height], theme), csv: () => bandsCsv(groups, titles), label: () => english.bandsLabel(titles[1], titles[0]) });
      if (groups.some(({ x }) => x.length > 0)) this.legend(groups, (k) => english.bandsCurves(count(groups[k]?.rows ?? 0)));
      else setText(this.said, english.bands.none);
    } catch (error) {
      setText(this.said, errorText(error));
    }
  }

  private async drawStrength(): Promise<void> {
    const column = this.columns.find(({ name }) => name === this.result.value);
    if (!column) return setText(this.said, english.bands.noResults);
    try {
      const groups = await getStrength(this.study, column.name, this.by.value);
      this.show("weibull", { draw: (pen, width, height, theme) => drawWeibull(pen, groups, column, [width, height], theme), csv: () => strengthCsv(groups, column.name), label: () => english.bandsWeibullLabel(column.name) });
      this.legend(groups, (k) => (groups[k] ? strengthText(groups[k] as Strength, column.unit) : ""));
    } catch (error) {
      setText(this.said, errorText(error));
    }
  }
}

