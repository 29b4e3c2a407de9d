/** Scenes made from a job's scene: as one of another method, with the changes that a file says. */
import type { Method } from "../service/api.js";
import { isObject, withValue, type Json, type JsonObject } from "../json.js";

/** The tag of an analysis: the number of the job whose scene it looks at. */
export const SCENE_OF = "scene_of";

/** The scene as one of a method that takes scenes of its method: options the method does not know are left out, and so are time and output, which are of
 *  a motion that the method does not follow. */
export function asSceneOf(scene: JsonObject, method: Method): JsonObject {
  const known = new Set(method.options.map(({ name }) => name));
  const given = isObject(scene["options"]) ? scene["options"] : {};
  const options = Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)));
  return { ...scene, method: method.name, options, time: { duration: 1 }, output: {} };
}

/** The scene after the "add" and "replace" of a JSON Patch (RFC 6902), which set members; anything else is no change of ours. */
export function withChanges(scene: JsonObject, patch: Json): JsonObject {
  let changed: Json = scene;
  for (const change of Array.isArray(patch) ? patch : []) {
    if (!isObject(change) || typeof change["path"] !== "string" || (change["op"] !== "add" && change["op"] !== "replace")) continue;
    changed = withValue(changed, change["path"], change["value"]);
  }
  return isObject(changed) ? changed : scene;
}
