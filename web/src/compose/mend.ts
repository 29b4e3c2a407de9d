/** What mends a warning of the check, where that can be said: changes of the scene to choose from, and what the button for each is called. */
import * as english from "../english/compose.js";
import { isObject, valueAt, withValue, type Json } from "../json.js";
import type { Gap, SceneProblem } from "../service/api.js";
import { splitQuantity, inOwnUnit } from "./units.js";

export interface Mend {
  label: string;
  scene: Json; /** the scene then */
}

const LEAVE_OUT = ["a key that counts", "a key of the scene's method"];
const FRACTURE_ENERGY = 100; /* J/m^2, of a brittle polymer: a value to begin with */
const SPARE = 1.25; /* of the travel to the specimen */

/** @param gaps those of the rig's parts, as the check found them: exact, where a warning's text is rounded */
export function mendsOf(problem: SceneProblem, scene: Json, gaps: Gap[] = []): Mend[] {
  const first = mendOf(problem, scene);
  if (!problem.allowed.startsWith("a travel beyond the gap")) return first ? [first] : [];
  const gap = gaps.find(({ part }) => problem.detail.startsWith(`${part} `));
  const second = gap ? nearer(scene, problem.pointer, gap.gap) : null;
  return [first, second].filter((mend) => mend !== null);
}

export function mendOf({ pointer, allowed, detail, given }: SceneProblem, scene: Json): Mend | null {
  if (LEAVE_OUT.includes(allowed) && valueAt(scene, pointer) !== undefined) return { label: english.mend.leaveOut, scene: withValue(scene, pointer, undefined) };
  if (allowed === "a motion towards the specimens") {
    const turned = turnedRound(valueAt(scene, pointer));
    return turned === null ? null : { label: english.mend.turn, scene: withValue(scene, pointer, turned) };
  }
  if (allowed === "a gap of at most a tenth of the travel, in m") return nearer(scene, pointer, Number(given));
  if (allowed === "a part with a specimen in its way") return moved(scene, detail);
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

/** The rig where a specimen is in the way of its part, by the displacement that the warning says. */
function moved(scene: Json, detail: string): Mend | null {
  const by = /move the rig by \(([^)]+)\) m/.exec(detail)?.[1]?.split(",").map(Number) ?? [];
  if (by.length !== 3 || !by.every(Number.isFinite)) return null;
  const old = valueAt(scene, "/rig/position");
  const place = by.map((distance, axis): Json => {
    const given = Array.isArray(old) ? (old[axis] ?? 0) : 0;
    return distance === 0 ? given : Number((inOwnUnit(given, "m") + distance).toPrecision(9));
  });
  return place.includes(NaN) ? null : { label: english.mend.moveRig, scene: withValue(scene, "/rig/position", place) };
}

/** A run that lasts until the part has gone a quarter farther than to the specimen, at the speed it has on average. */
function longer(scene: Json, travel: number, detail: string): Mend | null {
  const gap = inOwnUnit(/begins ([-+.\deE]+ ?\S*m) away/.exec(detail)?.[1], "m");
  const duration = inOwnUnit(valueAt(scene, "/time/duration"), "s");
  if (!(gap > travel) || !(travel > 0) || !(duration > 0)) return null;
  const wanted = Number(((duration * SPARE * gap) / travel).toPrecision(3));
  return { label: english.mend.longer, scene: withValue(scene, "/time/duration", wanted) };
}
