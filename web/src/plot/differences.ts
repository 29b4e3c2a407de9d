/** In what scenes differ, for the legend of a comparison and for the page of one. */
import { isObject, type Json } from "../json.js";

const ABOUT = new Set(["/name", "/title", "/description"]); /* what a scene is called is no difference of what it is */

/** Plain values of a scene by JSON Pointer; lists of numbers are one value. */
function leaves(value: Json | undefined, pointer: string, into: Map<string, string>): void {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) value.forEach((item, i) => leaves(item, `${pointer}/${i}`, into));
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) leaves(item, `${pointer}/${key}`, into);
  else if (value !== undefined && value !== null && !ABOUT.has(pointer)) into.set(pointer, typeof value === "string" ? value : JSON.stringify(value));
}

export interface Difference {
  pointer: string;
  values: string[]; /** one of each scene; "" where it has none */
}

/** Every place at which not all scenes have the same. */
export function differencesOf(scenes: (Json | null)[]): Difference[] {
  const all = scenes.map((scene) => {
    const found = new Map<string, string>();
    leaves(scene ?? undefined, "", found);
    return found;
  });
  const pointers = [...new Set(all.flatMap((found) => [...found.keys()]))];
  return pointers.map((pointer) => ({ pointer, values: all.map((found) => found.get(pointer) ?? "") })).filter(({ values }) => values.some((value) => value !== values[0]));
}

/** A number to six digits: what arithmetic leaves behind them is no difference. "–" where there is none. */
export function differenceValue(value: string): string {
  return value.trim() !== "" && Number.isFinite(Number(value)) ? String(Number(Number(value).toPrecision(6))) : value || "–";
}

/** "spacing 0.002, velocity −10": the last step of each pointer that is no number, and the value. */
export function differenceText(differences: Difference[], of: number, most: number): string {
  const told = differences.slice(0, most).map(({ pointer, values }) => {
    const step = pointer.split("/").reverse().find((key) => key !== "" && !/^\d+$/.test(key)) ?? "";
    return `${step.replace(/_/g, " ")} ${differenceValue(values[of] ?? "")}`;
  });
  return told.join(", ") + (differences.length > most ? ", …" : "");
}
