/** The rows of a study as a table of which only what can be seen is there: ten thousand rows scroll as ten do. Headings sort; numbers have bars. */
import { h, setText } from "../dom.js";
import * as english from "../english/study.js";
import { count, number, unitText } from "../format.js";
import { jobAddress } from "../router.js";
import { labelOf, numeric, sorted, type Column } from "./columns.js";
import type { StudyRow } from "./requests.js";
import { rowStateName } from "./state_names.js";

const ROW_PIXELS = 30;
const SPARE_ROWS = 8; /* above and below what can be seen */

interface Span {
  low: number;
  high: number;
}

/** Where bars begin and end: from zero where values have one sign, so that lengths compare. */
function spanOf(rows: StudyRow[], column: Column): Span | null {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    const value = numeric(column.of(row));
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return null;
  return { low: Math.min(0, low), high: Math.max(0, high) };
}

export class TableView {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly heads: HTMLTableCellElement[];
  private readonly scroller = h("div", { class: "study-scroller", tabindex: 0, role: "region", "aria-label": english.page.table });
  private readonly shown = h("p", { class: "soft", role: "status" });
  private ordered: StudyRow[] = [];
  private spans: (Span | null)[] = [];
  private order: Column;
  private descending = false;
  private pending = 0;
  private made = new Map<StudyRow, HTMLElement>(); /* rows that are in the page: most stay when it is scrolled */
  private readonly above: HTMLElement; /* stand for the rows that are not */
  private readonly below: HTMLElement;

  constructor(
    private readonly columns: Column[],
    private readonly rows: () => StudyRow[],
  ) {
    this.order = columns[0] as Column;
    this.heads = columns.map((column) => this.head(column));
    const table = h("table", { class: "study-table" }, h("thead", {}, h("tr", {}, ...this.heads, h("th", { scope: "col" }, english.page.state))), this.body);
    [this.above, this.below] = [this.gap(), this.gap()];
    this.body.append(this.above, this.below);
    this.scroller.append(table);
    this.scroller.addEventListener("scroll", () => this.later(), { passive: true });
    this.element = h("section", { class: "card study-rows" }, this.scroller, this.shown);
  }

  private head(column: Column): HTMLTableCellElement {
    const unit = unitText(column.unit);
    const button = h("button", { type: "button", class: "quiet", onclick: () => this.sortBy(column) }, unit === "" ? column.name : `${column.name} (${unit})`);
    return h("th", { scope: "col", "aria-sort": "none" }, button);
  }

  private sortBy(column: Column): void {
    this.descending = this.order === column && !this.descending;
    this.order = column;
    this.update();
  }

  /** Takes the rows as they are now. */
  update(): void {
    const rows = this.rows();
    this.ordered = this.order.kind === "row" && !this.descending ? rows : sorted(rows, this.order, this.descending);
    this.spans = this.columns.map((column) => (column.kind === "row" ? null : spanOf(rows, column)));
    this.columns.forEach((column, k) => this.heads[k]?.setAttribute("aria-sort", column !== this.order ? "none" : this.descending ? "descending" : "ascending"));
    setText(this.shown, english.pageRowCount(rows.length, count(rows.length)));
    for (const element of this.made.values()) element.remove();
    this.made.clear();
    this.later();
  }

  private later(): void {
    if (this.pending === 0) this.pending = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.pending = 0;
    const from = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_PIXELS) - SPARE_ROWS);
    const to = Math.min(this.ordered.length, from + Math.ceil(this.scroller.clientHeight / ROW_PIXELS) + 2 * SPARE_ROWS);
    const next = new Map(this.ordered.slice(from, to).map((row) => [row, this.made.get(row) ?? this.row(row)]));
    for (const [row, element] of this.made) if (next.get(row) !== element) element.remove();
    let place = this.above.nextSibling;
    for (const element of next.values()) {
      if (element === place) place = place.nextSibling;
      else this.body.insertBefore(element, place); /* rows that stay are not touched: a browser lays out again what was moved */
    }
    this.made = next;
    this.stretch(this.above, from);
    this.stretch(this.below, this.ordered.length - to);
  }

  private gap(): HTMLElement {
    return h("tr", { class: "study-gap", "aria-hidden": "true", hidden: true }, h("td", { colspan: this.columns.length + 1 }));
  }

  private stretch(gap: HTMLElement, rows: number): void {
    gap.hidden = rows <= 0;
    gap.firstElementChild?.setAttribute("height", String(rows * ROW_PIXELS));
  }

  private row(row: StudyRow): HTMLElement {
    return h("tr", { "data-row": row.number, class: `study-${row.state}` }, ...this.columns.map((column, k) => this.cell(row, column, this.spans[k] ?? null)), this.state(row));
  }

  private cell(row: StudyRow, column: Column, span: Span | null): HTMLElement {
    const value = column.of(row);
    if (column.kind === "row") return h("th", { scope: "row" }, row.job === null ? String(row.number) : h("a", { href: jobAddress(row.job) }, String(row.number)));
    if (value === null) return h("td", { class: "soft", title: row.reasons[column.name] }, row.reasons[column.name] === undefined ? "" : "–");
    if (typeof value !== "number") return h("td", {}, labelOf(value));
    if (span === null || !(span.high > span.low)) return h("td", { class: "number" }, number(value));
    const cell = h("td", { class: "number study-bar" }, number(value));
    cell.style.setProperty("--share", String((value - span.low) / (span.high - span.low)));
    return cell;
  }

  private state(row: StudyRow): HTMLElement {
    const about = row.reason ?? (row.taken_over ? english.page.takenOverTitle : "");
    return h("td", { class: "study-state", title: about }, row.taken_over ? english.pageTakenOver(rowStateName(row.state)) : rowStateName(row.state));
  }
}
