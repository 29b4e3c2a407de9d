/** What all parts of the rig are drawn alike by: faces and lines of a fixed shape, moved and turned as the frames say. */
import { Box3, type BufferGeometry, Color, Group, type LineBasicMaterial, LineSegments, type Material, Mesh, type Raycaster, Vector3 } from "three";
import { arrayValue, type FrameArray, type FrameBlock } from "../recording/record.js";
import type { Bounds, Drawable, Vector } from "../recording/topology.js";
import type { Hit } from "./pick/ray.js";
import { toView, type Space } from "./space.js";

function vectorOf(array: FrameArray, element: number): Vector {
  return [arrayValue(array, element, 0), arrayValue(array, element, 1), arrayValue(array, element, 2)];
}

export class RigSet {
  readonly object = new Group();
  private readonly geometries: BufferGeometry[] = [];
  private readonly orientation: number; /** number of the field that turns the elements; -1: they never turn */

  constructor(
    readonly drawable: Drawable,
    protected readonly space: Space,
    private readonly line: LineBasicMaterial,
    private readonly face: Material & { color: Color },
  ) {
    this.orientation = drawable.fields.findIndex((field) => field.name === "orientation" && field.components === 3);
  }

  protected get turns(): boolean {
    return this.orientation >= 0;
  }

  /** Adds the next element, in its own axes and the view's units. */
  protected add(surface: BufferGeometry, lines: BufferGeometry): void {
    const part = new Group();
    part.add(new LineSegments(lines, this.line), new Mesh(surface, this.face));
    part.visible = false;
    this.object.add(part);
    this.geometries.push(surface, lines);
  }

  dispose(): void {
    for (const geometry of this.geometries) geometry.dispose();
    this.line.dispose();
    this.face.dispose();
  }

  /** Puts every element where the frame has it; those it has no place for are hidden.   @param by m from there, by the element's name */
  show(block: FrameBlock, by: (name: string) => Vector = () => [0, 0, 0]): void {
    const position = block.arrays.find((array) => array.field === 0);
    const orientation = block.arrays.find((array) => array.field === this.orientation);
    this.object.children.forEach((part, i) => {
      part.visible = position !== undefined && (orientation !== undefined || this.orientation < 0) && i < block.elementCount;
      if (!position || !part.visible) return;
      const [x, y, z] = by(this.nameOf(i));
      const [px, py, pz] = vectorOf(position, i);
      part.position.set(...toView(this.space, [px + x, py + y, pz + z]));
      if (!orientation) return;
      const rotation = new Vector3(...vectorOf(orientation, i));
      const angle = rotation.length();
      part.quaternion.setFromAxisAngle(angle > 0 ? rotation.divideScalar(angle) : rotation.set(1, 0, 0), angle);
    });
  }

  /** The nearest element that a ray meets, and its name. */
  pick(caster: Raycaster): { hit: Hit; name: string } | null {
    let best: { hit: Hit; name: string } | null = null;
    this.object.children.forEach((part, element) => {
      const surface = part.children[1];
      const [met] = part.visible && surface ? caster.intersectObject(surface, false) : [];
      if (!met || (best && met.distance >= best.hit.distance)) return;
      best = { hit: { drawable: this.drawable.id, block: 0, element, distance: met.distance }, name: this.nameOf(element) };
    });
    return best;
  }

  /** Where its elements are, m, by name. */
  boxes(): { name: string; bounds: Bounds }[] {
    const { centre, size } = this.space;
    const metres = (v: Vector3): Vector => [0, 1, 2].map((axis) => (centre[axis] ?? 0) + v.getComponent(axis) * size) as Vector;
    return this.object.children.flatMap((part, element) => {
      if (!part.visible) return [];
      const box = new Box3().setFromObject(part);
      return [{ name: this.nameOf(element), bounds: { minimum: metres(box.min), maximum: metres(box.max) } }];
    });
  }

  private nameOf(element: number): string {
    const { planes, cylinders, bodies } = this.drawable;
    return (planes[element] ?? cylinders[element] ?? bodies[element])?.name ?? "";
  }

  setColour(colour: string): void {
    this.line.color = new Color(colour);
    this.face.color = new Color(colour);
  }
}
