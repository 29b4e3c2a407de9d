/** Parallel coordinates: an axis for each column, a line for each row, coloured by one of them. Dragging along an axis keeps the rows inside. */
import { cssColour, MAPS } from "../../colour.js";
import { h, setText } from "../../dom.js";
import * as english from "../../english/study.js";
import { count } from "../../format.js";
import type { Theme } from "../../plot/figure.js";
import { extent } from "../../plot/scale.js";
import { labelOf, type Column } from "../columns.js";
import type { StudyRow } from "../requests.js";
import { csvLine, FigureView } from "./figure_view.js";
import { placed, scaleOf, type Pen, type Scale, type Values } from "./pen.js";

const HEIGHT = 320;
const AXES_MOST = 12;
const TOP = 34;
const BELOW = 14;
const SIDE = 74;
const DRAGGED_MOST = 1000; /* rows that are drawn while an axis is dragged; all of them when it is let go */

export class Parallel {
  readonly element: HTMLElement;
  private readonly by: HTMLSelectElement;
  private readonly said = h("p", { class: "soft", role: "status" });
  private readonly view: FigureView;
  private readonly columns: Column[];
  private readonly kept = new Map<Column, [number, number]>(); /* ranges of values, by column */
  private shown: { column: Column; x: number; scale: Scale }[] = [];
  private pending = 0;
  private drag: { column: Column; from: number; scale: Scale } | null = null;

  constructor(
    columns: Column[],
    private readonly rows: () => StudyRow[],
    study: () => string,
  ) {
    this.columns = columns.slice(0, AXES_MOST);
    const results = this.columns.filter(({ kind }) => kind === "result");
    this.by = h("select", { "aria-label": english.axes.colouredLabel }, ...this.columns.map(({ name }) => h("option", { value: name, selected: name === results[0]?.name }, name)));
    this.by.addEventListener("change", () => this.draw());
    this.view = new FigureView({ draw: (pen, width, height, theme) => this.paint(pen, width, height, theme), csv: () => this.csv(), label: () => english.axesLabel(this.columns.map(({ name }) => name).join(", ")) }, () => `${study()}-parallel`, HEIGHT, true);
    const all = h("button", { type: "button", class: "small quiet", onclick: () => (this.kept.clear(), this.draw()) }, english.axes.all);
    this.element = h("section", { class: "card study-parallel" }, h("div", { class: "study-picks" }, h("h2", {}, english.axes.title), h("label", {}, english.axes.coloured, " ", this.by), all), this.view.element, this.said);
    this.listen();
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    this.view.dispose();
  }

  /** Once before the next frame, however often an axis is dragged until then. */
  private later(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    this.view.update();
    const rows = this.done;
    const inside = this.kept.size === 0 ? rows.length : this.insideOf(rows, this.valuesOf(rows)).filter(Boolean).length;
    setText(this.said, rows.length === 0 ? english.axes.none : this.kept.size === 0 ? english.axes.hint : english.axesInside(count(inside), count(rows.length), [...this.kept.keys()].map(({ name }) => name).join(english.axes.and)));
  }

  private get done(): StudyRow[] {
    return this.rows().filter((row) => row.state === "succeeded");
  }

  private valuesOf(rows: StudyRow[]): Values[] {
    return this.columns.map((column) => placed(rows.map((row) => column.of(row))));
  }

  private insideOf(rows: StudyRow[], values: Values[]): boolean[] {
    return rows.map((_, i) =>
      this.columns.every((column, k) => {
        const range = this.kept.get(column);
        const value = values[k]?.values[i] ?? NaN;
        return range === undefined || (value >= range[0] && value <= range[1]);
      }),
    );
  }

  private paint(pen: Pen, width: number, height: number, theme: Theme): boolean {
    const rows = this.done;
    const values = this.valuesOf(rows);
    const known = this.columns.flatMap((column, k) => {
      const scale = scaleOf(values[k] ?? { values: [], names: [] }, column, [height - BELOW, TOP], 5, 0);
      return scale ? [{ column, k, scale }] : [];
    });
    const step = (width - 2 * SIDE) / Math.max(1, known.length - 1);
    const axes = known.map((axis, place) => ({ ...axis, x: SIDE + place * step }));
    this.shown = axes;
    if (axes.length < 2) return false;
    const by = this.columns.findIndex(({ name }) => name === this.by.value);
    const [low, high] = extent(values[by]?.values ?? []) ?? [0, 1];
    const inside = this.insideOf(rows, values);
    const order = rows.map((_, i) => i).sort((a, b) => Number(inside[a]) - Number(inside[b])); /* those kept lie on top */
    const stride = this.drag ? Math.ceil(rows.length / DRAGGED_MOST) : 1;
    for (const i of order) {
      if (i % stride !== 0) continue;
      const share = ((values[by]?.values[i] ?? NaN) - low) / (high - low || 1);
      const stroke = inside[i] !== true || !Number.isFinite(share) ? theme.grid : cssColour(MAPS.even.at(0.9 * share));
      pen.path(axes.map(({ k, x, scale }): [number, number] => [x, scale.at(values[k]?.values[i] ?? NaN)]), { stroke, width: this.drag ? 1 : 1.2 /* a line of one pixel is drawn several times as fast */, opacity: inside[i] !== true ? 0.6 : rows.length > 1000 ? 0.35 : 0.8 });
    }
    axes.forEach(({ column, x, scale }, place) => {
      pen.path([[x, TOP], [x, height - BELOW]], { stroke: theme.soft });
      for (const { value, text } of scale.ticks) pen.text(x - 5, scale.at(value) + 4, text, { anchor: "end", colour: theme.text });
      pen.text(x, place % 2 === 0 || step > 150 ? 12 : 26, scale.title, { anchor: "middle", colour: theme.text });
      const range = this.kept.get(column);
      if (range) pen.path([[x - 4, scale.at(range[0])], [x + 4, scale.at(range[0])], [x + 4, scale.at(range[1])], [x - 4, scale.at(range[1])]], { fill: theme.line, opacity: 0.45 });
    });
    return true;
  }

  private listen(): void {
    const surface = this.view.surface;
    surface?.addEventListener("pointerdown", (event) => {
      const near = this.shown.reduce<(typeof this.shown)[number] | null>((best, one) => (best === null || Math.abs(one.x - event.offsetX) < Math.abs(best.x - event.offsetX) ? one : best), null);
      if (!near || Math.abs(near.x - event.offsetX) > 24) return;
      this.drag = { column: near.column, from: event.offsetY, scale: near.scale };
      surface.setPointerCapture(event.pointerId);
    });
    surface?.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      const { column, from, scale } = this.drag;
      if (Math.abs(event.offsetY - from) < 3) this.kept.delete(column);
      else this.kept.set(column, [scale.back(Math.max(from, event.offsetY)), scale.back(Math.min(from, event.offsetY))]);
      this.later();
    });
    surface?.addEventListener("pointerup", (event) => {
      if (!this.drag) return;
      if (Math.abs(event.offsetY - this.drag.from) < 3) this.kept.delete(this.drag.column);
      this.drag = null;
      this.later();
    });
  }

  private csv(): string {
    const rows = this.done;
    const inside = this.insideOf(rows, this.valuesOf(rows));
    return `${csvLine(["row", ...this.columns.map(({ name }) => name)])}\n${rows.filter((_, i) => inside[i]).map((row) => csvLine([row.number, ...this.columns.map((column) => labelOf(column.of(row)))])).join("\n")}\n`;
  }
}
