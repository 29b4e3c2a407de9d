/** What the factors do to the result that is looked at, as the server's analysis has it: shares of its variance, interactions, means of levels. */
import { h } from "../../dom.js";
import * as english from "../../english/study.js";
import { count, number, quantity } from "../../format.js";
import { errorText } from "../../pages/messages.js";
import { labelOf, type Column } from "../columns.js";
import { getEffects, type StudyEffects } from "../requests.js";

const PAIRS_SHOWN = 6;
const TRUSTED = 0.7; /* of the variance of rows left out that a fit must predict */
const WAIT_MS = 300;

const percent = (share: number | null): string => (share === null ? "–" : `${share < 5e-4 ? "0" : number(100 * share, 3)} %`);
const meter = (share: number | null): HTMLElement => h("meter", { class: "study-share", min: 0, max: 1, value: share ?? 0, "aria-hidden": "true" });

export class Effects {
  readonly element = h("section", { class: "card study-effects", "aria-label": english.effects.label });
  private readonly open = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly study: number) {}

  dispose(): void {
    clearTimeout(this.timer);
    this.asked = -1;
  }

  /** The rows or the result have changed: asks anew, once they rest. */
  show(result: Column | undefined, succeeded: number): void {
    clearTimeout(this.timer);
    if (!result || result.kind !== "result") return this.say(english.effects.choose);
    if (succeeded < 2) return this.say(english.effects.few);
    this.timer = setTimeout(() => void this.ask(result), WAIT_MS);
  }

  private async ask(result: Column): Promise<void> {
    if (this.asked < 0) return;
    const asked = ++this.asked;
    try {
      const effects = await getEffects(this.study, result.name);
      if (asked === this.asked) this.lay(effects, result);
    } catch (error) {
      if (asked === this.asked) this.say(errorText(error));
    }
  }

  private say(text: string): void {
    this.element.replaceChildren(h("h2", {}, english.effects.title), h("p", { class: "soft" }, text));
  }

  private lay(effects: StudyEffects, result: Column): void {
    const { factors, pairs, rows } = effects;
    this.say(english.effectsShare(result.name, count(rows), effects.method !== "grid"));
    if (effects.predicted !== null) {
      const text = english.effectsPredicted(percent(Math.max(0, effects.predicted)), effects.predicted >= TRUSTED);
      this.element.append(h("p", { class: effects.predicted < TRUSTED ? "check-warned" : "soft" }, text));
    }
    if (factors.length === 0) this.element.append(h("p", { class: "soft" }, english.effects.none));
    for (const factor of [...factors].sort((a, b) => (b.share ?? -1) - (a.share ?? -1))) this.element.append(this.factor(factor, result));
    const known = pairs.filter(({ share }) => share !== null).sort((a, b) => (b.share ?? 0) - (a.share ?? 0)).slice(0, PAIRS_SHOWN);
    const list = [...known.map(({ factors: names, share }) => [names.join(" × "), share] as const), [english.effects.rest, effects.rest] as const];
    this.element.append(h("ul", { class: "study-pairs" }, ...list.map(([name, share]) => h("li", {}, h("span", { class: "study-factor" }, name), meter(share), h("span", { class: "number" }, percent(share))))));
  }

  private factor(factor: StudyEffects["factors"][number], result: Column): HTMLElement {
    const summary = h("summary", {}, h("span", { class: "study-factor" }, factor.name), meter(factor.share), h("span", { class: "number" }, percent(factor.share)));
    const rows = factor.levels.map((level) => h("tr", {}, h("td", {}, typeof level.value === "number" ? quantity(level.value, factor.unit || "1", 4) : labelOf(level.value)), h("td", { class: "number" }, quantity(level.mean, result.unit)), h("td", { class: "number" }, count(level.rows))));
    const correlation = factor.correlation === null ? null : h("p", { class: "soft" }, english.effectsCorrelation(number(factor.correlation, 2)));
    const table = factor.levels.length === 0 ? h("p", { class: "soft" }, english.effects.many) : h("table", { class: "study-levels" }, h("thead", {}, h("tr", {}, h("th", {}, factor.name), h("th", {}, english.effectsMean(result.name)), h("th", {}, english.effects.rows))), h("tbody", {}, ...rows));
    const element = h("details", { open: this.open.has(factor.name) }, summary, correlation, table);
    element.addEventListener("toggle", () => (element.open ? this.open.add(factor.name) : this.open.delete(factor.name)));
    return element;
  }
}
