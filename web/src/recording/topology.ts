/** What exists in a run: drawables, curves and plots, as the topology record lists them. */
import * as english from "../english/service.js";
import { RecordError } from "./record.js";

export interface Field {
  name: string;
  unit: string;
  components: number;
  encoding: string;
}

export type Vector = [number, number, number];

export interface PlaneShape {
  name: string;
  half_u: Vector;
  half_v: Vector;
}

/** A roller (half_arc of pi: all round, with flat ends), or an arc of a cylinder's mantle. */
export interface CylinderShape {
  name: string;
  half_axis: Vector;
  middle: Vector; /** unit, from the axis to the middle of the arc */
  radius: number;
  half_arc: number; /** rad */
}

/** A rigid body: triangles in its own axes. */
export interface BodyShape {
  name: string;
  vertices: number[]; /** x y z x y z ..., m */
  triangles: number[]; /** numbers of vertices, by threes */
}

/** Cells along the axes: cell i, j, k begins at origin + spacing (i, j, k) and has the number i + counts[0] (j + counts[1] k). */
export interface GridShape {
  origin: Vector; /** m */
  spacing: Vector; /** m; 0 along one axis where the grid is flat */
  counts: Vector;
}

export interface Drawable {
  id: number;
  kind: string; /** "points", "planes", "cylinders", "mesh", "instances", "surface", "threads", "grid"; kinds unknown here are not drawn */
  name: string;
  elementCount: number; /** in every frame, unless their number varies */
  radius: number; /** m, of points and threads that have no field of radii */
  fields: Field[];
  planes: PlaneShape[];
  cylinders: CylinderShape[];
  bodies: BodyShape[];
  grid: GridShape; /** of a grid; else no cells */
  changing: boolean; /** a mesh whose triangles come with every frame: the skin of the pieces of the points `skinOf` */
  skinOf: number;
  pieces: number; /** place of the field that numbers the pieces which the elements belong to; -1 when none does */
}

/** An event table: rows that a run recorded of one kind of happening. */
export interface TableDeclaration {
  name: string;
  label: string;
}

/** A computation that there are several variants of, and the one that was taken. */
export interface Kernel {
  what: string;
  variant: string;
  sameBitsAs: string; /** of a device: the processor's variant whose bits it gives; "" of the processor's own */
}

export interface Series {
  name: string;
  unit: string;
  label: string;
}

export interface PlotDeclaration {
  x: string;
  y: string;
  title: string;
  scale: number;
  unit: string; /** of y times scale; "": not said */
  movingAverage: number;
}

export interface Bounds {
  minimum: Vector;
  maximum: Vector;
}

export interface Topology {
  drawables: Drawable[];
  series: Series[];
  plots: PlotDeclaration[];
  tables: TableDeclaration[];
  kernels: Kernel[]; /** what computed */
  bounds: Bounds;
}

/** Place of the field of this name and number of components; -1 when there is none. */
export function fieldOf(drawable: Drawable, name: string, components: number): number {
  return drawable.fields.findIndex((field) => field.name === name && field.components === components);
}

type Loose = Record<string, unknown>;

const loose = (value: unknown): Loose => (typeof value === "object" && value !== null ? (value as Loose) : {});
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(loose) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const real = (value: unknown, fallback = 0): number => (typeof value === "number" && Number.isFinite(value) ? value : fallback);

function vector(value: unknown): Vector {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  return [real(items[0]), real(items[1]), real(items[2])];
}

const numbers = (value: unknown): number[] => (Array.isArray(value) ? (value as unknown[]).map((item) => real(item)) : []);

/** Triangles that name a vertex that isn't there are left out, so that nothing is read past the end. */
function body(from: Loose): BodyShape {
  const vertices = numbers(from["vertices"]);
  const count = Math.floor(vertices.length / 3);
  const given = numbers(from["triangles"]);
  const triangles: number[] = [];
  for (let t = 0; t + 2 < given.length; t += 3) {
    const corners = given.slice(t, t + 3);
    if (corners.every((v) => Number.isInteger(v) && v >= 0 && v < count)) triangles.push(...corners);
  }
  return { name: text(from["name"]), vertices: vertices.slice(0, 3 * count), triangles };
}

const PIECES_BEFORE = "fragment"; /* the field that numbers pieces in recordings of versions that did not declare one */

function drawable(from: Loose): Drawable {
  const fields = list(from["fields"]).map((field) => ({
    name: text(field["name"]),
    unit: text(field["unit"]) || "1",
    components: real(field["components"], 1),
    encoding: text(field["encoding"]),
  }));
  const pieces = text(from["pieces"]) || PIECES_BEFORE;
  return {
    id: real(from["id"], -1),
    kind: text(from["kind"]),
    name: text(from["name"]),
    elementCount: real(from["element_count"]),
    radius: real(from["radius"]),
    fields,
    planes: list(from["planes"]).map((plane) => ({
      name: text(plane["name"]),
      half_u: vector(plane["half_u"]),
      half_v: vector(plane["half_v"]),
    })),
    cylinders: list(from["cylinders"]).map((shape) => ({
      name: text(shape["name"]),
      half_axis: vector(shape["half_axis"]),
      middle: vector(shape["middle"]),
      radius: real(shape["radius"]),
      half_arc: real(shape["half_arc"], Math.PI),
    })),
    bodies: list(from["bodies"]).map(body),
    grid: { origin: vector(loose(from["grid"])["origin"]), spacing: vector(loose(from["grid"])["spacing"]), counts: vector(loose(from["grid"])["counts"]) },
    changing: from["changing"] === true,
    skinOf: real(from["skin_of"], -1),
    pieces: fields.findIndex((field) => field.name === pieces && field.components === 1 && field.encoding !== "float32"),
  };
}

/** Bounds with some extent along every axis, so that a camera can be fitted to them. */
function solidBounds(from: Loose): Bounds {
  const minimum = vector(from["minimum"]);
  const maximum = vector(from["maximum"]);
  const extent = Math.max(...maximum.map((high, i) => high - (minimum[i] ?? 0)));
  if (!(extent > 0)) return { minimum: [-1, -1, -1], maximum: [1, 1, 1] };
  return { minimum, maximum };
}

export function parseTopology(value: unknown): Topology {
  const from = loose(value);
  if (!Array.isArray(from["drawables"]) || !Array.isArray(from["series"])) throw new RecordError(english.record.noTopology);
  return {
    drawables: list(from["drawables"]).map(drawable).filter((one, i, all) => all.findIndex(({ id }) => id === one.id) === i),
    series: list(from["series"]).map((s) => ({ name: text(s["name"]), unit: text(s["unit"]) || "1", label: text(s["label"]) || text(s["name"]) })),
    plots: list(from["plots"]).map((p) => ({
      x: text(p["x"]),
      y: text(p["y"]),
      title: text(p["title"]),
      scale: real(p["scale"], 1),
      unit: text(p["unit"]),
      movingAverage: Math.max(1, Math.round(real(p["moving_average"], 1))),
    })),
    tables: list(from["tables"]).map((table) => ({ name: text(table["name"]), label: text(table["label"]) || text(table["name"]) })).filter(({ name }) => name !== ""),
    kernels: list(from["kernels"]).map((kernel) => ({ what: text(kernel["what"]), variant: text(kernel["variant"]), sameBitsAs: text(kernel["same_bits_as"]) })),
    bounds: solidBounds(loose(from["bounds"])),
  };
}
