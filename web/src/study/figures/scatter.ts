/** Two columns of a study against each other, as points, with the correlation in words. */
import { h, setText } from "../../dom.js";
import * as english from "../../english/study.js";
import { number } from "../../format.js";
import type { Theme } from "../../plot/figure.js";
import { correlation, labelOf, type Column } from "../columns.js";
import type { StudyRow } from "../requests.js";
import { csvLine, FigureView } from "./figure_view.js";
import { drawBox, placed, scaleOf, type Pen } from "./pen.js";

const HEIGHT = 310;

export class Scatter {
  readonly element: HTMLElement;
  private readonly said = h("p", { class: "soft", role: "status" });
  private readonly x: HTMLSelectElement;
  private readonly y: HTMLSelectElement;
  private readonly view: FigureView;

  constructor(
    private readonly columns: Column[],
    private readonly rows: () => StudyRow[],
    study: () => string,
    changed: () => void,
  ) {
    const pick = (label: string, chosen: Column | undefined): HTMLSelectElement => {
      const select = h("select", { "aria-label": label }, ...columns.map((column) => h("option", { value: column.name, selected: column === chosen }, column.name)));
      select.addEventListener("change", () => (this.draw(), changed()));
      return select;
    };
    this.x = pick(english.scatter.x, columns.find(({ kind }) => kind === "factor") ?? columns[0]);
    this.y = pick(english.scatter.y, columns.find(({ kind }) => kind === "result") ?? columns[columns.length - 1]);
    this.view = new FigureView({ draw: (pen, width, height, theme) => this.paint(pen, width, height, theme), csv: () => this.csv(), label: () => this.text() }, () => `${study()}-scatter`, HEIGHT, true);
    this.element = h("section", { class: "card study-scatter" }, h("div", { class: "study-picks" }, h("h2", {}, english.scatter.title), this.y, " ", english.scatter.over, " ", this.x), this.view.element, this.said);
  }

  dispose(): void {
    this.view.dispose();
  }

  /** The result that is looked at: what is drawn upwards. */
  get result(): Column | undefined {
    return this.columns.find(({ name }) => name === this.y.value);
  }

  private get across(): Column | undefined {
    return this.columns.find(({ name }) => name === this.x.value);
  }

  draw(): void {
    this.view.update();
    setText(this.said, this.done.length === 0 ? english.scatter.none : this.text());
  }

  private get done(): StudyRow[] {
    return this.rows().filter((row) => row.state === "succeeded");
  }

  private text(): string {
    const [x, y] = [this.across, this.result];
    if (!x || !y) return "";
    const related = correlation(this.done, x, y);
    return english.scatterOf(y.name, x.name) + (Number.isFinite(related) ? english.scatterCorrelation(number(related, 2)) : "");
  }

  private paint(pen: Pen, width: number, height: number, theme: Theme): boolean {
    const [x, y] = [this.across, this.result];
    if (!x || !y) return false;
    const rows = this.done;
    const box = { left: 66, right: width - 14, top: 12, bottom: height - 42 };
    const across = placed(rows.map((row) => x.of(row)));
    const up = placed(rows.map((row) => y.of(row)));
    const xs = scaleOf(across, x, [box.left, box.right], Math.max(2, Math.floor(width / 110)));
    const ys = scaleOf(up, y, [box.bottom, box.top], 5);
    if (!xs || !ys) return false;
    drawBox(pen, box, xs, ys, theme);
    const style = { fill: theme.line, opacity: rows.length > 2000 ? 0.35 : 0.75 };
    for (let i = 0; i < rows.length; i++) {
      const [px, py] = [xs.at(across.values[i] ?? NaN), ys.at(up.values[i] ?? NaN)];
      if (Number.isFinite(px + py)) pen.dot(px, py, 3, style);
    }
    return true;
  }

  private csv(): string {
    const [x, y] = [this.across, this.result];
    if (!x || !y) return "";
    return `${["row", x.name, y.name].join(",")}\n${this.done.map((row) => csvLine([row.number, labelOf(x.of(row)), labelOf(y.of(row))])).join("\n")}\n`;
  }
}
