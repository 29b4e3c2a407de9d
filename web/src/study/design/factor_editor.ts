/** One factor of a study: its name, how its values are given, and the values. */
import { h } from "../../dom.js";
import * as english from "../../english/study.js";
import { heading, unitText } from "../../format.js";
import { parentPointer, pointerKeys, valueAt, type Json, type JsonObject } from "../../json.js";
import { factorText, kindOf, KINDS, PARAMETERS, partOf, pointersOf, recastFactor, typedValues, valuesText, type FactorKind } from "./factor.js";
import { inOwnUnit } from "../../compose/units.js";
import type { StudyDraft } from "./study_draft.js";

const AXES = ["x", "y", "z", "w"];

/** "Materials 1 · density" */
export function placeText(pointer: string): string {
  return pointerKeys(pointer).map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : heading(key).toLowerCase())).join(" · ").replace(/ · (\d+)/g, " $1");
}

export class FactorEditor {
  readonly element: HTMLElement;
  private readonly values = h("div", { class: "factor-values" });
  private readonly said = h("p", { class: "soft factor-said" });

  constructor(
    private readonly draft: StudyDraft,
    private readonly at: { name: string; factor: JsonObject },
    private readonly scene: () => Json,
    /** Goes to a place of the scene's form. */
    jump: (pointer: string) => void,
  ) {
    const [pointer = ""] = pointersOf(at.factor);
    const name = h("input", { type: "text", value: at.name, spellcheck: "false", "aria-label": english.factor.name });
    name.addEventListener("input", () => ((at.name = name.value.trim()), this.tell()));
    const kind = h("select", { "aria-label": english.factorHow(at.name) }, ...KINDS.filter(([value]) => !draft.calibrates || ["linear", "logarithmic", "seeds"].includes(value)).map(([value, text]) => h("option", { value }, !draft.calibrates ? text : value === "linear" ? english.factor.range : value === "logarithmic" ? english.factor.rangeByLogarithm : text)));
    kind.value = kindOf(at.factor);
    kind.addEventListener("change", () => {
      at.factor = recastFactor(at.factor, kind.value as FactorKind, kind.value === "values" ? this.given() : this.number());
      this.lay();
      this.tell();
    });
    const remove = h("button", { type: "button", class: "small quiet", "aria-label": english.factorRemove(at.name), onclick: () => (draft.factors.splice(draft.factors.indexOf(at), 1), draft.changed(true)) }, "×");
    const many = pointersOf(at.factor).length;
    const place = pointer === "" ? h("span", { class: "soft" }, english.factor.several) : h("button", { type: "button", class: "link", onclick: () => jump(pointer) }, `${placeText(pointer)}${many > 1 ? ` ${english.factorMore(many - 1)}` : ""}`);
    this.element = h("li", { class: "factor", "data-factor": pointer }, h("div", { class: "factor-head" }, name, this.axis(pointer), remove), h("div", { class: "factor-head" }, kind, place), this.values, this.said);
    this.lay();
  }

  /** Of a vector: which of its components. */
  private axis(pointer: string): HTMLElement | null {
    const vector = valueAt(this.scene(), parentPointer(pointer));
    if (!/\/[0-3]$/.test(pointer) || !Array.isArray(vector) || vector.length > AXES.length || pointersOf(this.at.factor).length !== 1) return null;
    const select = h("select", { "aria-label": english.factorComponent(this.at.name) }, ...vector.map((_, i) => h("option", { value: i }, AXES[i] ?? "")));
    select.value = pointer.slice(-1);
    select.addEventListener("change", () => {
      const kind = kindOf(this.at.factor);
      this.at.factor = { ...this.at.factor, pointer: `${parentPointer(pointer)}/${select.value}` };
      this.at.factor = recastFactor(this.at.factor, kind, kind === "values" ? this.given() : this.number());
      if (/_[xyzw]$/.test(this.at.name)) this.at.name = this.at.name.replace(/_[xyzw]$/, `_${AXES[Number(select.value)] ?? ""}`);
      this.draft.changed(true);
    });
    return select;
  }

  /** What stands in the scene. */
  private given(): Json | undefined {
    return valueAt(this.scene(), pointersOf(this.at.factor)[0] ?? "");
  }

  /** The same as a number in the factor's unit. */
  private number(): Json | undefined {
    const value = inOwnUnit(this.given(), typeof this.at.factor["unit"] === "string" ? this.at.factor["unit"] : "1");
    return Number.isNaN(value) ? undefined : value;
  }

  private tell(): void {
    this.say();
    this.draft.changed(false);
  }

  private say(): void {
    const given = this.given();
    const unit = typeof this.at.factor["unit"] === "string" ? ` ${unitText(this.at.factor["unit"])}` : "";
    this.said.textContent = `${factorText(this.at.factor, this.draft.grid)}${typeof given === "number" || typeof given === "string" ? english.factorInScene(`${given}${typeof given === "number" ? unit : ""}`) : ""}`;
  }

  private lay(): void {
    const kind = kindOf(this.at.factor);
    const unit = typeof this.at.factor["unit"] === "string" ? h("span", { class: "unit" }, unitText(this.at.factor["unit"])) : null;
    if (kind === "values") {
      const input = h("input", { type: "text", value: valuesText(this.at.factor["values"]), "aria-label": english.factorValuesOf(this.at.name), title: english.factor.commas, spellcheck: "false" });
      input.addEventListener("input", () => ((this.at.factor = { ...this.at.factor, values: typedValues(input.value) }), this.tell()));
      this.values.replaceChildren(input, ...(unit ? [unit] : []));
    } else if (kind === "seeds") this.values.replaceChildren(this.whole(english.factor.runs, this.at.factor["seeds"], (value) => (this.at.factor = { ...this.at.factor, seeds: value })));
    else {
      const key = kind === "linear" || kind === "logarithmic" ? "range" : "distribution";
      const set = (name: string, value: Json): void => void (this.at.factor = { ...this.at.factor, [key]: { ...partOf(this.at.factor), [name]: value } });
      const inputs = PARAMETERS[kind].map(([name, label]) => {
        const input = h("input", { type: "text", inputmode: "decimal", value: String(partOf(this.at.factor)[name] ?? ""), "aria-label": english.factorNumberOf(label, this.at.name) });
        input.addEventListener("input", () => (set(name, typedValues(input.value)[0] ?? ""), this.tell()));
        return h("label", {}, `${label} `, input);
      });
      const steps = this.draft.grid ? [this.whole(english.factor.steps, partOf(this.at.factor)["steps"], (value) => set("steps", value))] : [];
      this.values.replaceChildren(...inputs, ...(unit ? [unit] : []), ...steps);
    }
    this.say();
  }

  private whole(label: string, value: Json | undefined, set: (value: number) => void): HTMLElement {
    const input = h("input", { type: "number", min: 1, max: 1000, step: 1, value: String(value ?? ""), "aria-label": english.factorNumberOf(label, this.at.name) });
    input.addEventListener("input", () => {
      if (input.value === "") return;
      set(Number(input.value));
      this.tell();
    });
    return h("label", {}, `${label} `, input);
  }
}
