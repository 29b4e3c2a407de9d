/** A run's table as a figure: sizes as a histogram, directions as a rose in one of the planes of the axes. */
import { h } from "../dom.js";
import * as english from "../english/plot.js";
import { count, quantity } from "../format.js";
import type { Table } from "../service/api.js";
import { csvLine, FigureView, type Drawn } from "../study/figures/figure_view.js";
import { drawBox, scaleOf, type Pen } from "../study/figures/pen.js";
import type { Theme } from "./figure.js";
import { directionColumns, histogram, newestRows, sectors, sizeColumns, type Bin, type DirectionColumns } from "./table_statistics.js";

const HEIGHT = 300;
const SECTORS = 36;
const PLANES: [string, number, number][] = [[english.table.xz, 0, 2], [english.table.yz, 1, 2], [english.table.xy, 0, 1]];
const AXES = ["x", "y", "z"];
const RINGS = 3;

const numbersOf = (rows: Table["rows"], column: number): number[] => rows.map((row) => (typeof row[column] === "number" ? (row[column] as number) : NaN));

class SizeFigure implements Drawn {
  private bins: Bin[] = [];
  private about = { name: "", unit: "1" };
  private rows = 0;

  show(table: Table, column: number): void {
    const values = numbersOf(newestRows(table), column).filter(Number.isFinite);
    this.bins = histogram(values);
    this.rows = values.length;
    const { label, unit } = table.columns[column] ?? { label: "", unit: "1" };
    this.about = { name: label, unit };
  }

  draw(pen: Pen, width: number, height: number, theme: Theme): boolean {
    const box = { left: 60, right: width - 14, top: 12, bottom: height - 44 };
    const ends = this.bins.flatMap(({ from, to }) => [from, to]);
    const x = scaleOf({ values: ends, names: [] }, this.about, [box.left, box.right], Math.max(2, Math.floor(width / 110)));
    const y = scaleOf({ values: [0, ...this.bins.map(({ rows }) => rows)], names: [] }, { name: english.table.rows, unit: "1" }, [box.bottom, box.top], 5);
    if (!x || !y || this.bins.length === 0) return false;
    drawBox(pen, box, x, y, theme);
    for (const { from, to, rows } of this.bins) {
      const [left, right] = [x.at(from), Math.max(x.at(to), x.at(from) + 2)];
      if (rows > 0) pen.path([[left, y.at(0)], [left, y.at(rows)], [right, y.at(rows)], [right, y.at(0)]], { fill: theme.line, stroke: theme.ground, width: 1, name: "bar" });
    }
    return true;
  }

  csv(): string {
    return `${[csvLine(["from", "to", "rows"]), ...this.bins.map(({ from, to, rows }) => csvLine([from, to, rows]))].join("\n")}\n`;
  }

  label(): string {
    const most = this.bins.reduce<Bin | null>((best, bin) => (best && best.rows >= bin.rows ? best : bin), null);
    return english.tableHistogram(this.about.name, count(this.rows)) + (most ? english.tableMost(quantity(most.from, this.about.unit, 3), quantity(most.to, this.about.unit, 3)) : "");
  }
}

class RoseFigure implements Drawn {
  private rows: number[] = [];
  private name = "";
  private plane = PLANES[0] as [string, number, number];
  private total = 0;

  show(table: Table, { name, columns }: DirectionColumns, plane: number): void {
    this.plane = PLANES[plane] ?? this.plane;
    const [, a, b] = this.plane;
    const rows = newestRows(table);
    const [first, second] = [numbersOf(rows, columns[a] ?? 0), numbersOf(rows, columns[b] ?? 0)];
    this.rows = sectors(first.map((value, i) => [value, second[i] ?? NaN]), SECTORS, true);
    this.name = name.replace(/_/g, " ");
    this.total = rows.length;
  }

  draw(pen: Pen, width: number, height: number, theme: Theme): boolean {
    const most = Math.max(...this.rows);
    if (!(most > 0)) return false;
    const [cx, cy, radius] = [width / 2, height / 2, Math.min(width, height) / 2 - 26];
    const at = (turn: number, share: number): [number, number] => [cx + Math.cos(turn) * share * radius, cy - Math.sin(turn) * share * radius];
    const ring = (share: number): [number, number][] => Array.from({ length: 73 }, (_, k) => at((2 * Math.PI * k) / 72, share));
    for (let k = 1; k <= RINGS; k++) pen.path(ring(k / RINGS), { stroke: theme.grid });
    pen.text(cx + 0.75 * radius + 8, cy - 0.75 * radius, english.tableOuterRing(count(most)), { anchor: "start", colour: theme.soft });
    const half = Math.PI / SECTORS;
    this.rows.forEach((rows, k) => {
      const turn = (2 * Math.PI * k) / SECTORS;
      if (rows > 0) pen.path([[cx, cy], ...[-1, -0.5, 0, 0.5, 1].map((side) => at(turn + side * half, rows / most))], { fill: theme.line, stroke: theme.ground, width: 1, name: "petal" });
    });
    const [, a, b] = this.plane;
    pen.text(cx + radius + 8, cy + 4, AXES[a] ?? "", { anchor: "start", colour: theme.text });
    pen.text(cx, cy - radius - 10, AXES[b] ?? "", { anchor: "middle", colour: theme.text });
    return true;
  }

  csv(): string {
    return `${[csvLine(["degrees", "rows"]), ...this.rows.map((rows, k) => csvLine([(360 * k) / SECTORS, rows]))].join("\n")}\n`;
  }

  label(): string {
    const [name, a] = this.plane;
    const most = this.rows.indexOf(Math.max(...this.rows.slice(0, SECTORS / 2)));
    return english.tableRose(this.name, name, count(this.total), Math.round((360 * most) / SECTORS), AXES[a] ?? "");
  }
}

/** A figure of a table, with the choice of what it shows; null where a table has neither sizes nor directions. */
export function tableFigure(table: Table, name: string): { element: HTMLElement; dispose: () => void } | null {
  const [sizes, directions] = [sizeColumns(table), directionColumns(table)];
  if (sizes.length + directions.length === 0 || table.rows.length < 2) return null;
  const what = h("select", {}, ...directions.map((one, i) => h("option", { value: `d${i}` }, english.tableDirections(one.name.replace(/_/g, " ")))), ...sizes.map((column) => h("option", { value: `s${column}` }, (table.columns[column]?.label ?? "").toLowerCase())));
  const plane = h("select", {}, ...PLANES.map(([text], i) => h("option", { value: i }, text)));
  const planeLabel = h("label", {}, english.table.plane, " ", plane);
  const [histogramOf, rose] = [new SizeFigure(), new RoseFigure()];
  const views = { s: new FigureView(histogramOf, () => `${name}-histogram`, HEIGHT, false), d: new FigureView(rose, () => `${name}-rose`, HEIGHT, false) };
  const place = h("div", {});
  const lay = (): void => {
    const kind = what.value.startsWith("d") ? "d" : "s";
    const index = Number(what.value.slice(1));
    const direction = directions[index];
    planeLabel.hidden = kind === "s";
    if (kind === "s") histogramOf.show(table, index);
    else if (direction) rose.show(table, direction, Number(plane.value));
    if (place.firstChild !== views[kind].element) place.replaceChildren(views[kind].element);
    views[kind].update();
  };
  for (const select of [what, plane]) select.addEventListener("change", lay);
  lay();
  const element = h("div", { class: "table-figure" }, h("div", { class: "picture-row" }, h("label", {}, english.table.draw, " ", what), planeLabel), place);
  return { element, dispose: () => (views.s.dispose(), views.d.dispose()) };
}
