/** What a scene still lacks: required fields that nothing was put into yet. The server is not asked about a scene that is not filled in. */
import { heading } from "../format.js";
import { childPointer, isObject, type Json } from "../json.js";
import { formOf, UNION_TAG, variantOf, type FormNode, type ObjectNode } from "./schema.js";

export interface EmptyField {
  pointer: string;
  label: string;
}

const MOST = 20; /* that are listed */

/** @param value of the node; undefined: it is not there */
export function emptyFields(node: FormNode, value: Json | undefined, pointer = "", label = ""): EmptyField[] {
  const found: EmptyField[] = [];
  look(node, value, { pointer, label }, found);
  return found.slice(0, MOST);
}

function look(node: FormNode, value: Json | undefined, place: EmptyField, found: EmptyField[]): void {
  if (found.length >= MOST) return;
  switch (node.kind) {
    case "number":
    case "text":
    case "vector":
      if (isEmpty(node, value)) found.push(place);
      return;
    case "list":
      if (Array.isArray(value)) value.forEach((item, i) => look(node.item, item, { pointer: childPointer(place.pointer, i), label: `${place.label} ${i + 1}` }, found));
      return;
    case "object":
      return lookInto(node, value, place.pointer, found);
    case "union": {
      const variant = variantOf(node, value);
      return variant ? lookInto({ ...variant.node, fields: variant.node.fields.filter(({ name }) => name !== UNION_TAG) }, value, place.pointer, found) : undefined;
    }
    case "either": {
      const form = isObject(value) && Object.keys(value).length > 0 ? node.forms[formOf(node, value)] : undefined;
      return form ? lookInto(form, value, place.pointer, found) : undefined;
    }
    default:
  }
}

/** Fields that must be there, and what is inside of others that are. */
function lookInto(node: ObjectNode, value: Json | undefined, pointer: string, found: EmptyField[]): void {
  if (!isObject(value)) return;
  for (const { name, required, node: field } of node.fields) {
    const given = value[name];
    if (field.others !== "" || field.retired || (!required && !isObject(given) && !Array.isArray(given))) continue;
    look(field, given, { pointer: childPointer(pointer, name), label: heading(name) }, found);
  }
}

function isEmpty(node: FormNode, value: Json | undefined): boolean {
  if (value === undefined) return node.fallback === undefined;
  if (value === null) return !node.nullable;
  if (value === "") return true;
  return Array.isArray(value) && value.some((item) => item === null || item === "");
}
