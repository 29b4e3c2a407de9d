/** A deforming surface: triangles from its geometry record, or, where they change, from every frame; places and scalars of its vertices from every frame. */
import type {  } from "three";
import type { Geometries } from "../../recording/geometries.js";
import { soundTriangles, type Frame, type FrameArray, type FrameBlock, type Geometry } from "../../recording/record.js";
import { normalsOf } from "../../recording/skin.js";
import { fieldOf, type Bounds, type Drawable } from "../../recording/topology.js";
import { boundsOf, placesInView } from "./coded.js";
import { gathered } from "./instances.js";
import { arrayOf, blocksOf, type Layer } from "./layer.js";
import { creased } from "./modes.js";
import { nearestVertex, type Hit, type Ray } from "../pick/ray.js";
import { Sheet } from "./sheet.js";
import type { Space } from "../space.js";
import type { Colouring } from "./tint.js";
import type { ClipBox } from "./clip.js";

/** Whether every edge has a triangle on either side, so that the surface has an inside. */
export function isClosed(triangles: Uint32Array, vertexCount: number): boolean {
  const open = new Set<number>();
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k] as number;
      const b = triangles[t + ((k + 1) % 3)] as number;
      if (open.delete(b * vertexCount + a)) continue; /* a whole number below 2^53 for any mesh that fits into memory */
      open.add(a * vertexCount + b);
    }
  }
  return open.size === 0;
}

/** The rows of an array that `source` names, one after the other; the array itself where there are no more of them. */
function rowsOf(array: FrameArray, source: Uint32Array): FrameArray {
  return source.length * array.components === array.data.length ? array : { ...array, data: gathered(array, source) };
}

export class SurfaceLayer implements Layer {
  readonly object: Sheet["object"];
  private readonly sheet: Sheet;
  private triangles: Uint32Array | null = null; /** by threes, of the frame shown; the same object as long as they don't change */
  private readonly cornersField: number; /** of the triangles that every frame brings; -1: they are those of the geometry record */
  private shape: Geometry | undefined; /* whose triangles are drawn in every frame, */
  private split: ReturnType<typeof creased> | null = null; /* with a vertex for each side of a sharp edge; null where frames bring triangles */
  private block: FrameBlock | undefined;
  private position: FrameArray | null = null;
  private colouring: Colouring = { kind: "plain" };

  constructor(
    readonly drawable: Drawable,
    private readonly geometries: Geometries,
    private readonly space: Space,
  ) {
    this.sheet = new Sheet(drawable.id, space);
    this.object = this.sheet.object;
    this.cornersField = fieldOf(drawable, "corners", 3);
  }

  dispose(): void {
    this.sheet.dispose();
  }

  show(frame: Frame): void {
    const blocks = blocksOf(frame, this.drawable.id);
    this.block = blocks[0];
    const position = arrayOf(this.block, 0, 3) ?? null;
    const vertexCount = (position?.data.length ?? 0) / 3;
    const triangles = this.trianglesOf(blocks[1], vertexCount);
    if (triangles && triangles.length !== this.triangles?.length) this.sheet.setClosed(isClosed(triangles, vertexCount)); /* what splits has more or fewer */
    this.triangles = triangles;
    this.position = triangles ? position : null;
    if (!this.position || !triangles) return void this.sheet.show(null, this.colouring, undefined);
    this.splitEdges();
    const placed = this.split ? rowsOf(this.position, this.split.source) : this.position;
    const drawn = this.split?.triangles ?? triangles;
    const corners = { field: 0, components: 3, data: drawn, low: [0, 0, 0], high: [0, 0, 0] } as FrameArray;
    const normals = normalsOf({ vertexCount: placed.data.length / 3, position: placed, corners });
    this.sheet.show({ position: placed, normals, corners: drawn }, this.colouring, this.values());
  }

  /** Finds the sharp edges of a shape once: as it is at rest. */
  private splitEdges(): void {
    const shape = this.cornersField < 0 ? this.geometries.get(this.drawable.id, 0) : undefined;
    if (shape === this.shape) return;
    this.shape = shape;
    this.split = shape ? creased(shape) : null;
  }

  /** The triangles of so many vertices; null when there are none for them. */
  private trianglesOf(block: FrameBlock | undefined, vertexCount: number): Uint32Array | null {
    if (this.cornersField < 0) {
      const geometry = this.geometries.get(this.drawable.id, 0);
      return geometry && geometry.vertexCount === vertexCount ? geometry.triangles : null;
    }
    const corners = arrayOf(block, this.cornersField, 3)?.data;
    return corners instanceof Uint32Array && corners.length > 0 ? soundTriangles(corners, vertexCount) : null;
  }

  bounds(): Bounds | null {
    return this.position ? boundsOf(this.position, 0) : null;
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.sheet.paint(colouring, this.values());
  }

  setClip(box: ClipBox): void {
    this.sheet.setClip(box);
  }

  setDetail(): void {
    /* it is drawn in full also while the view moves */
  }

  setViewportHeight(): void {
    /* its size does not depend on the screen's */
  }

  pick(ray: Ray): Hit | null {
    if (!this.position || !this.triangles) return null;
    const found = nearestVertex(ray, placesInView(this.position, this.space), this.triangles);
    return found.element < 0 ? null : { drawable: this.drawable.id, block: 0, ...found };
  }

  private values(): FrameArray | undefined {
    const values = this.colouring.kind === "plain" ? undefined : arrayOf(this.block, this.colouring.field, 1);
    return values && this.split && values.data.length === this.shape?.vertexCount ? rowsOf(values, this.split.source) : values;
  }
}
