/** All fields of a run by drawable, with their units and the range of their values in the run so far: what can be coloured, at a glance. */
import { h, setText } from "../../dom.js";
import * as english from "../../english/view.js";
import { count, heading, number, scaleFor } from "../../format.js";
import type { Frame } from "../../recording/record.js";
import type { Drawable, Field } from "../../recording/topology.js";
import type { Range } from "./field_range.js";

export interface FieldEntry {
  drawable: Drawable;
  about: Field;
  range: () => Range | null; /** of the run so far; null while nothing is known, and for numbers that only name something */
}

const WHAT: Record<string, string> = { points: english.fields.points, instances: english.fields.instances, surface: english.fields.vertices, threads: english.fields.nodes, grid: english.fields.cells };

/** "0 … 12.5 MPa" */
export function rangeText(range: Range | null, unit: string): string {
  if (!range) return "–";
  const { factor, unit: scaled } = scaleFor(Math.max(Math.abs(range.low), Math.abs(range.high)), unit);
  const ends = range.low === range.high ? english.colourEverywhere(number(range.low * factor, 3)) : `${number(range.low * factor, 3)} … ${number(range.high * factor, 3)}`;
  return scaled === "" ? ends : `${ends} ${scaled}`;
}

export class FieldTable {
  readonly element: HTMLDetailsElement;
  private readonly ranges: HTMLElement[] = [];
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly counts = new Map<number, HTMLElement>();

  /** `pick` is called with the place of the entry that the user chose. */
  constructor(
    private readonly entries: FieldEntry[],
    pick: (index: number) => void,
  ) {
    const groups = new Map<number, HTMLElement[]>();
    entries.forEach(({ drawable, about }, index) => {
      const range = h("td", {}, "–");
      const button = h("button", { type: "button", class: "small quiet", onclick: () => pick(index) }, heading(about.name));
      this.ranges.push(range);
      this.buttons.push(button);
      groups.set(drawable.id, [...(groups.get(drawable.id) ?? []), h("tr", {}, h("th", { scope: "row" }, button), range)]);
    });
    const bodies = [...groups].map(([id, rows]) => {
      const drawable = entries.find((entry) => entry.drawable.id === id)?.drawable;
      const many = h("span", { class: "soft" });
      this.counts.set(id, many);
      return h("tbody", {}, h("tr", {}, h("th", { colspan: 2, scope: "rowgroup" }, heading(drawable?.name ?? "") || heading(drawable?.kind ?? ""), " ", many)), ...rows);
    });
    this.element = h("details", { class: "field-table" }, h("summary", { title: english.fields.title }, english.fields.name), h("div", { class: "field-table-body" }, h("table", {}, ...bodies)));
    this.element.hidden = entries.length === 0;
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.element.open) return;
      this.element.open = false;
      this.element.querySelector("summary")?.focus();
    });
  }

  /** Brings what is shown up to date, unless it is folded away. */
  update(frame: Frame | null, chosen: number): void {
    if (!this.element.open) return;
    this.entries.forEach(({ about, range }, i) => {
      const cell = this.ranges[i];
      if (cell) setText(cell, rangeText(range(), about.unit));
      this.buttons[i]?.setAttribute("aria-pressed", String(i === chosen));
    });
    for (const { drawable } of this.entries) {
      const place = this.counts.get(drawable.id);
      const elements = frame?.blocks.find((block) => block.drawable === drawable.id)?.elementCount ?? 0;
      if (place) setText(place, `${count(elements)} ${WHAT[drawable.kind] ?? english.fields.elements}`);
    }
  }
}
