/** A calibration on its study's page: the best so far, an interval for each unknown, in words what the data does not determine, how the search went, and
 *  measured, best and band over each other. */
import { h, setText } from "../../dom.js";
import * as english from "../../english/study.js";
import { count, number, quantity } from "../../format.js";
import { errorText } from "../../pages/messages.js";
import type { Theme } from "../../plot/figure.js";
import { logarithmicAxis, extent } from "../../plot/scale.js";
import { getCalibration, getOverlay, type Calibration, type Overlay } from "../requests.js";
import { csvLine, FigureView } from "./figure_view.js";
import { drawBox, scaleOf, type Box, type Pen, type Scale } from "./pen.js";

const HEIGHT = 300;

type Target = Overlay["targets"][number];
type List = (number | null)[];

const listOf = (value: List | number | null | undefined): List => (Array.isArray(value) ? value : []);
const boxOf = (width: number, height: number): Box => ({ left: 76, right: width - 14, top: 10, bottom: height - 42 });

/** Measured with its scatter, the best runs, and the band of those that the interval allows. */
export function drawOverlay(pen: Pen, { x: xName, y: yName, measured, best, band }: Target, [width, height]: [number, number], theme: Theme): boolean {
  const box = boxOf(width, height);
  const runs = best.filter((run): run is { x: List; y: List } => typeof run === "object" && run !== null);
  const [mx, my] = [listOf(measured.x), listOf(measured.y)];
  const numbers = (lists: List[]): number[] => lists.flat().map((value) => value ?? NaN);
  const x = scaleOf({ values: numbers([mx, ...runs.map((run) => run.x)]), names: [] }, { name: xName, unit: "1" }, [box.left, box.right], 6, 0);
  const y = scaleOf({ values: numbers([my, listOf(band?.low), listOf(band?.high), ...runs.map((run) => run.y)]), names: [] }, { name: yName, unit: "1" }, [box.bottom, box.top], 5);
  if (!x || !y) return false;
  drawBox(pen, box, x, y, theme);
  const line = (xs: List, ys: List): [number, number][] => xs.map((value, i) => [x.at(value ?? NaN), y.at(ys[i] ?? NaN)]);
  const there = mx.map((_, i) => i).filter((i) => listOf(band?.low)[i] != null && listOf(band?.high)[i] != null);
  const edge = (list: List): [number, number][] => there.map((i) => [x.at(mx[i] ?? NaN), y.at(list[i] ?? NaN)]);
  if (band && there.length > 1) pen.path([...edge(listOf(band.low)), ...edge(listOf(band.high)).reverse()], { fill: theme.line, opacity: 0.18, name: "area" });
  const deviation = listOf(measured.deviation);
  const scattered = mx.map((_, i) => i).filter((i) => typeof deviation[i] === "number" && my[i] != null);
  const side = (sign: number): [number, number][] => scattered.map((i) => [x.at(mx[i] ?? NaN), y.at((my[i] ?? NaN) + sign * (deviation[i] ?? NaN))]);
  if (scattered.length > 1) pen.path([...side(-1), ...side(1).reverse()], { fill: theme.others[0] ?? theme.text, opacity: 0.16, name: "scatter" });
  pen.path(line(mx, my), { stroke: theme.others[0] ?? theme.text, width: 1.8, name: "measured" });
  for (const run of runs) pen.path(line(run.x, run.y), { stroke: theme.line, width: 2, name: "best" });
  return true;
}

/** Distances of the points in their order, on a logarithmic axis, and the least so far as steps. */
export function drawHistory(pen: Pen, { history }: Calibration, [width, height]: [number, number], theme: Theme): boolean {
  const known = history.filter((point) => point.value !== null);
  const range = extent(known.map(({ value }) => value ?? NaN).filter((value) => value > 0));
  if (!range) return false;
  const box = boxOf(width, height);
  const x = scaleOf({ values: [0.5, history.length + 0.5], names: [] }, { name: english.search.point, unit: "1" }, [box.left, box.right], 8, 0);
  const axis = logarithmicAxis(range[0] / 1.3, range[1] * 1.3, 6, false);
  const at = (value: number): number => box.bottom - (Math.log(Math.max(value, axis.low) / axis.low) / Math.log(axis.high / axis.low)) * (box.bottom - box.top);
  const y: Scale = { at, back: (pixel) => pixel, ticks: axis.ticks.map((value) => ({ value, text: number(value, 3) })), title: english.search.distance };
  if (!x) return false;
  drawBox(pen, box, x, y, theme);
  let least = Infinity;
  const steps: [number, number][] = [];
  for (const { point, value } of known) {
    if (steps.length > 0) steps.push([x.at(point), at(least)]);
    least = Math.min(least, value ?? least);
    steps.push([x.at(point), at(least)]);
  }
  pen.path(steps, { stroke: theme.line, width: 1.5, name: "least" });
  for (const { point, value } of known) pen.dot(x.at(point), at(value ?? NaN), 3, { fill: theme.line, opacity: 0.7 });
  return true;
}

function overlayCsv({ measured, best, band }: Target): string {
  const runs = best.filter((run): run is { x: List; y: List } => typeof run === "object" && run !== null);
  const parts: [string, List][] = [["measured x", listOf(measured.x)], ["measured y", listOf(measured.y)], ["deviation", listOf(measured.deviation)], ["low", listOf(band?.low)], ["high", listOf(band?.high)], ...runs.flatMap((run, k): [string, List][] => [[`best ${k + 1} x`, run.x], [`best ${k + 1} y`, run.y]])];
  const length = Math.max(...parts.map(([, list]) => list.length));
  return `${csvLine(parts.map(([name]) => name))}\n${Array.from({ length }, (_, i) => csvLine(parts.map(([, list]) => list[i]))).join("\n")}\n`;
}

export class CalibrationView {
  readonly element: HTMLElement;
  private readonly said = h("p", { role: "status" });
  private readonly words = h("p", { class: "calibration-words" });
  private readonly table = h("div", { class: "calibration-unknowns" });
  private readonly overlays = h("div", { class: "calibration-overlays" });
  private readonly trouble = h("p", { class: "soft", hidden: true });
  private readonly history: FigureView;
  private views: FigureView[] = [];
  private overlay: Overlay | null = null;
  private calibration: Calibration | null = null;
  private gone = false;

  constructor(
    private readonly study: number,
    private readonly name: () => string,
  ) {
    this.history = new FigureView({ draw: (pen, width, height, theme) => this.calibration !== null && drawHistory(pen, this.calibration, [width, height], theme), csv: () => this.historyCsv(), label: () => english.search.label }, () => `${name()}-search`, HEIGHT, false);
    this.element = h("section", { class: "card calibration", "aria-label": english.search.calibration }, h("h2", {}, english.search.calibration), this.said, this.words, this.table, this.overlays, this.trouble, h("h3", {}, english.search.title), h("div", { class: "calibration-history" }, this.history.element));
  }

  dispose(): void {
    this.gone = true;
    this.history.dispose();
    for (const view of this.views) view.dispose();
  }

  /** Rows have changed. */
  async update(): Promise<void> {
    try {
      const calibration = await getCalibration(this.study);
      if (this.gone) return;
      this.calibration = calibration;
      this.lay(calibration);
      this.history.update();
      const overlay = calibration.best === null ? null : await getOverlay(this.study);
      if (!this.gone && overlay) this.layOverlay(overlay);
      this.trouble.hidden = true;
    } catch (error) {
      if (this.gone) return;
      this.trouble.hidden = false;
      setText(this.trouble, errorText(error));
    }
  }

  private lay({ points, ended, why, best, estimate, estimate_reason: reason, unknowns }: Calibration): void {
    const state = ended ? english.searchEnded(why).replace("..", ".") : english.search.running;
    const failed = points.failed > 0 ? english.searchFailed(count(points.failed)) : "";
    setText(this.said, `${english.searchKnown(count(points.known), count(points.limit))}${failed}. ${state}${best?.value == null ? "" : ` ${english.searchBest(number(Math.sqrt(best.value), 3), best.point)}`}`);
    setText(this.words, estimate?.words ?? reason ?? "");
    const rows = unknowns.map((unknown) => {
      const found = estimate?.parameters.find(({ name }) => name === unknown.name);
      const value = found?.best ?? best?.unknowns[unknown.name] ?? null;
      const unit = unknown.unit || "1";
      const interval = found && !found.undetermined ? english.searchRange(quantity(found.low, unit, 4), quantity(found.high, unit, 4)) : found ? english.search.undetermined : english.search.notKnown;
      return h("tr", {}, h("th", { scope: "row" }, unknown.name), h("td", { class: "number" }, quantity(value, unit, 4)), h("td", {}, interval), h("td", {}, bar(unknown, value, found)), h("td", { class: "soft" }, `${english.searchRange(quantity(unknown.low, unit, 4), quantity(unknown.high, unit, 4))}${found?.at_bound === true ? english.search.widen : ""}`));
    });
    const level = estimate ? english.searchLevel(number(100 * estimate.level, 3)) : english.search.interval;
    const head = [english.search.unknown, english.search.bestHead, level, english.search.inRange, english.search.rangeHead].map((text) => h("th", { scope: "col" }, text));
    this.table.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)));
  }

  private layOverlay(overlay: Overlay): void {
    this.overlay = overlay;
    const curves = overlay.targets.filter(({ kind }) => kind === "curve");
    if (this.views.length !== curves.length) {
      for (const view of this.views) view.dispose();
      this.views = curves.map(({ target }, k) => {
        const now = (): Target | undefined => this.overlay?.targets.filter(({ kind }) => kind === "curve")[k];
        const drawn = { draw: (pen: Pen, width: number, height: number, theme: Theme): boolean => drawOverlay(pen, now() as Target, [width, height], theme), csv: () => overlayCsv(now() as Target), label: () => english.searchOverlay(target) };
        return new FigureView(drawn, () => `${this.name()}-${target}`, HEIGHT, false);
      });
      const numbers = overlay.targets.filter(({ kind }) => kind === "number").map(({ target, measured, best }) => h("p", {}, english.searchNumber(target, number(measured.value ?? NaN, 4), best.map((one) => (typeof one === "number" ? number(one, 4) : "–")).join(", "))));
      this.overlays.replaceChildren(...this.views.flatMap((view, k) => [h("h3", {}, english.searchOverlayHead(curves[k]?.target ?? "")), view.element]), ...numbers);
    }
    for (const view of this.views) view.update();
  }

  private historyCsv(): string {
    const { history = [], unknowns = [] } = this.calibration ?? {};
    return `${csvLine(["point", "value", ...unknowns.map(({ name }) => name)])}\n${history.map(({ point, value, unknowns: at }) => csvLine([point, value, ...unknowns.map(({ name }) => at[name])])).join("\n")}\n`;
  }
}

/** Where the best lies in its range, and its interval. */
function bar(unknown: Calibration["unknowns"][number], best: number | null, found: { low: number | null; high: number | null } | undefined): HTMLElement {
  const map = unknown.scale === "logarithmic" ? Math.log : (value: number): number => value;
  const share = (value: number | null | undefined): number => (value == null ? NaN : (100 * (map(value) - map(unknown.low))) / (map(unknown.high) - map(unknown.low)));
  const clamp = (value: number): string => `${Math.min(100, Math.max(0, value)).toFixed(1)}%`;
  const interval = h("span", { class: "interval" });
  const mark = h("span", { class: "mark" });
  const [low, high, at] = [share(found?.low), share(found?.high), share(best)];
  interval.hidden = !Number.isFinite(low + high);
  mark.hidden = !Number.isFinite(at);
  interval.style.left = clamp(low);
  interval.style.width = `${Math.max(0.5, Math.min(100, high) - Math.max(0, low)).toFixed(1)}%`;
  mark.style.left = clamp(at);
  return h("div", { class: "calibration-bar", "aria-hidden": "true" }, interval, mark);
}
