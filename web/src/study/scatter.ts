/** Two columns of a study against each other, as points on a canvas, with the correlation in words. */
import { h, setText, styleValue } from "../dom.js";
import { number, scaleFor, unitText } from "../format.js";
import { extent, makeAxis, roundStep, tickText } from "../plot/scale.js";
import { correlation, labelOf, numeric, type Column } from "./columns.js";
import type { StudyRow } from "./requests.js";

const LEFT = 64;
const BOTTOM = 42;
const TOP = 12;
const RIGHT = 14;
const HEIGHT = 300;

/** A column's values as numbers: names get places 1, 2, ... */
function placed(rows: StudyRow[], column: Column): { values: number[]; names: string[] } {
  const cells = rows.map((row) => column.of(row));
  if (cells.every((cell) => cell === null || typeof cell === "number")) return { values: cells.map(numeric), names: [] };
  const names = [...new Set(cells.filter((cell) => cell !== null).map(labelOf))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { values: cells.map((cell) => (cell === null ? NaN : names.indexOf(labelOf(cell)) + 1)), names };
}

export class Scatter {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img" });
  private readonly said = h("p", { class: "soft", role: "status" });
  private readonly x: HTMLSelectElement;
  private readonly y: HTMLSelectElement;
  private readonly watcher = new ResizeObserver(() => this.draw());

  constructor(
    private readonly columns: Column[],
    private readonly rows: () => StudyRow[],
    changed: () => void,
  ) {
    const pick = (label: string, chosen: Column | undefined): HTMLSelectElement => {
      const select = h("select", { "aria-label": label }, ...columns.map((column) => h("option", { value: column.name, selected: column === chosen }, column.name)));
      select.addEventListener("change", () => (this.draw(), changed()));
      return select;
    };
    this.x = pick("Across", columns.find(({ kind }) => kind === "factor") ?? columns[0]);
    this.y = pick("Up", columns.find(({ kind }) => kind === "result") ?? columns[columns.length - 1]);
    this.element = h("section", { class: "card study-scatter" }, h("div", { class: "study-picks" }, h("h2", {}, "Scatter"), this.y, " over ", this.x), this.canvas, this.said);
    this.watcher.observe(this.element);
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  /** The result that is looked at: what is drawn upwards. */
  get result(): Column | undefined {
    return this.columns.find(({ name }) => name === this.y.value);
  }

  draw(): void {
    const x = this.columns.find(({ name }) => name === this.x.value);
    const y = this.result;
    const context = this.canvas.getContext("2d");
    const width = this.element.clientWidth - 32;
    if (!x || !y || !context || width <= 100) return;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    const rows = this.rows().filter((row) => row.state === "succeeded");
    const across = placed(rows, x);
    const up = placed(rows, y);
    const xs = this.axis(context, across, x, width, false);
    const ys = this.axis(context, up, y, width, true);
    if (!xs || !ys) return setText(this.said, "No row has both values yet.");
    context.fillStyle = styleValue("--accent");
    context.globalAlpha = rows.length > 2000 ? 0.35 : 0.75;
    for (let i = 0; i < rows.length; i++) {
      const px = xs(across.values[i] ?? NaN);
      const py = ys(up.values[i] ?? NaN);
      if (!Number.isFinite(px + py)) continue;
      context.beginPath();
      context.arc(px, py, 3, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    const related = correlation(rows, x, y);
    const text = `${y.name} over ${x.name}${Number.isFinite(related) ? `: correlation ${number(related, 2)}` : ""}`;
    setText(this.said, text);
    this.canvas.setAttribute("aria-label", text);
  }

  /** Draws one axis; returns the map from values to pixels. */
  private axis(context: CanvasRenderingContext2D, { values, names }: { values: number[]; names: string[] }, column: Column, width: number, upward: boolean): ((value: number) => number) | null {
    const range = names.length > 0 ? ([0.5, names.length + 0.5] as [number, number]) : extent(values);
    if (range === null) return null;
    const scale = names.length > 0 ? { factor: 1, unit: "" } : scaleFor(Math.max(Math.abs(range[0]), Math.abs(range[1])), column.unit);
    const pad = names.length > 0 ? 0 : 0.04 * (range[1] - range[0]);
    const axis = makeAxis((range[0] - pad) * scale.factor, (range[1] + pad) * scale.factor, upward ? 5 : Math.max(2, Math.floor(width / 110)), false);
    const [from, to] = upward ? [HEIGHT - BOTTOM, TOP] : [LEFT, width - RIGHT];
    const place = (value: number): number => from + ((value * scale.factor - axis.low) / (axis.high - axis.low)) * (to - from);
    const step = roundStep(axis.high - axis.low, 5);
    context.font = `12px ${styleValue("--font") || "sans-serif"}`;
    context.strokeStyle = styleValue("--line");
    context.fillStyle = styleValue("--text-soft");
    context.textAlign = upward ? "right" : "center";
    context.textBaseline = upward ? "middle" : "top";
    const ticks = names.length > 0 ? names.map((name, k): [number, string] => [k + 1, name]) : axis.ticks.map((tick): [number, string] => [tick / scale.factor, tickText(tick, step)]);
    for (const [value, text] of ticks) {
      const at = place(value);
      context.beginPath();
      if (upward) context.moveTo(LEFT, at), context.lineTo(width - RIGHT, at);
      else context.moveTo(at, TOP), context.lineTo(at, HEIGHT - BOTTOM);
      context.stroke();
      context.fillText(text, upward ? LEFT - 6 : at, upward ? at : HEIGHT - BOTTOM + 6);
    }
    const unit = scale.unit || unitText(column.unit);
    const title = unit === "" ? column.name : `${column.name} (${unit})`;
    if (upward) {
      context.save();
      context.translate(13, (TOP + HEIGHT - BOTTOM) / 2);
      context.rotate(-Math.PI / 2);
      context.textAlign = "center";
      context.fillText(title, 0, 0);
      context.restore();
    } else context.fillText(title, (LEFT + width - RIGHT) / 2, HEIGHT - 18);
    return place;
  }
}
