/** From a JSON Schema of scenes to a model of a form. Understands what the server's schemas use: objects, arrays, numbers
 *  with ranges, texts, booleans, enums, const, `oneOf` told apart by a const `type` or by the objects' keys, null for "chosen for
 *  you", $ref into $defs, and the notes `x-unit`, `x-advanced` and `x-methods`. Anything else is edited as JSON, so no scene is out of reach. */
import { number } from "../format.js";
import { isObject, valueAt, type Json, type JsonObject } from "../json.js";

interface About {
  title: string;
  help: string;
  unit: string;
  advanced: boolean;
  retired: boolean; // only read from scenes of earlier versions
  others: string; /** of which other methods this is a key, "a, b"; "" for the scene's own */
  nullable: boolean;
  example: string; /** how a number may be given with its unit, "1 mm"; "" where it can't */
  fallback: Json | undefined; /** the schema's default */
}

export interface NumberNode extends About {
  kind: "number";
  integer: boolean;
  low: number; /** -Infinity for none */
  lowOpen: boolean; /** `low` itself is not allowed */
  high: number;
  highOpen: boolean;
}
export interface TextNode extends About {
  kind: "text";
  longest: number;
  file: boolean; /** names an uploaded file */
}
export interface BooleanNode extends About {
  kind: "boolean";
}
export interface ChoiceNode extends About {
  kind: "choice";
  choices: Json[];
}
export interface FixedNode extends About {
  kind: "fixed";
  value: Json;
}
export interface VectorNode extends About {
  kind: "vector";
  item: NumberNode;
  length: number;
}
export interface ListNode extends About {
  kind: "list";
  item: FormNode;
  fewest: number;
  most: number;
}
export interface ObjectNode extends About {
  kind: "object";
  fields: { name: string; required: boolean; node: FormNode }[];
}
export interface UnionNode extends About {
  kind: "union";
  variants: { name: string; node: ObjectNode }[];
}
export interface EitherNode extends About {
  kind: "either";
  forms: ObjectNode[]; /** told apart by their keys; an empty object is of the first */
}
export interface JsonNode extends About {
  kind: "json";
}
export type FormNode = NumberNode | TextNode | BooleanNode | ChoiceNode | FixedNode | VectorNode | ListNode | ObjectNode | UnionNode | EitherNode | JsonNode;

export const UNION_TAG = "type";
const DEEPEST = 24;
const LONGEST_VECTOR = 4; /** fixed-length number lists up to this become one row of inputs */

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const numberOf = (value: Json | undefined, fallback: number): number => (typeof value === "number" ? value : fallback);

export function formModel(schema: JsonObject): FormNode {
  return build(schema, schema, 0);
}

/** The form of a scene whose method can be chosen: each method has its own schema, in which its name is fixed. */
export function withMethods(model: FormNode, methods: string[]): FormNode {
  if (model.kind !== "object") return model;
  const fields = model.fields.map((field) => (field.name === "method" && field.node.kind === "fixed" ? { ...field, node: { ...field.node, kind: "choice" as const, choices: methods } } : field));
  return { ...model, fields };
}

/** Follows $ref; what stands beside it (title, default, ...) wins over what it leads to. */
function resolved(root: JsonObject, schema: Json | undefined): JsonObject {
  let found: JsonObject = isObject(schema) ? schema : {};
  for (let hops = 0; hops < DEEPEST && typeof found["$ref"] === "string"; hops++) {
    const reference = found["$ref"];
    const target = reference.startsWith("#") ? valueAt(root, decodeURIComponent(reference.slice(1))) : undefined;
    const { $ref: _, ...beside } = found;
    found = { ...(isObject(target) ? target : {}), ...beside };
  }
  return found;
}

function typesOf(schema: JsonObject): string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((t) => typeof t === "string") : [];
}

function build(root: JsonObject, given: Json | undefined, depth: number): FormNode {
  const schema = resolved(root, given);
  const types = typesOf(schema);
  const about: About = {
    title: textOf(schema["title"]),
    help: textOf(schema["description"]),
    unit: textOf(schema["x-unit"]),
    advanced: schema["x-advanced"] === true,
    retired: schema["deprecated"] === true,
    others: Array.isArray(schema["x-methods"]) ? schema["x-methods"].map(textOf).join(", ") : "",
    nullable: types.includes("null"),
    example: Array.isArray(schema["examples"]) ? textOf(schema["examples"][0]) : "",
    fallback: schema["default"],
  };
  if (depth > DEEPEST) return { ...about, kind: "json" };
  const variants = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(variants)) return alternatives(root, variants, about, depth);
  if (Object.hasOwn(schema, "const")) return { ...about, kind: "fixed", value: schema["const"] ?? null };
  if (Array.isArray(schema["enum"])) return choice(about, schema["enum"]);
  const type = types.find((t) => t !== "null") ?? (isObject(schema["properties"]) ? "object" : "");
  if (type === "number" || type === "integer") return numeric(about, schema, type === "integer");
  if (type === "boolean") return { ...about, kind: "boolean" };
  if (type === "string") return { ...about, kind: "text", longest: numberOf(schema["maxLength"], Infinity), file: schema["format"] === "scree-asset" };
  if (type === "array") return array(root, schema, about, depth);
  if (type === "object") return object(root, schema, about, depth);
  return { ...about, kind: "json" };
}

function choice(about: About, values: Json[]): FormNode {
  const choices = values.filter((value) => value !== null);
  return { ...about, kind: "choice", choices, nullable: about.nullable || choices.length < values.length };
}

function numeric(about: About, schema: JsonObject, integer: boolean): NumberNode {
  const low = numberOf(schema["minimum"], -Infinity);
  const above = numberOf(schema["exclusiveMinimum"], -Infinity);
  const high = numberOf(schema["maximum"], Infinity);
  const below = numberOf(schema["exclusiveMaximum"], Infinity);
  return { ...about, kind: "number", integer, low: Math.max(low, above), lowOpen: above >= low && above > -Infinity, high: Math.min(high, below), highOpen: below <= high && below < Infinity };
}

function array(root: JsonObject, schema: JsonObject, about: About, depth: number): FormNode {
  const prefix = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : [];
  const item = build(root, schema["items"] ?? prefix[0], depth + 1);
  const fewest = numberOf(schema["minItems"], 0);
  const most = numberOf(schema["maxItems"], Infinity);
  if (item.kind === "number" && fewest === most && most >= 1 && most <= LONGEST_VECTOR) return { ...about, unit: about.unit || item.unit, example: about.example || item.example, kind: "vector", item, length: most };
  return { ...about, kind: "list", item, fewest, most };
}

function object(root: JsonObject, schema: JsonObject, about: About, depth: number): ObjectNode {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = Object.entries(properties).map(([name, property]) => ({ name, required: required.includes(name), node: build(root, property, depth + 1) }));
  return { ...about, kind: "object", fields };
}

/** `oneOf`: a value or null; forms told apart by a const `type`; a list of consts. */
function alternatives(root: JsonObject, variants: Json[], about: About, depth: number): FormNode {
  const forms = variants.map((variant) => resolved(root, variant));
  const real = forms.filter((form) => form["type"] !== "null");
  const nullable = about.nullable || real.length < forms.length;
  const [only] = real;
  if (real.length === 1 && only) {
    const node = build(root, only, depth + 1);
    return { ...node, title: about.title || node.title, help: about.help || node.help, unit: about.unit || node.unit, advanced: about.advanced || node.advanced, nullable, fallback: about.fallback ?? node.fallback };
  }
  if (real.every((form) => Object.hasOwn(form, "const"))) return choice({ ...about, nullable }, real.map((form) => form["const"] ?? null));
  const tagged = real.flatMap((form) => {
    const tag = isObject(form["properties"]) ? resolved(root, form["properties"][UNION_TAG]) : {};
    const node = build(root, form, depth + 1);
    const name = tag["const"] ?? (Array.isArray(tag["enum"]) ? tag["enum"][0] : undefined);
    return typeof name === "string" && node.kind === "object" ? [{ name, node }] : [];
  });
  if (tagged.length === real.length && tagged.length > 0) return { ...about, nullable, kind: "union", variants: tagged };
  const objects = real.map((form) => build(root, form, depth + 1)).filter((node) => node.kind === "object");
  if (objects.length === real.length && objects.length > 0) return { ...about, nullable, kind: "either", forms: objects };
  return { ...about, nullable, kind: "json" };
}

/** The variant a value is of, undefined when its `type` is none of them. */
export function variantOf(node: UnionNode, value: Json | undefined): UnionNode["variants"][number] | undefined {
  const tag = isObject(value) ? value[UNION_TAG] : undefined;
  return node.variants.find((variant) => variant.name === tag);
}

/** Which of the forms a value has: the one that knows most of its keys, the first when none does better. */
export function formOf(node: EitherNode, value: Json | undefined): number {
  const keys = isObject(value) ? Object.keys(value) : [];
  const known = node.forms.map(({ fields }) => keys.filter((key) => fields.some(({ name }) => name === key)).length);
  return Math.max(0, known.indexOf(Math.max(...known)));
}

/** A value turned into another of the forms. Where one form holds the other as a field, known by its title, the value goes there or comes
 *  from there; else it starts anew. */
export function recast(node: EitherNode, value: Json | undefined, to: number): Json | undefined {
  const from = formOf(node, value);
  const [old, fresh] = [node.forms[from], node.forms[to]];
  if (!old || !fresh || from === to) return value;
  const inside = fresh.fields.find(({ node: field }) => field.title !== "" && field.title === old.title);
  if (inside) return { [inside.name]: isObject(value) ? value : {} };
  const outside = old.fields.find(({ node: field }) => field.title !== "" && field.title === fresh.title);
  return outside && isObject(value) ? value[outside.name] : undefined;
}

/** One more thing with a name: like the last, so that it can run as it stands, and only what differs has to be said. Null: things have no names. */
export function another(items: Json[]): Json | null {
  const last = items[items.length - 1];
  if (!isObject(last) || typeof last["name"] !== "string") return null;
  const names = new Set(items.map((item) => (isObject(item) ? item["name"] : "")));
  const stem = last["name"].replace(/-?\d+$/, "") || last["name"];
  let number = items.length + 1;
  while (names.has(`${stem}-${number}`)) number++;
  return { ...structuredClone(last), name: `${stem}-${number}` };
}

/** What a new item of a list starts as: what is required and has a default or only one form. The rest is for the user. */
export function initialValue(node: FormNode): Json {
  if (node.fallback !== undefined && node.fallback !== null) return node.fallback;
  switch (node.kind) {
    case "number":
      return node.low > 0 && Number.isFinite(node.low) ? node.low : 0;
    case "text":
      return "";
    case "boolean":
      return false;
    case "choice":
      return node.choices[0] ?? null;
    case "fixed":
      return node.value;
    case "vector":
      return Array.from({ length: node.length }, () => 0);
    case "list":
      return Array.from({ length: Math.min(node.fewest, 64) }, () => initialValue(node.item));
    case "object":
      return Object.fromEntries(
        node.fields.filter(({ required, node: field }) => required && field.kind !== "number").map(({ name, node: field }) => [name, initialValue(field)]),
      );
    case "union": {
      const [first] = node.variants;
      return first ? { ...(initialValue(first.node) as JsonObject), [UNION_TAG]: first.name } : {};
    }
    case "either":
      return {};
    case "json":
      return null;
  }
}

/** A value turned into another variant: what both have in common is kept. */
export function switched(node: UnionNode, value: Json | undefined, to: string): JsonObject {
  const variant = node.variants.find(({ name }) => name === to);
  const old = isObject(value) ? value : {};
  const fresh = variant ? (initialValue(variant.node) as JsonObject) : {};
  const result: JsonObject = { [UNION_TAG]: to };
  for (const { name } of variant?.node.fields ?? []) {
    if (name === UNION_TAG) continue;
    const next = Object.hasOwn(old, name) ? old[name] : fresh[name];
    if (next !== undefined) result[name] = next;
  }
  return result;
}

const GUARD = 1e5; /* larger bounds only guard against overflow; the server names them when they are passed */

/** The allowed range as people write it: "> 0", "0 ... 2", "≥ 1". Empty when anything sensible goes. */
export function rangeText(node: NumberNode): string {
  const bounded = (value: number): string => number(value, 6);
  const [low, high] = [Math.abs(node.low) < GUARD, Math.abs(node.high) < GUARD];
  if (low && high) return `${node.lowOpen ? "> " : ""}${bounded(node.low)} … ${node.highOpen ? "< " : ""}${bounded(node.high)}`;
  if (low) return `${node.lowOpen ? ">" : "≥"} ${bounded(node.low)}`;
  if (high) return `${node.highOpen ? "<" : "≤"} ${bounded(node.high)}`;
  return "";
}
