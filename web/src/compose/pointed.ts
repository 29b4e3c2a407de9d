/** Which body of the picture a place in the scene is about, and the other way round. */
import { isObject, valueAt, type Json } from "../json.js";

/** What may be pointed at: a specimen, an obstacle or a part of the rig, by its name. */
export interface Pointed {
  drawable: string;
  part: string; /** "" of a specimen */
}

const nameAt = (scene: Json, pointer: string): string => {
  const value = valueAt(scene, pointer);
  return isObject(value) && typeof value["name"] === "string" ? value["name"] : "";
};

/** What a JSON Pointer into the scene is about: a specimen, an obstacle, or the part of the rig that is named on its way. Null: none of them. */
export function pointedAt(scene: Json, pointer: string): Pointed | null {
  const steps = pointer.replace(/#.*$/, "").split("/").slice(1);
  if (steps[0] === "specimens" && steps[1] !== undefined) {
    const name = nameAt(scene, `/specimens/${steps[1]}`);
    return name === "" ? null : { drawable: name, part: "" };
  }
  if (steps[0] === "obstacles" && steps[1] !== undefined) {
    const name = nameAt(scene, `/obstacles/${steps[1]}`);
    return name === "" ? null : { drawable: "", part: name };
  }
  if (steps[0] !== "rig") return null;
  for (let depth = steps.length; depth > 1; depth--) {
    const name = nameAt(scene, `/${steps.slice(0, depth).join("/")}`) || (steps[depth - 1] ?? "");
    if (/[a-z]/.test(name) && name !== "name") return { drawable: "", part: name };
  }
  return null;
}

/** The place in the scene that says most of a body: its specimen, its obstacle, the key of its part of the rig, or the rig. */
export function pointerOf(scene: Json, { drawable, part }: Pointed): string {
  const list = (pointer: string, name: string): string | null => {
    const items = valueAt(scene, pointer);
    const at = Array.isArray(items) ? items.findIndex((item) => isObject(item) && item["name"] === name) : -1;
    return at < 0 ? null : `${pointer}/${at}`;
  };
  if (part === "") return list("/specimens", drawable) ?? "/specimens";
  const rig = valueAt(scene, "/rig");
  const keys = isObject(rig) ? Object.keys(rig) : [];
  const holder = keys.find((key) => isObject(valueAt(scene, `/rig/${key}/${part}`)));
  return list("/obstacles", part) ?? (keys.includes(part) ? `/rig/${part}` : holder ? `/rig/${holder}/${part}` : "/rig");
}
