/** JSON values, and reading and writing inside them by JSON Pointer (RFC 6901). */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of a pointer: "/specimens/0/shape" gives ["specimens", "0", "shape"]. */
export function pointerKeys(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
}

export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** The pointer one level up; "" is its own parent. */
export function parentPointer(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** The value a pointer leads to, undefined when there is none. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const key of pointerKeys(pointer)) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** A copy of `root` with the value at a pointer replaced; undefined removes it. Missing objects on the way are made. */
export function withValue(root: Json, pointer: string, value: Json | undefined): Json {
  return replaced(root, pointerKeys(pointer), value) ?? {};
}

function replaced(node: Json | undefined, keys: string[], value: Json | undefined): Json | undefined {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(node)) {
    const copy = node.slice();
    const next = replaced(copy[Number(key)], rest, value);
    if (next === undefined) copy.splice(Number(key), 1);
    else copy[Number(key)] = next;
    return copy;
  }
  const copy: JsonObject = isObject(node) ? { ...node } : {};
  const next = replaced(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value);
  if (next === undefined) delete copy[key];
  else Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  return copy;
}
