/** The scene as text. Text that is not JSON stays here, with the reason, until it is. */
import { h, setText } from "../dom.js";
import * as english from "../english/compose.js";
import type { Json } from "../json.js";
import type { SceneDocument } from "./document.js";

/** JSON on several lines, with short lists of plain values on one. */
export function prettyJson(value: Json, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== "object")) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
    return `[\n${value.map((item) => inner + prettyJson(item, inner)).join(",\n")}\n${indent}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${prettyJson(item, inner)}`);
    return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`;
  }
  return JSON.stringify(value);
}

export class JsonEditor {
  readonly element: HTMLElement;
  private readonly area: HTMLTextAreaElement;
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });

  /** @param judged is called when the text became JSON, or no longer is */
  constructor(
    private readonly scene: SceneDocument,
    private readonly judged: () => void,
  ) {
    this.area = h("textarea", { class: "code json", spellcheck: "false", autocomplete: "off", "aria-label": english.json.editor, rows: 30 });
    this.area.value = prettyJson(scene.scene);
    this.area.addEventListener("input", () => this.read());
    scene.onChange.add(({ source }) => {
      if (source === "form") this.write();
    });
    this.element = h("div", { class: "json-editor" }, this.problem, this.area);
  }

  /** Whether the text is a scene's JSON, so that it may be left or submitted. */
  get valid(): boolean {
    return this.problem.hidden;
  }

  /** What stands here. */
  get text(): string {
    return this.area.value;
  }

  /** Puts a text here that need not be JSON. */
  put(text: string): void {
    this.area.value = text;
    this.read();
  }

  private write(): void {
    this.area.value = prettyJson(this.scene.scene);
    this.problem.hidden = true;
    this.judged();
  }

  private read(): void {
    try {
      const value = JSON.parse(this.area.value) as Json;
      this.problem.hidden = true;
      this.judged();
      this.scene.replace(value);
    } catch (error) {
      const where = /position (\d+)/.exec(String(error));
      const line = where ? this.area.value.slice(0, Number(where[1])).split("\n").length : 0;
      setText(this.problem, english.jsonBroken(line, error instanceof Error ? error.message : ""));
      this.problem.hidden = false;
      this.judged();
    }
  }
}
