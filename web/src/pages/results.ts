/** What an ended run found besides curves and frames: its short tables and the pictures that its method made, to be read on the page. */
import { fileAddress, getTable, type Job, type MadeFile, type Table, type TableHead } from "../service/api.js";
import { SCENE_OF } from "../compose/variant.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { count, number, unitText } from "../format.js";
import { tableFigure } from "../plot/table_figure.js";
import { changedAddress } from "../router.js";
import { errorText } from "./messages.js";

const ROWS_MOST = 200; /* a longer table is for a spreadsheet */
const ROWS_OPEN = 24; /* so many are shown without being asked for */
const PICTURES_MOST = 24;
const DRAWN_MOST = 100000; /* rows that are read for a figure */

export class ResultsPanel {
  readonly element = h("section", { class: "card results", "aria-label": english.results.title, hidden: true });

  private figures: { dispose: () => void }[] = [];
  private shown = ""; // what is laid out, so that it is laid out anew for something new alone: tables stay open

  constructor(private readonly job: number) {}

  dispose(): void {
    for (const figure of this.figures) figure.dispose();
    this.figures = [];
  }

  show(job: Job, tables: TableHead[], files: MadeFile[]): void {
    const given = JSON.stringify([tables, files, job.tags?.[SCENE_OF]]);
    if (given === this.shown) return;
    this.shown = given;
    const short = tables.filter(({ rows }) => rows > 0 && rows <= DRAWN_MOST);
    this.dispose();
    const pictures = files.filter(({ type }) => type.startsWith("image/svg")).slice(0, PICTURES_MOST);
    const variant = this.variant(job, files);
    this.element.hidden = short.length + pictures.length === 0 && variant === null;
    this.element.replaceChildren(h("h2", {}, english.results.title), ...(variant ? [variant] : []), h("div", { class: "result-pictures" }, ...pictures.map((file) => this.picture(file))), ...short.map((table) => this.table(table)));
  }

  /** The way to the scene that the run made of the one it looked at: changes of a scene are a JSON Patch. */
  private variant(job: Job, files: MadeFile[]): HTMLElement | null {
    const of = Number(job.tags?.[SCENE_OF]);
    const patch = files.find(({ type }) => type === "application/json-patch+json");
    return patch && of > 0 ? h("p", {}, h("a", { class: "button primary", href: changedAddress(of, this.job, patch.name) }, english.results.runChanged)) : null;
  }

  private picture({ name }: MadeFile): HTMLElement {
    const title = (name.split("/")[1] ?? name).replace(/\.svg$/, "");
    return h("figure", {}, h("img", { src: fileAddress(this.job, name), alt: title, loading: "lazy" }), h("figcaption", {}, title));
  }

  /** The table's figure, where it has sizes or directions, and its rows, where they are few. */
  private lay(place: HTMLElement, table: Table, name: string): void {
    const figure = tableFigure(table, `job-${this.job}-${name}`);
    if (figure) this.figures.push(figure);
    const rows = table.rows.length <= ROWS_MOST ? tableOf(table) : h("p", { class: "soft" }, english.resultsTooMany(count(table.rows.length)));
    place.replaceChildren(...(figure ? [figure.element] : []), rows);
  }

  private table({ name, label, rows }: TableHead): HTMLElement {
    const place = h("div", { class: "result-rows" });
    const details = h("details", {}, h("summary", {}, `${label} (${count(rows)})`), place);
    details.addEventListener("toggle", () => {
      if (!details.open || place.childElementCount > 0) return;
      getTable(this.job, name)
        .then((table) => this.lay(place, table, name))
        .catch((error: unknown) => place.replaceChildren(h("p", {}, errorText(error))));
    });
    details.open = rows <= ROWS_OPEN;
    return details;
  }
}

/** Rows as HTML; numbers to five digits, what has no value left empty. */
export function tableOf({ columns, rows }: Table): HTMLElement {
  const head = columns.map(({ label, unit }) => h("th", { scope: "col" }, unitText(unit) === "" ? label : `${label}, ${unitText(unit)}`));
  const cell = (value: number | string | null): HTMLElement => (typeof value === "number" ? h("td", { class: "number" }, number(value, 5)) : h("td", {}, value ?? ""));
  return h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell)))));
}
