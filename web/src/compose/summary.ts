/** A part of a scene in one line, as it stands in a folded form: names first, then what is given. */
import * as english from "../english/compose.js";
import { heading, number, quantity, unitText } from "../format.js";
import { isObject, type Json } from "../json.js";
import { formOf, UNION_TAG, variantOf, type FormNode, type ObjectNode } from "./schema.js";

const PARTS = 5; /* values in a line */
const DEEP = 2;
const SILENT = ["name", "scree", "description"]; /* a name stands before the rest */
const LIST = 3; /* items in a line */

/** One line for a value; "" where nothing is given. */
export function summaryOf(node: FormNode, value: Json | undefined, depth = 0): string {
  if (value === undefined || value === null) return "";
  switch (node.kind) {
    case "number":
      return typeof value === "number" ? quantity(value, node.unit, 4) : String(value);
    case "vector":
      return vectorText(value, node.unit);
    case "list":
      return listText(node.item, value, depth);
    case "object":
      return objectText(node, value, depth);
    case "union": {
      const variant = variantOf(node, value);
      if (!variant) return "";
      const rest = objectText({ ...variant.node, fields: variant.node.fields.filter(({ name }) => name !== UNION_TAG) }, value, depth);
      const kind = (variant.node.title || heading(variant.name)).toLowerCase();
      return rest === "" ? kind : `${kind}, ${rest}`;
    }
    case "either": {
      const form = node.forms[formOf(node, value)];
      return form ? objectText(form, value, depth) : "";
    }
    case "boolean":
      return value === true ? english.summary.yes : english.summary.no;
    case "json":
      return Array.isArray(value) || isObject(value) ? "" : String(value);
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

function vectorText(value: Json, unit: string): string {
  if (!Array.isArray(value)) return String(value);
  if (!value.every((item) => typeof item === "number")) return value.map(String).join(", ");
  const whole = unit === "" || unit === "1" ? "" : `\u202f${unitText(unit)}`;
  return `(${value.map((item) => number(item, 4)).join(", ")})${whole}`;
}

function listText(item: FormNode, value: Json, depth: number): string {
  if (!Array.isArray(value) || value.length === 0) return "";
  const short = (one: Json): string => (isObject(one) && typeof one["name"] === "string" && (depth > 0 || value.length > 1) ? one["name"] : summaryOf(item, one, depth + 1));
  const shown = value.slice(0, LIST).map(short).filter((text) => text !== "");
  const more = value.length - LIST;
  return shown.length === 0 ? `${value.length}` : `${shown.join(value.length > 1 ? ", " : "")}${more > 0 ? ` ${english.andMore(more)}` : ""}`;
}

function objectText(node: ObjectNode, value: Json, depth: number): string {
  if (!isObject(value)) return "";
  const name = typeof value["name"] === "string" ? value["name"] : "";
  const parts: string[] = [];
  for (const { name: key, node: field } of node.fields) {
    if (parts.length >= PARTS) break;
    if (SILENT.includes(key) || field.others !== "" || value[key] === undefined) continue;
    const nests = field.kind === "object" || field.kind === "list" || field.kind === "either" || field.kind === "union";
    if (nests && depth >= DEEP) continue;
    const text = summaryOf(field, value[key], depth + 1);
    if (text === "") continue;
    const labelled = nests || field.kind === "text" || field.kind === "choice" || field.kind === "fixed" ? text : `${heading(key).toLowerCase()} ${text}`;
    parts.push(labelled);
  }
  return name === "" ? parts.join(", ") : parts.length === 0 ? name : `${name}: ${parts.join(", ")}`;
}
