/** Rectangles of the rig: an outline and a faint pane, moved as the frames say. */
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineLoop, Mesh, MeshBasicMaterial } from "three";
import { arrayValue, type FrameBlock } from "../record.js";
import type { Drawable, PlaneShape, Vector } from "../topology.js";
import { toView, type Space } from "./space.js";

function corners(shape: PlaneShape, space: Space): Float32Array {
  const signs: [number, number][] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  const out = new Float32Array(12);
  signs.forEach(([u, v], corner) => {
    for (let i = 0; i < 3; i++) out[3 * corner + i] = (u * (shape.half_u[i] ?? 0) + v * (shape.half_v[i] ?? 0)) / space.size;
  });
  return out;
}

export class PlaneSet {
  readonly object = new Group();
  private readonly line = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
  private readonly pane = new MeshBasicMaterial({ transparent: true, opacity: 0.05, side: DoubleSide, depthWrite: false });
  private readonly geometries: BufferGeometry[] = [];

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
  ) {
    for (const shape of drawable.planes) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(corners(shape, space), 3));
      geometry.setIndex([0, 1, 2, 0, 2, 3]);
      const outline = new BufferGeometry();
      outline.setAttribute("position", geometry.getAttribute("position"));
      const part = new Group();
      part.add(new LineLoop(outline, this.line), new Mesh(geometry, this.pane));
      part.visible = false;
      this.object.add(part);
      this.geometries.push(geometry, outline);
    }
  }

  dispose(): void {
    for (const geometry of this.geometries) geometry.dispose();
    this.line.dispose();
    this.pane.dispose();
  }

  show(block: FrameBlock): void {
    const position = block.arrays.find((array) => array.field === 0);
    this.object.children.forEach((part, i) => {
      part.visible = position !== undefined && i < block.elementCount;
      if (!position || !part.visible) return;
      const at: Vector = [arrayValue(position, i, 0), arrayValue(position, i, 1), arrayValue(position, i, 2)];
      part.position.set(...toView(this.space, at));
    });
  }

  setColour(colour: string): void {
    this.line.color = new Color(colour);
    this.pane.color = new Color(colour);
  }
}
