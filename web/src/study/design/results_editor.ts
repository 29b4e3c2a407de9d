/** What a study reads from each of its runs: a list of expressions, and picks that write them. */
import { h } from "../../dom.js";
import * as english from "../../english/study.js";
import { quoted } from "../../plot/expression_name.js";
import { productUnit, quotientUnit } from "../../plot/readouts.js";
import { seriesGroups } from "../../plot/series_groups.js";
import type { Topology } from "../../recording/topology.js";
import type { ResultDraft, StudyDraft } from "./study_draft.js";

type Curve = Topology["series"][number];

interface Reading {
  key: string;
  label: string;
  over: boolean; /** takes a second curve */
  unit(y: string, x: string): string;
}

const same = (y: string): string => y;
const READINGS: Reading[] = [
  { key: "peak", label: english.read.peak, over: false, unit: same },
  { key: "final", label: english.read.final, over: false, unit: same },
  { key: "max", label: english.read.largest, over: false, unit: same },
  { key: "min", label: english.read.smallest, over: false, unit: same },
  { key: "mean", label: english.read.mean, over: false, unit: same },
  { key: "slope", label: english.read.slope, over: true, unit: quotientUnit },
  { key: "integral", label: english.read.integral, over: true, unit: productUnit },
];

/** The result that a reading of a curve makes. */
export function resultOf(key: string, y: Curve, x: Curve | undefined, taken: string[]): ResultDraft {
  const reading = READINGS.find((one) => one.key === key);
  const over = reading?.over === true && x !== undefined;
  const expression = over ? `${key}(${quoted(y.name)}, ${quoted(x.name)})` : `${key}(${quoted(y.name)})`;
  const first = `${key}_${y.name}`.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 50);
  let name = first;
  for (let k = 2; taken.includes(name); k++) name = `${first}_${k}`;
  return { name, expression, unit: reading?.unit(y.unit, over ? x.unit : "1") ?? y.unit };
}

export class ResultsEditor {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "study-results" });
  private readonly what = h("select", { "aria-label": english.read.what }, ...READINGS.map(({ key, label }) => h("option", { value: key }, label)));
  private readonly y = h("select", { "aria-label": english.read.curve });
  private readonly x = h("select", { "aria-label": english.read.overCurve });
  private readonly adder: HTMLElement;
  private curves: Curve[] = [];
  private plot: { x: string; y: string } | null = null;

  constructor(private readonly draft: StudyDraft) {
    const over = h("label", { class: "study-over", hidden: true }, english.read.over, " ", this.x);
    this.what.addEventListener("change", () => (over.hidden = READINGS.find(({ key }) => key === this.what.value)?.over !== true));
    const add = h("button", { type: "button", class: "small", onclick: () => this.add() }, english.read.add);
    this.adder = h("div", { class: "study-picks", hidden: true }, this.what, this.y, over, add);
    this.element = h("div", { class: "study-part" }, h("h3", {}, english.read.title), this.list, this.adder);
    this.lay();
  }

  /** The curves that a run of the scene has. */
  setTopology(topology: Topology): void {
    this.curves = topology.series;
    this.plot = topology.plots[0] ?? null;
    const options = (): HTMLElement[] => seriesGroups(this.curves).flatMap(({ title, members }) => {
      const entries = members.map(({ index, label }) => h("option", { value: this.curves[index]?.name ?? "" }, label));
      return title === "" ? entries : [h("optgroup", { label: title }, ...entries)];
    });
    const chosen = [this.y.value, this.x.value];
    this.y.replaceChildren(...options());
    this.x.replaceChildren(...options());
    const has = (name: string | undefined): boolean => this.curves.some((curve) => curve.name === name);
    this.y.value = has(chosen[0]) ? (chosen[0] as string) : has(this.plot?.y) ? (this.plot?.y as string) : (this.curves[Math.min(1, this.curves.length - 1)]?.name ?? "");
    this.x.value = has(chosen[1]) ? (chosen[1] as string) : has(this.plot?.x) ? (this.plot?.x as string) : (this.curves[0]?.name ?? "");
    this.adder.hidden = this.curves.length === 0;
    this.propose();
  }

  /** A study without results would say nothing: its first is the peak of the first plot. */
  propose(): void {
    if (this.draft.calibrates || this.draft.factors.length === 0 || this.draft.results.length > 0 || this.curves.length === 0) return;
    this.add();
  }

  lay(): void {
    this.list.replaceChildren(...this.draft.results.map((one) => this.row(one)));
  }

  private add(): void {
    const y = this.curves.find(({ name }) => name === this.y.value);
    if (!y) return;
    this.draft.results.push(resultOf(this.what.value, y, this.curves.find(({ name }) => name === this.x.value), this.draft.results.map(({ name }) => name)));
    this.draft.changed(true);
  }

  private row(one: ResultDraft): HTMLElement {
    const name = h("input", { type: "text", value: one.name, spellcheck: "false", "aria-label": english.read.name });
    const expression = h("input", { type: "text", value: one.expression, spellcheck: "false", class: "code", "aria-label": english.readExpression(one.name) });
    name.addEventListener("input", () => ((one.name = name.value.trim()), this.draft.changed(false)));
    expression.addEventListener("input", () => ((one.expression = expression.value), this.draft.changed(false)));
    const remove = h("button", { type: "button", class: "small quiet", "aria-label": english.readRemove(one.name), onclick: () => (this.draft.results.splice(this.draft.results.indexOf(one), 1), this.draft.changed(true)) }, "×");
    return h("li", {}, name, expression, remove);
  }
}
