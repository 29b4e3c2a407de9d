/** A study being set up: its document in parts that the page edits. What the page does not know stays as it is. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { Listeners } from "../../service/listeners.js";
import { inOwnUnit } from "../../compose/units.js";
import { around, factorName, pointersOf, proposed, type Allowed } from "./factor.js";

export interface ResultDraft {
  name: string;
  expression: string;
  unit: string; /** "": none */
}

const EDITED = ["factors", "design", "results", "scene"];

export class StudyDraft {
  readonly onChange = new Listeners<[boolean]>(); /** with whether parts came or went, so that the page lays them out anew */
  factors: { name: string; factor: JsonObject }[] = [];
  design: JsonObject = { kind: "grid" };
  results: ResultDraft[] = [];
  private rest: JsonObject = { scree_study: 1 };

  constructor(document?: JsonObject) {
    if (document) this.read(document);
  }

  /** Takes a whole document, but for its scene. */
  take(document: JsonObject): void {
    this.read(document);
    this.onChange.call(true);
  }

  private read(document: JsonObject): void {
    const { factors, design, results } = document;
    this.factors = Object.entries(isObject(factors) ? factors : {}).map(([name, factor]) => ({ name, factor: isObject(factor) ? factor : {} }));
    this.design = isObject(design) ? design : { kind: "grid" };
    this.results = Object.entries(isObject(results) ? results : {}).map(([name, given]) => ({ name, expression: textIn(isObject(given) ? given["expression"] : given), unit: textIn(isObject(given) ? given["unit"] : "") }));
    this.rest = { scree_study: 1, ...Object.fromEntries(Object.entries(document).filter(([key]) => !EDITED.includes(key))) };
  }

  /** The document, with the scene where it has but one. */
  document(scene: Json): JsonObject {
    const { scree_study = 1, name = "", title = "", ...rest } = this.rest;
    const results = Object.fromEntries(this.results.map((one) => [one.name, one.unit === "" || one.unit === "1" ? one.expression : { expression: one.expression, unit: one.unit }]));
    const own = this.manyScenes ? {} : { scene };
    return { scree_study, name: name === "" ? nameFor(scene) : name, ...(title === "" ? {} : { title }), ...rest, factors: Object.fromEntries(this.factors.map(({ name: key, factor }) => [key, factor])), design: this.design, results, ...own };
  }

  /** Several scenes, by names: they are the document's own. */
  get manyScenes(): boolean {
    return isObject(this.rest["scenes"]);
  }

  get grid(): boolean {
    return this.design["kind"] === "grid";
  }

  /** An optimiser chooses the rows, to come near to what was measured. */
  get calibrates(): boolean {
    return this.design["kind"] === "calibrate";
  }

  /** A text or a number that the document has of its own: "title", "description", "limits". */
  get(key: string): Json | undefined {
    return this.rest[key];
  }

  set(key: string, value: Json | undefined): void {
    if (value === undefined) delete this.rest[key];
    else this.rest[key] = value;
    this.onChange.call(false);
  }

  changed(structure: boolean): void {
    this.onChange.call(structure);
  }

  factorAt(pointer: string): { name: string; factor: JsonObject } | undefined {
    return this.factors.find(({ factor }) => pointersOf(factor).includes(pointer));
  }

  /** Makes a factor of a number, in a way that fits it, or takes it off again. */
  toggle(pointer: string, value: Json | undefined, unit: string, allowed: Allowed): void {
    const known = this.factorAt(pointer);
    if (known) this.factors.splice(this.factors.indexOf(known), 1);
    else {
      const name = factorName(pointer, this.factors.map((one) => one.name));
      const seeds = allowed.integer && /(^|_)seed$/.test(name);
      const number = inOwnUnit(value, unit === "" ? "1" : unit);
      const ways = seeds ? proposed("seeds", value) : this.calibrates ? unknown(Number.isNaN(number) ? value : number, allowed) : proposed("values", value, allowed);
      this.factors.push({ name, factor: { pointer, ...ways, ...(unit === "" || unit === "1" ? {} : { unit }) } });
    }
    this.onChange.call(true);
  }
}

/** A range to look in, twice as far either way. */
function unknown(value: Json | undefined, allowed: Allowed): JsonObject {
  const [from, to] = around(typeof value === "number" ? value : 1, 2, allowed);
  return { range: { from, to } };
}

const textIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function nameFor(scene: Json): string {
  const name = isObject(scene) ? textIn(scene["name"]).replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 40) : "";
  return `${name === "" ? "my" : name}-study`;
}

/** Places of the scene that are called "seed" and hold a whole number: what repeats a run. */
export function seedsIn(value: Json, pointer = ""): string[] {
  if (Array.isArray(value)) return value.length > 1000 ? [] : value.flatMap((item, i) => seedsIn(item, `${pointer}/${i}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === "seed" && Number.isInteger(item) ? [`${pointer}/seed`] : seedsIn(item, `${pointer}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`)));
}
