/** The form of a scene, laid out from the model that schema.ts makes of the JSON Schema. */
import { assetField } from "./asset_field.js";
import type { SceneProblem } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { heading, singular } from "../format.js";
import { methodAddress } from "../router.js";
import { childPointer, isObject, parentPointer, type Json } from "../json.js";
import type { SceneDocument } from "./document.js";
import { booleanField, choiceField, freshId, jsonField, numberField, textField, vectorField, type FieldView } from "./field.js";
import { emptyFields, type EmptyField } from "./empty.js";
import { summaryOf } from "./summary.js";
import { another, formOf, initialValue, recast, switched, UNION_TAG, variantOf, type EitherNode, type FormNode, type ListNode, type NumberNode, type ObjectNode, type UnionNode } from "./schema.js";

const LIST_ITEMS_SHOWN = 200; /* longer lists are for the JSON editor */
const VECTORS_SHOWN = 16; /* longer lists of vectors, such as a mesh's corners, are one field of JSON */

/** What the numbers of a form can be used for besides being typed: a study varies them. */
export interface Vary {
  /** What a number is varied by in words; "": not at all. Of a vector the pointer of one of its components. */
  said(pointer: string): string;
  toggle(pointer: string, node: NumberNode): void;
}

export class SceneForm {
  readonly element = h("div", { class: "scene-form" });
  private views = new Map<string, FieldView>();
  private readonly open = new Map<string, boolean>(); /** which foldings the user opened or closed */
  private problems: SceneProblem[] = [];
  private lastChanged = ""; /** pointer of the part that changed last: where the keyboard goes on */
  private marks: (() => void)[] = []; /* of the numbers that may be varied */
  private lines: (() => void)[] = []; /* that say what a folded part holds */
  private allOpen = foldedNever();
  private stale = false; /* whether the scene was typed anew since the form was laid out */

  constructor(
    private model: FormNode,
    private readonly document: SceneDocument,
    private readonly vary: Vary | null = null,
  ) {
    this.layOut();
    document.onChange.add(({ structure, source }) => {
      if (structure && source === "text" && this.element.closest("[hidden]")) this.stale = true; /* seen when it is shown: every key that is typed beside it is a change */
      else if (structure) this.layOut();
      else for (const line of this.lines) line();
    });
  }

  /** Required fields that nothing was put into yet. */
  emptyFields(): EmptyField[] {
    return emptyFields(this.model, this.document.scene);
  }

  /** A button that unfolds all parts, or folds them again; this browser keeps to it. */
  foldButton(): HTMLButtonElement {
    const button = h("button", { type: "button", class: "small quiet fold-all" });
    const name = (): void => void (button.textContent = this.allOpen ? english.form.foldAll : english.form.unfoldAll);
    button.addEventListener("click", () => {
      this.allOpen = !this.allOpen;
      keepFolding(this.allOpen);
      this.open.clear();
      this.layOut();
      name();
    });
    name();
    return button;
  }

  /** Lays out what has changed while it was hidden; call it when it is shown. */
  show(): void {
    if (this.stale) this.layOut();
  }

  /** Lays the same scene out by another form. */
  setModel(model: FormNode): void {
    this.model = model;
    this.layOut();
  }

  /** Marks the numbers that are varied now. */
  showVaried(): void {
    for (const mark of this.marks) mark();
  }

  /** Shows each problem at its field, or at the nearest part of the form above it. */
  setProblems(problems: SceneProblem[]): void {
    this.problems = problems;
    if (this.stale) return;
    const messages = new Map<string, string[]>();
    for (const problem of problems) {
      const place = this.placeOf(problem.pointer);
      messages.set(place, [...(messages.get(place) ?? []), problem.detail]);
    }
    for (const [pointer, view] of this.views) view.setProblems(messages.get(pointer) ?? []);
    for (const part of this.element.querySelectorAll("details")) part.classList.toggle("holds-problem", part.querySelector(".problem:not([hidden])") !== null);
  }

  /** Unfolds what hides a place and puts the cursor there. */
  focus(pointer: string): void {
    const view = this.views.get(this.placeOf(pointer));
    for (let at: Element | null | undefined = view?.element; at && at !== this.element; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    view?.element.scrollIntoView({ block: "center" });
    view?.focus();
  }

  /** Shows the value of a number or a vector as it is, or would be. */
  put(pointer: string, value: Json | undefined): void {
    this.views.get(pointer)?.put?.(value);
  }

  private placeOf(pointer: string): string {
    let place = pointer;
    while (place !== "" && !this.views.has(place)) place = parentPointer(place);
    return place;
  }

  private layOut(): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.stale = false;
    this.views = new Map();
    this.marks = [];
    this.lines = [];
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.views.set("", {
      element: problem,
      focus: () => this.element.scrollIntoView(),
      setProblems: (messages) => {
        problem.textContent = messages.join(" ");
        problem.hidden = messages.length === 0;
      },
    });
    const body = this.model.kind === "object" ? this.topLevel(this.model) : [this.build("", english.form.scene, this.model, true)];
    this.element.replaceChildren(problem, ...body);
    this.setProblems(this.problems);
    if (hadFocus) this.element.querySelector<HTMLElement>(`[data-keep="${CSS.escape(this.lastChanged)}"]`)?.focus();
  }

  /** Plain values first, in one part; every object and list a part of its own. */
  private topLevel(node: ObjectNode): HTMLElement[] {
    const simple = node.fields.filter(({ node: field }) => !nested(field));
    const parts = node.fields.filter(({ node: field }) => nested(field));
    const about: ObjectNode = { ...node, fields: simple };
    const first = this.folding({ key: "", label: english.form.about, help: english.form.aboutHelp, line: () => summaryOf(about, this.document.scene) }, this.fields("", simple));
    return [first, ...parts.map(({ name, required, node: field }) => this.build(childPointer("", name), heading(name), field, required))];
  }

  private build(pointer: string, label: string, node: FormNode, required: boolean): HTMLElement {
    const value = this.document.at(pointer);
    const set = (next: Json | undefined): void => this.document.set(pointer, next);
    const leaf = (view: FieldView): HTMLElement => {
      view.element.dataset["pointer"] = pointer;
      this.views.set(pointer, view);
      return view.element;
    };
    switch (node.kind) {
      case "number":
        return this.varied([pointer], label, node, leaf(numberField(label, node, required, value, set)));
      case "vector":
        return this.varied(Array.from({ length: node.length }, (_, i) => childPointer(pointer, i)), label, { ...node.item, unit: node.unit }, leaf(vectorField(label, node, required, value, set)));
      case "text":
        return leaf(node.file ? assetField(label, node, required, value, set) : textField(label, node, required, value, set));
      case "boolean":
        return leaf(booleanField(label, node, value, set));
      case "choice":
        return this.explained(pointer, value, leaf(choiceField(label, node, required, value, set)));
      case "fixed":
        return this.explained(pointer, value, leaf(choiceField(label, { ...node, kind: "choice", choices: [node.value] }, required, value, set)));
      case "json":
        return leaf(jsonField(label, node, required, value, set));
      case "object":
        return this.part(pointer, label, node, required, this.fields(pointer, node.fields));
      case "union":
        return this.part(pointer, label, node, required, this.union(pointer, node, required));
      case "either":
        return this.part(pointer, label, node, required, this.either(pointer, node));
      case "list":
        if (node.item.kind === "vector" && Array.isArray(value) && value.length > VECTORS_SHOWN) return leaf(jsonField(label, node, required, value, set));
        return this.part(pointer, label, node, required, this.list(pointer, label, node));
    }
  }

  /** The scene's method has a link to its page of the guide. */
  private explained(pointer: string, value: Json | undefined, element: HTMLElement): HTMLElement {
    if (pointer === "/method" && typeof value === "string") element.append(h("a", { class: "explained", href: methodAddress(value), target: "_blank", rel: "noopener" }, english.form.methodTitle));
    return element;
  }

  /** A button that makes a factor of a number, or of the first component of a vector that is not zero. */
  private varied(pointers: string[], label: string, node: NumberNode, element: HTMLElement): HTMLElement {
    const { vary } = this;
    if (!vary) return element;
    const button = h("button", { type: "button", class: "small quiet vary", title: english.form.varyTitle }, english.form.vary);
    const said = h("p", { class: "varied-by", hidden: true });
    const there = (): string => pointers.find((pointer) => vary.said(pointer) !== "") ?? "";
    const mark = (): void => {
      const pointer = there();
      button.setAttribute("aria-pressed", String(pointer !== ""));
      button.setAttribute("aria-label", english.formVaryLabel(label.toLowerCase()));
      said.textContent = pointer === "" ? "" : english.formVaried(vary.said(pointer));
      said.hidden = pointer === "";
      element.classList.toggle("varied", pointer !== "");
    };
    button.addEventListener("click", () => vary.toggle(there() || (pointers.find((pointer) => this.document.at(pointer)) ?? pointers[0] ?? ""), node));
    element.append(button, said);
    this.marks.push(mark);
    mark();
    return element;
  }

  /** An object's plain fields, its parts, its advanced fields folded away, and what it keeps for other methods. */
  private fields(pointer: string, fields: ObjectNode["fields"]): HTMLElement[] {
    const make = (from: ObjectNode["fields"]): HTMLElement[] => from.map(({ name, required, node }) => this.build(childPointer(pointer, name), heading(name), node, required));
    const own = fields.filter(({ node }) => node.others === "" && !node.retired);
    const plain = own.filter(({ node }) => !node.advanced && !nested(node));
    const parts = own.filter(({ node }) => !node.advanced && nested(node));
    const advanced = own.filter(({ node }) => node.advanced);
    const kept = fields.filter(({ name, node }) => node.others !== "" && this.document.at(childPointer(pointer, name)) !== undefined);
    const out: HTMLElement[] = [];
    if (plain.length > 0) out.push(h("div", { class: "fields" }, ...make(plain)));
    out.push(...make(parts));
    if (advanced.length > 0) out.push(this.folding({ key: `${pointer}#advanced`, label: english.form.advanced, help: "", line: () => this.givenOf(pointer, advanced) }, [h("div", { class: "fields" }, ...make(advanced))], "advanced"));
    if (kept.length > 0) {
      const of = [...new Set(kept.map(({ node }) => node.others))].join(", ");
      out.push(this.folding({ key: `${pointer}#kept`, label: english.form.kept, help: "", line: () => of }, [h("div", { class: "fields" }, ...make(kept))], "advanced"));
    }
    return out;
  }

  private union(pointer: string, node: UnionNode, required: boolean): HTMLElement[] {
    const value = this.document.at(pointer);
    const variant = variantOf(node, value);
    const id = freshId();
    const select = h("select", { id, "data-keep": pointer });
    if (!variant || !required) select.append(h("option", { value: "" }, value === undefined || value === null || variant ? english.form.notGiven : english.form.unknown));
    for (const { name, node: form } of node.variants) select.append(h("option", { value: name }, form.title || heading(name)));
    select.value = variant?.name ?? "";
    select.addEventListener("change", () => {
      this.lastChanged = pointer;
      this.document.set(pointer, select.value === "" ? undefined : switched(node, value, select.value), true);
    });
    const help = variant?.node.help ?? "";
    const chooser = h("div", { class: "field" }, h("label", { for: id }, english.form.type), h("div", { class: "input-row" }, select), help === "" ? null : h("p", { class: "help" }, help));
    const rest = variant ? variant.node.fields.filter(({ name }) => name !== UNION_TAG) : [];
    this.views.set(childPointer(pointer, UNION_TAG), problemView(chooser, () => select.focus()));
    return [h("div", { class: "fields" }, chooser), ...this.fields(pointer, rest)];
  }

  private either(pointer: string, node: EitherNode): HTMLElement[] {
    const value = this.document.at(pointer);
    const at = formOf(node, value);
    const id = freshId();
    const select = h("select", { id, "data-keep": pointer });
    node.forms.forEach((form, i) => select.append(h("option", { value: i }, form.title)));
    select.value = String(at);
    select.addEventListener("change", () => {
      this.lastChanged = pointer;
      this.document.set(pointer, recast(node, value, Number(select.value)), true);
    });
    const form = node.forms[at];
    const help = form && form.help !== node.help ? form.help : "";
    const chooser = h("div", { class: "field" }, h("label", { for: id }, english.form.givenAs), h("div", { class: "input-row" }, select), help === "" ? null : h("p", { class: "help" }, help));
    return [h("div", { class: "fields" }, chooser), ...this.fields(pointer, form ? form.fields : [])];
  }

  private list(pointer: string, label: string, node: ListNode): HTMLElement[] {
    const now = (): Json[] => {
      const value = this.document.at(pointer);
      return Array.isArray(value) ? value : [];
    };
    const items = now(); /* as they are laid out here; buttons take what the fields have made of them since */
    const single = node.item.title || singular(label);
    const rows = items.slice(0, LIST_ITEMS_SHOWN).map((item, i) => {
      const name = isObject(item) && typeof item["name"] === "string" && item["name"] !== "" ? item["name"] : isObject(item) && typeof item[UNION_TAG] === "string" ? heading(item[UNION_TAG]) : "";
      const title = `${single} ${i + 1}${name === "" ? "" : `: ${name}`}`;
      const remove = h("button", { type: "button", class: "small quiet remove", "aria-label": english.formRemoveLabel(title), disabled: items.length <= node.fewest, onclick: () => this.setList(pointer, now().filter((_, other) => other !== i)) }, english.form.remove);
      return h("li", {}, this.build(childPointer(pointer, i), title, node.item, true), remove);
    });
    const more = items.length > LIST_ITEMS_SHOWN ? h("p", { class: "help" }, english.formMore(items.length - LIST_ITEMS_SHOWN)) : null;
    const add = h(
      "button",
      { type: "button", class: "small", "data-keep": pointer, disabled: items.length >= node.most, onclick: () => this.setList(pointer, [...now(), another(now()) ?? initialValue(node.item)]) },
      english.formAdd(single.toLowerCase()),
    );
    return [h("ol", { class: "list" }, ...rows), ...(more ? [more] : []), add];
  }

  private setList(pointer: string, items: Json[]): void {
    this.lastChanged = pointer;
    this.document.set(pointer, items, true);
  }

  /** Which fields of a folding are given: "damping, time step". */
  private givenOf(pointer: string, fields: ObjectNode["fields"]): string {
    return fields.filter(({ name }) => this.document.at(childPointer(pointer, name)) !== undefined).map(({ name }) => heading(name).toLowerCase()).join(", ");
  }

  /** A folding for an object, union or list. */
  private part(pointer: string, label: string, node: FormNode, required: boolean, content: HTMLElement[]): HTMLElement {
    const line = (): string => summaryOf(node, this.document.at(pointer)) || (required ? "" : english.form.notGiven);
    const element = this.folding({ key: pointer, label, help: node.help, line }, content);
    this.views.set(pointer, problemView(element, () => element.querySelector("summary")?.focus()));
    return element;
  }

  /** Folded it is one line with what it holds. Inside of what was unfolded, what has something in it is open. */
  private folding({ key, label, help, line }: Folded, content: HTMLElement[], kind = "part"): HTMLElement {
    const held = h("span", { class: "part-line" });
    const summary = h("summary", { title: help }, h("span", { class: "part-title" }, label), held);
    const deep = key.split("/").length > 2 && kind === "part" && line() !== english.form.notGiven;
    const element = h("details", { class: kind, open: this.open.get(key) ?? (this.allOpen ? kind === "part" && line() !== english.form.notGiven : deep) }, summary, h("div", { class: "part-body" }, help === "" ? null : h("p", { class: "help part-help" }, help), ...content));
    if (key !== "") element.dataset["pointer"] = key;
    summary.addEventListener("click", () => this.open.set(key, !element.open)); /* the click comes before it folds */
    const write = (): void => void (held.textContent = line());
    this.lines.push(write);
    write();
    return element;
  }
}

/** How a folding is known and what stands in its line. */
interface Folded {
  key: string;
  label: string;
  help: string;
  line: () => string;
}

const FOLDING = "scree-form-unfolded";

function foldedNever(): boolean {
  try {
    return localStorage.getItem(FOLDING) === "yes";
  } catch {
    return false;
  }
}

function keepFolding(open: boolean): void {
  try {
    if (open) localStorage.setItem(FOLDING, "yes");
    else localStorage.removeItem(FOLDING);
  } catch {
    /* it holds until the page is loaded again */
  }
}

function nested(node: FormNode): boolean {
  return node.kind === "object" || node.kind === "union" || node.kind === "either" || node.kind === "list";
}

/** Problems of a whole part: a line at its beginning. */
function problemView(element: HTMLElement, focus: () => void): FieldView {
  const line = h("p", { class: "problem", hidden: true });
  const body = element.querySelector(":scope > .part-body") ?? element;
  body.prepend(line);
  return {
    element,
    focus,
    setProblems: (messages) => {
      line.textContent = messages.join(" ");
      line.hidden = messages.length === 0;
      element.classList.toggle("refused", messages.length > 0);
    },
  };
}
