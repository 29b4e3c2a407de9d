/** The scene being edited: one JSON value that the form, the JSON editor and the check all share. */
import { Listeners } from "../service/listeners.js";
import { withValue, valueAt, type Json } from "../json.js";

/** `structure` tells whether parts came or went, so that the form has to be laid out again. */
export interface Change {
  structure: boolean;
  source: "form" | "text";
}

export class SceneDocument {
  readonly onChange = new Listeners<[Change]>();

  constructor(private value: Json) {}

  get scene(): Json {
    return this.value;
  }

  at(pointer: string): Json | undefined {
    return valueAt(this.value, pointer);
  }

  /** Sets a value, or removes it when undefined. */
  set(pointer: string, value: Json | undefined, structure = false): void {
    this.value = withValue(this.value, pointer, value);
    this.onChange.call({ structure, source: "form" });
  }

  replace(value: Json): void {
    this.value = value;
    this.onChange.call({ structure: true, source: "text" });
  }
}
