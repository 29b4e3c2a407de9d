/** What of a body may be moved and sized by hand: one handle for each number of the scene that says where it is or how large. */
import * as english from "../../english/compose.js";
import { heading } from "../../format.js";
import { childPointer, isObject, parentPointer, valueAt, type Json, type JsonObject } from "../../json.js";
import type { Bounds, Vector } from "../../recording/topology.js";
import { inOwnUnit } from "../units.js";

/** How a part of the picture follows a handle: m along its direction for a metre of its number; 0: not at all. */
export type Carried = (drawable: string, part: string) => number;

export interface Handle {
  key: string; /** the same for the same number of whatever body, "move-x" */
  kind: "move" | "size";
  label: string; /** "Move grain along x" */
  mark: string; /** on the handle: "x" of an arrow, "" of sizes */
  pointer: string; /** of the number */
  missing: Json | undefined; /** what stands at the pointer above the number where the scene has nothing yet; undefined: it has */
  value: number; /** m */
  origin: Vector; /** m: where the body is */
  direction: Vector; /** of length 1: along which the handle goes */
  reach: number; /** m from the origin to the handle; of an arrow: to where the number's place is */
  scale: number; /** m of the number for a metre of the handle */
  positive: boolean; /** whether the number is a size, > 0 */
  carried: Carried;
}

const AXES: readonly Vector[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const NOTHING: Carried = () => 0;

/** Sizes of a shape along its own axes: the key (of a vector: with its component), the axis, on which side, and how often the way from the centre
 *  makes the number. */
type Size = readonly [key: string, axis: 0 | 1 | 2, side: 1 | -1, scale: number];
const EDGES: readonly Size[] = [["size/0", 0, 1, 2], ["size/1", 1, 1, 2], ["size/2", 2, 1, 2]];
const ROUND: Size = ["radius", 0, 1, 1];
const INNER: Size = ["inner_radius", 0, -1, 1];
const LENGTH: Size = ["length", 2, 1, 2];
const SIZES: Record<string, readonly Size[]> = {
  sphere: [ROUND],
  hollow_sphere: [ROUND, INNER],
  box: EDGES,
  cylinder: [ROUND, LENGTH],
  capsule: [ROUND, LENGTH],
  notched_box: EDGES,
  superellipsoid: EDGES,
  grain: [ROUND],
  jack: [ROUND],
  tube: [ROUND, INNER, LENGTH],
  arch: [["span", 0, 1, 2], ["width", 1, 1, 2], ["rise", 2, 1, 1]],
  points: [ROUND],
};

const metres = (scene: Json, pointer: string): number => inOwnUnit(valueAt(scene, pointer), "m");
const component = (scene: Json, pointer: string, axis: number): number => {
  const list = valueAt(scene, pointer);
  return list === undefined || list === null ? 0 : metres(scene, childPointer(pointer, axis));
};
const placeAt = (scene: Json, pointer: string): Vector | null => {
  const found = [0, 1, 2].map((axis) => component(scene, pointer, axis));
  return found.every(Number.isFinite) ? (found as Vector) : null;
};

/** The axes of a shape that is turned: Rodrigues' formula on each. */
function axesOf(rotation: Json | undefined): readonly Vector[] {
  const about = isObject(rotation) ? rotation : {};
  const angle = inOwnUnit(about["angle_deg"], "deg") * (Math.PI / 180);
  const given = Array.isArray(about["axis"]) ? about["axis"].map(Number) : [0, 0, 1];
  const length = Math.hypot(...given);
  if (!(Math.abs(angle) > 0) || !(length > 0)) return AXES;
  const [x, y, z] = given.map((part) => part / length) as [number, number, number];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return AXES.map(([a, b, d]) => {
    const along = (x * a + y * b + z * d) * (1 - c);
    return [c * a + s * (y * d - z * b) + along * x, c * b + s * (z * a - x * d) + along * y, c * d + s * (x * b - y * a) + along * z];
  });
}

/** Three arrows at a place that a vector of the scene says. */
function moves(scene: Json, name: string, pointer: string, origin: Vector, carried: Carried, missing?: Json): Handle[] {
  return AXES.map((direction, axis) => ({
    key: `move-${"xyz".charAt(axis)}`, kind: "move", label: english.handleMove(name, "xyz".charAt(axis)), mark: "xyz".charAt(axis), pointer: childPointer(pointer, axis),
    missing: missing ?? (valueAt(scene, pointer) ? undefined : [0, 0, 0]), value: component(scene, pointer, axis), origin, direction, reach: 0, scale: 1, positive: false, carried,
  }));
}

function sizes(scene: Json, name: string, body: string, origin: Vector): Handle[] {
  const shape = valueAt(scene, `${body}/shape`);
  const axes = axesOf(valueAt(scene, `${body}/rotation`));
  const kind = isObject(shape) && typeof shape["type"] === "string" ? shape["type"] : "";
  return (Object.hasOwn(SIZES, kind) ? (SIZES[kind] ?? []) : []).flatMap(([key, axis, side, scale]) => {
    const pointer = `${body}/shape/${key}`;
    const value = metres(scene, pointer);
    const direction = (axes[axis] ?? AXES[axis])?.map((part) => side * part) as Vector;
    const [word = "", at] = key.split("/");
    const label = english.handleSize(heading(word), name, at === undefined ? "" : "xyz".charAt(Number(at)));
    return value > 0 ? [{ key, kind: "size", label, mark: "", pointer, missing: undefined, value, origin, direction, reach: value / scale, scale, positive: true, carried: NOTHING }] : [];
  });
}

const nameOf = (scene: Json, pointer: string, otherwise: string): string => {
  const name = valueAt(scene, `${pointer}/name`);
  return typeof name === "string" && name !== "" ? name : otherwise;
};

function ofSpecimen(scene: Json, body: string, pointer: string): Handle[] {
  const name = nameOf(scene, body, english.handle.specimen);
  const placement = valueAt(scene, `${body}/placement`);
  const type = isObject(placement) ? placement["type"] : "single";
  const carried: Carried = (drawable, part) => (part === "" && drawable === name ? 1 : 0);
  if (type === "list") {
    const listed = isObject(placement) && Array.isArray(placement["positions"]) ? placement["positions"].length : 0;
    const chosen = new RegExp(`^${body}/placement/positions/(\\d+)`).exec(pointer)?.[1] ?? (listed === 1 ? "0" : null);
    const place = chosen === null ? null : `${body}/placement/positions/${chosen}`;
    const origin = place && placeAt(scene, place);
    return place && origin ? [...moves(scene, name, place, origin, listed === 1 ? carried : NOTHING), ...sizes(scene, name, body, origin)] : [];
  }
  const key = type === "single" ? "position" : type === "lattice" ? "origin" : null;
  const origin = key && placeAt(scene, `${body}/placement/${key}`);
  if (!key || !origin) return []; /* packed, or drawn at random */
  const missing: JsonObject | undefined = isObject(placement) ? undefined : { type: "single", position: [0, 0, 0] };
  return [...moves(scene, name, `${body}/placement/${key}`, origin, carried, missing), ...sizes(scene, name, body, origin)];
}

function ofObstacle(scene: Json, body: string): Handle[] {
  const name = nameOf(scene, body, english.handle.obstacle);
  const origin = placeAt(scene, `${body}/position`);
  return origin ? [...moves(scene, name, `${body}/position`, origin, (_, part) => (part === name ? 1 : 0)), ...sizes(scene, name, body, origin)] : [];
}

/** A number of the rig that says where one of its parts is. */
function side(scene: Json, key: string, label: string, pointer: string, at: { origin: Vector; direction: Vector; reach: number; scale: number; positive: boolean }, carried: Record<string, number>): Handle[] {
  const value = metres(scene, pointer);
  return Number.isFinite(value) ? [{ key, kind: "size", label, mark: "", pointer, missing: undefined, value, ...at, carried: (_, part) => carried[part] ?? 0 }] : [];
}

function ofBox(scene: Json, wall: string): Handle[] {
  const [low, high] = [placeAt(scene, "/rig/minimum"), placeAt(scene, "/rig/maximum")];
  if (!low || !high) return [];
  const origin = low.map((x, axis) => (x + (high[axis] ?? 0)) / 2) as Vector;
  return AXES.flatMap((direction, axis) =>
    (["min", "max"] as const).flatMap((end) => {
      const name = `${"xyz".charAt(axis)}_${end}`;
      if (wall !== "" && wall !== name) return [];
      const reach = ((end === "min" ? low : high)[axis] ?? 0) - (origin[axis] ?? 0);
      return side(scene, `wall-${name}`, english.handleWall(name.replace("_", " ")), `/rig/${end}imum/${axis}`, { origin, direction, reach, scale: 1, positive: false }, { [name]: 1 });
    }),
  );
}

function ofRig(scene: Json, pointer: string): Handle[] {
  const rig = valueAt(scene, "/rig");
  const type = isObject(rig) ? rig["type"] : undefined;
  if (type === "box") return ofBox(scene, /^\/rig\/walls\/([xyz]_(?:min|max))(?:\/|$)/.exec(pointer)?.[1] ?? "");
  const p = placeAt(scene, "/rig/position");
  if (!p || !isObject(rig) || type === "none") return [];
  const stands = valueAt(scene, "/obstacles");
  const obstacles = new Set(Array.isArray(stands) ? stands.map((one) => (isObject(one) ? one["name"] : "")) : []);
  const arrows = moves(scene, english.handle.rig, "/rig/position", p, (_, part) => (part !== "" && !obstacles.has(part) ? 1 : 0));
  const [x, , z] = AXES as [Vector, Vector, Vector];
  if (type === "grips") {
    const axis = "xyz".indexOf(typeof rig["axis"] === "string" ? rig["axis"] : "x");
    const end = (key: string, part: string): Handle[] => side(scene, key, english.handleGrip(part), `/rig/${key}`, { origin: p, direction: AXES[axis] ?? x, reach: metres(scene, `/rig/${key}`) - (p[axis] ?? 0), scale: 1, positive: false }, { [part]: 1 });
    return [...arrows.filter((_, k) => k !== axis), ...end("low_end", "low"), ...end("high_start", "high")];
  }
  const opening = metres(scene, "/rig/opening");
  if (type !== "three_point_bend") return [...arrows, ...side(scene, "opening", english.handle.opening, "/rig/opening", { origin: p, direction: z, reach: opening / 2, scale: 2, positive: true }, { top: 0.5, bottom: -0.5 })];
  const span = metres(scene, "/rig/span");
  return [
    ...arrows,
    ...side(scene, "opening", english.handle.opening, "/rig/opening", { origin: p, direction: z, reach: opening, scale: 1, positive: true }, { load: 1 }),
    ...side(scene, "span", english.handle.span, "/rig/span", { origin: p, direction: x, reach: span / 2, scale: 2, positive: true }, { right: 0.5, left: -0.5 }),
  ];
}

/** The handles of what a JSON Pointer into the scene is about: none of bodies that are packed or drawn at random, as the scene says no place of theirs. */
export function handlesAt(scene: Json, pointer: string): Handle[] {
  const [body] = /^\/(?:specimens|obstacles)\/\d+/.exec(pointer) ?? [""];
  if (body.startsWith("/specimens")) return valueAt(scene, body) === undefined ? [] : ofSpecimen(scene, body, pointer);
  if (body !== "") return valueAt(scene, body) === undefined ? [] : ofObstacle(scene, body);
  return /^\/rig(?:\/|$)/.test(pointer) ? ofRig(scene, pointer) : [];
}

/** The box around a body of the scene whose size its shape says, m; null: it says none. */
export function boxAt(scene: Json, pointer: string): Bounds | null {
  const found = handlesAt(scene, pointer).filter(({ kind, carried }) => kind === "size" && carried === NOTHING);
  const [first] = found;
  if (!first || found.some(({ key }) => key === "rise")) return null; /* an arch stands on its origin */
  const [body] = /^\/(?:specimens|obstacles)\/\d+/.exec(pointer) ?? [""];
  const axes = axesOf(valueAt(scene, `${body}/rotation`));
  const sizesOf = Object.values(SIZES).flat();
  const along = (axis: number): number => Math.max(0, ...found.filter(({ key }) => sizesOf.some(([known, of]) => known === key && of === axis)).map(({ reach }) => reach));
  const round = along(0);
  const half = [round, along(1) || round, along(2) || round];
  const extent = [0, 1, 2].map((k) => axes.reduce((sum, axis, a) => sum + Math.abs(axis[k] ?? 0) * (half[a] ?? 0), 0));
  return { minimum: first.origin.map((x, k) => x - (extent[k] ?? 0)) as Vector, maximum: first.origin.map((x, k) => x + (extent[k] ?? 0)) as Vector };
}

/** Where the change of a handle's number goes in the scene, and what. */
export function changeBy(scene: Json, { pointer, missing }: Handle, value: Json): { pointer: string; value: Json; structure: boolean } {
  const [holder, axis] = [parentPointer(pointer), Number(pointer.slice(pointer.lastIndexOf("/") + 1))];
  const put = (list: Json[]): Json[] => list.map((old, k) => (k === axis ? value : old));
  if (isObject(missing)) return { pointer: parentPointer(holder), value: { ...missing, position: put([0, 0, 0]) }, structure: true };
  const list = missing ?? valueAt(scene, holder);
  return Array.isArray(list) ? { pointer: holder, value: put(list), structure: false } : { pointer, value, structure: false };
}
