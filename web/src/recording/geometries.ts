/** The geometry records of a run, by drawable and shape. They come once, right behind the topology. */
import { Listeners } from "../service/listeners.js";
import type { Geometry } from "./record.js";

export class Geometries {
  /** A geometry came. */
  readonly onChange = new Listeners<[Geometry]>();
  private readonly shapes = new Map<number, Map<number, Geometry>>();

  /** Keeps a geometry; one that is known already comes again after a reconnection and changes nothing. */
  put(geometry: Geometry): void {
    const known = this.shapes.get(geometry.drawable) ?? new Map<number, Geometry>();
    if (known.has(geometry.shape)) return;
    known.set(geometry.shape, geometry);
    this.shapes.set(geometry.drawable, known);
    this.onChange.call(geometry);
  }

  get(drawable: number, shape: number): Geometry | undefined {
    return this.shapes.get(drawable)?.get(shape);
  }

  /** Shapes of a drawable, by number. */
  of(drawable: number): ReadonlyMap<number, Geometry> {
    return this.shapes.get(drawable) ?? new Map<number, Geometry>();
  }
}
