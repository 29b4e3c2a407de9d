/** One labelled input with its unit, help, range and the server's objections to it. */
import { h, setText } from "../dom.js";
import * as english from "../english/compose.js";
import { unitText } from "../format.js";
import type { Json } from "../json.js";
import { converted, splitQuantity, unitChoices, type UnitChoice } from "./units.js";
import { rangeText, type ChoiceNode, type FormNode, type NumberNode, type TextNode, type VectorNode } from "./schema.js";

/** A place in the form that problems can be shown at. */
export interface FieldView {
  element: HTMLElement;
  focus(): void;
  setProblems(messages: string[]): void;
  /** Shows a value that was not typed here; of numbers and vectors. */
  put?(value: Json | undefined): void;
}

let lastId = 0;

export function freshId(): string {
  lastId++;
  return `f${lastId}`;
}

export interface Frame extends FieldView {
  id: string;
  row: HTMLElement;
}

/** Label, input row, help and problem line around inputs.   @param unit the list of units; null: the one there is is written */
export function frame(label: string, node: FormNode, required: boolean, range: string, inputs: HTMLElement[], unit: HTMLElement | null = null): Frame {
  const id = freshId();
  const text = node.help.replace(/\bnull:/g, `${english.field.empty}:`); /* how null is given here */
  const help = [text, range === "" ? "" : english.fieldAllowed(range)].filter((part) => part !== "").join("; ");
  const hint = h("p", { class: "help", id: `${id}-help` }, help);
  const problem = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const [first] = inputs;
  if (first) first.id = id;
  for (const input of inputs) input.setAttribute("aria-describedby", `${id}-help ${id}-problem`);
  const row = h("div", { class: "input-row" }, ...inputs, unit ?? (node.unit && node.unit !== "1" ? h("span", { class: "unit", title: node.example === "" ? "" : english.fieldOtherUnit(node.example) }, unitText(node.unit)) : null));
  const element = h("div", { class: "field" }, h("label", { for: id }, label, required ? h("span", { class: "required", title: english.field.required }, " *") : null), row, problem, help === "" ? null : hint);
  return {
    id,
    row,
    element,
    focus: () => first?.focus(),
    setProblems: (messages) => {
      setText(problem, messages.join(" "));
      problem.hidden = messages.length === 0;
      element.classList.toggle("refused", messages.length > 0);
      for (const input of inputs) {
        if (messages.length > 0) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      }
    },
  };
}

/** What typed text means: nothing, a number, or text that the server will object to at this very place. */
export function typedNumber(text: string): Json | undefined {
  const trimmed = text.trim().replace("−", "-");
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : trimmed;
}

function numberText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "number" ? shortest(value) : typeof value === "string" ? value : JSON.stringify(value);
}

/** The shorter of 0.000125 and 1.25e-4. */
function shortest(value: number): string {
  const plain = String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential().replace("e+", "e") : plain;
}

function placeholder(node: FormNode, component?: number): string {
  const fallback = Array.isArray(node.fallback) && component !== undefined ? node.fallback[component] : node.fallback;
  if (fallback === undefined || fallback === null || typeof fallback === "object") return node.nullable ? english.field.automatic : "";
  return numberText(fallback);
}

type Set<T> = (value: T) => void;

/** The unit that numbers of a field are typed in: as they were given, or as chosen, which converts what stands there. */
class UnitOf {
  readonly list: HTMLSelectElement | null;
  private chosen: string;

  constructor(
    private readonly label: string,
    private readonly node: { unit: string; example: string },
    given: (Json | undefined)[],
    private readonly inputs: () => HTMLInputElement[],
    changed: () => void,
  ) {
    const split = given.map((value) => splitQuantity(value, node.unit)).filter((parts) => parts !== null);
    const units = [...new Set(split.map(([, unit]) => unit))];
    this.chosen = units.length === 1 && this.knows(units[0] ?? "") ? (units[0] ?? node.unit) : node.unit;
    this.list = this.offer();
    this.list?.addEventListener("change", () => {
      const [from, to] = [this.choice(this.chosen), this.choice(this.list?.value ?? "")];
      for (const input of this.inputs()) if (from && to && typeof typedNumber(input.value) === "number") input.value = shortest(converted(input.value.trim(), from, to));
      this.chosen = to?.name ?? this.chosen;
      changed();
    });
  }

  private choice(name: string): UnitChoice | undefined {
    return unitChoices(this.node.unit).find((one) => one.name === name);
  }

  private knows(name: string): boolean {
    return this.node.example !== "" && this.choice(name) !== undefined;
  }

  private offer(): HTMLSelectElement | null {
    const choices = this.node.example === "" ? [] : unitChoices(this.node.unit);
    if (choices.length < 2) return null;
    const list = h("select", { class: "unit-list", "aria-label": english.fieldUnit(this.label.toLowerCase()) }, ...choices.map(({ name }) => h("option", { value: name }, unitText(name))));
    list.value = this.chosen;
    return list;
  }

  /** What a value reads as in its input. */
  text(value: Json | undefined): string {
    const parts = splitQuantity(value, this.node.unit);
    if (typeof value === "number" && this.chosen === this.node.unit) return numberText(value);
    const from = parts && this.choice(parts[1]);
    const to = this.choice(this.chosen);
    if (!parts || !from || !to) return numberText(value);
    return from.name === to.name ? parts[0] : shortest(converted(parts[0], from, to));
  }

  /** What the typed text means in the scene. A unit that was typed with it is the one it has. */
  value(text: string): Json | undefined {
    const typed = typedNumber(text);
    return typeof typed !== "number" || this.chosen === this.node.unit ? typed : `${text.trim().replace("−", "-")} ${this.chosen}`;
  }

  /** Takes a unit that was typed into the list; only where a field has one number. */
  takeTyped(input: HTMLInputElement): void {
    const parts = splitQuantity(input.value, this.node.unit);
    if (!this.list || !parts || !this.knows(parts[1]) || typeof typedNumber(input.value) === "number") return;
    this.chosen = parts[1];
    this.list.value = parts[1];
    input.value = parts[0];
  }
}

export function numberField(label: string, node: NumberNode, required: boolean, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", placeholder: placeholder(node) });
  const unit = new UnitOf(label, node, [value], () => [input], () => set(unit.value(input.value)));
  input.value = unit.text(value);
  const view = frame(label, node, required, rangeText(node), [input], unit.list);
  input.addEventListener("input", () => set(unit.value(input.value)));
  input.addEventListener("change", () => unit.takeTyped(input));
  view.put = (given) => void (input.value = unit.text(given));
  return view;
}

export function vectorField(label: string, node: VectorNode, required: boolean, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const old = Array.isArray(value) ? value : [];
  const inputs = Array.from({ length: node.length }, (_, i) =>
    h("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", class: "component",
      "aria-label": `${label} ${"xyzw".charAt(i)}`, placeholder: placeholder(node, i) || "xyzw".charAt(i),
    }),
  );
  const read = (): void => {
    const typed = inputs.map((input) => unit.value(input.value));
    if (typed.every((item) => item === undefined)) return set(undefined);
    const fallback = Array.isArray(node.fallback) ? node.fallback : [];
    set(typed.map((item, i) => item ?? fallback[i] ?? 0));
  };
  const unit = new UnitOf(label, { unit: node.unit, example: node.example || node.item.example }, old.filter((item) => item !== 0), () => inputs, read);
  inputs.forEach((input, i) => (input.value = unit.text(old[i])));
  for (const input of inputs) input.addEventListener("input", read);
  const view = frame(label, node, required, rangeText(node.item), inputs, unit.list);
  view.element.classList.add("vector");
  view.put = (given) => inputs.forEach((input, i) => (input.value = unit.text(Array.isArray(given) ? given[i] : undefined)));
  return view;
}

export function textField(label: string, node: TextNode, required: boolean, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  const long = node.longest > 200 && Number.isFinite(node.longest);
  const input = long ? h("textarea", { rows: 3 }, text) : h("input", { type: "text", autocomplete: "off", placeholder: placeholder(node), value: text });
  input.addEventListener("input", () => set(input.value === "" && !required ? undefined : input.value));
  return frame(label, node, required, "", [input]);
}

export function booleanField(label: string, node: FormNode, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const input = h("input", { type: "checkbox", checked: (value ?? node.fallback) === true });
  input.addEventListener("change", () => set(input.checked));
  return frame(label, node, false, "", [input]);
}

export function choiceField(label: string, node: ChoiceNode, required: boolean, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const name = (choice: Json): string => (typeof choice === "string" ? choice : JSON.stringify(choice));
  const select = h("select", {});
  const given = value ?? null;
  const position = node.choices.indexOf(given);
  if (!required || position < 0) select.append(h("option", { value: -1 }, given === null || position >= 0 ? (node.fallback !== undefined && node.fallback !== null ? english.fieldDefault(name(node.fallback)) : english.field.automatic) : name(given)));
  node.choices.forEach((choice, i) => select.append(h("option", { value: i }, name(choice))));
  select.value = String(position);
  select.addEventListener("change", () => set(node.choices[Number(select.value)]));
  return frame(label, node, required, "", [select]);
}

export function jsonField(label: string, node: FormNode, required: boolean, value: Json | undefined, set: Set<Json | undefined>): FieldView {
  const input = h("textarea", { rows: 3, spellcheck: "false", class: "code" }, value === undefined ? "" : JSON.stringify(value));
  const view = frame(label, node, required, english.field.json, [input]);
  input.addEventListener("change", () => {
    try {
      set(input.value.trim() === "" ? undefined : (JSON.parse(input.value) as Json));
      view.setProblems([]);
    } catch {
      view.setProblems([english.field.notJson]);
    }
  });
  return view;
}
