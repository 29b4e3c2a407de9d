/** What mends a warning of the check, where that can be said: a change of the scene and what the button for it is called. */
import * as english from "../english/compose.js";
import { isObject, valueAt, withValue, type Json } from "../json.js";
import type { SceneProblem } from "../service/api.js";
import { splitQuantity, inOwnUnit } from "./units.js";

export interface Mend {
  label: string;
  scene: Json; /** the scene then */
}

const LEAVE_OUT = ["a key that counts", "a key of the scene's method"];
const FRACTURE_ENERGY = 100; /* J/m^2, of a brittle polymer: a value to begin with */
const SPARE = 1.25; /* of the travel to the specimen */

export function mendOf({ pointer, allowed, detail, given }: SceneProblem, scene: Json): Mend | null {
  if (LEAVE_OUT.includes(allowed) && valueAt(scene, pointer) !== undefined) return { label: english.mend.leaveOut, scene: withValue(scene, pointer, undefined) };
  if (allowed === "a motion towards the specimens") {
    const turned = turnedRound(valueAt(scene, pointer));
    return turned === null ? null : { label: english.mend.turn, scene: withValue(scene, pointer, turned) };
  }
  if (allowed === "a gap of at most a tenth of the travel, in m") return nearer(scene, pointer, Number(given));
  if (allowed === "a material that can break") return { label: english.mendBreakAt(FRACTURE_ENERGY), scene: withValue(scene, pointer, FRACTURE_ENERGY) };
  if (allowed === "a specimen that can break") return { label: english.mend.break, scene: withValue(scene, pointer, undefined) };
  if (allowed.startsWith("a travel beyond the gap")) return longer(scene, Number(given), detail);
  return null;
}

/** A program with its velocities the other way round. */
function turnedRound(program: Json | undefined): Json | null {
  if (!Array.isArray(program)) return null;
  const segments = program.map((segment) => {
    if (!isObject(segment)) return segment;
    const { velocity } = segment;
    if (typeof velocity === "number") return { ...segment, velocity: -velocity };
    const parts = typeof velocity === "string" ? splitQuantity(velocity, "m/s") : null;
    return parts ? { ...segment, velocity: `${parts[0].startsWith("-") ? parts[0].slice(1) : `-${parts[0]}`} ${parts[1]}` } : segment;
  });
  return JSON.stringify(segments) === JSON.stringify(program) ? null : segments;
}

/** The part at the specimen: the wall of a box moved in, or the opening of a rig made smaller. */
function nearer(scene: Json, program: string, gap: number): Mend | null {
  if (!(gap > 0)) return null;
  const wall = /^\/rig\/walls\/([xyz])_(min|max)\/program/.exec(program);
  const place = wall ? `/rig/${wall[2] === "min" ? "minimum" : "maximum"}/${"xyz".indexOf(wall[1] ?? "")}` : "/rig/opening";
  const old = inOwnUnit(valueAt(scene, place), "m");
  if (!Number.isFinite(old)) return null;
  const wanted = Number((wall?.[2] === "min" ? old + gap : old - gap).toPrecision(9));
  return { label: english.mend.begin, scene: withValue(scene, place, wanted) };
}

/** A run that lasts until the part has gone a quarter farther than to the specimen, at the speed it has on average. */
function longer(scene: Json, travel: number, detail: string): Mend | null {
  const gap = inOwnUnit(/begins ([-+.\deE]+ ?\S*m) away/.exec(detail)?.[1], "m");
  const duration = inOwnUnit(valueAt(scene, "/time/duration"), "s");
  if (!(gap > travel) || !(travel > 0) || !(duration > 0)) return null;
  const wanted = Number(((duration * SPARE * gap) / travel).toPrecision(3));
  return { label: english.mend.longer, scene: withValue(scene, "/time/duration", wanted) };
}
