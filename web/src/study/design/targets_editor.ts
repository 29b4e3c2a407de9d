/** What a calibration is to come near to: measured curves, and what of a run is compared with each. */
import { h } from "../../dom.js";
import * as english from "../../english/study.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { StudyDraft } from "./study_draft.js";

const METHODS: [string, string][] = [["bobyqa", english.target.bobyqa], ["cobyla", english.target.cobyla], ["gaussian", english.target.gaussian], ["crs2", english.target.crs2]];
const RUNS = 60;

export class TargetsEditor {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "study-results" });
  private readonly runs = h("input", { type: "number", min: 1, max: 20000, step: 1, "aria-label": english.target.runsLabel });
  private readonly method = h("select", { "aria-label": english.target.method }, ...METHODS.map(([value, text]) => h("option", { value }, text)));

  constructor(private readonly draft: StudyDraft) {
    this.runs.addEventListener("input", () => this.runs.value !== "" && this.set({ runs: Number(this.runs.value) }));
    this.method.addEventListener("change", () => this.set({ method: this.method.value }));
    this.element = h("div", { class: "study-part" }, h("h3", {}, english.target.title), this.list, h("div", { class: "study-picks" }, h("label", {}, english.target.atMost, " ", this.runs, " ", english.target.runs), this.method));
  }

  lay(): void {
    const { design } = this.draft;
    this.runs.value = String(typeof design["runs"] === "number" ? design["runs"] : RUNS);
    this.method.value = typeof design["method"] === "string" ? design["method"] : "bobyqa";
    const { targets } = design;
    this.list.replaceChildren(...Object.entries(isObject(targets) ? targets : {}).map(([name, target]) => this.row(name, isObject(target) ? target : {})));
  }

  private set(change: JsonObject): void {
    this.draft.design = { ...this.draft.design, ...change };
    this.draft.changed(false);
  }

  private row(name: string, target: JsonObject): HTMLElement {
    const part = (key: string, label: string): HTMLElement => {
      const input = h("input", { type: "text", class: "code", value: textOf(target[key]), spellcheck: "false", "aria-label": english.targetPart(label, name) });
      input.addEventListener("input", () => {
        const { targets } = this.draft.design;
        const known = isObject(targets) ? targets : {};
        const one = known[name];
        this.set({ targets: { ...known, [name]: { ...(isObject(one) ? one : {}), [key]: input.value } } });
      });
      return h("label", {}, `${label} `, input);
    };
    const curve = target["expression"] === undefined;
    return h("li", {}, h("strong", {}, typeof target["measured"] === "string" ? target["measured"] : name), ...(curve ? [part("y", "y"), part("x", "x")] : [part("expression", english.target.expression)]));
  }
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
