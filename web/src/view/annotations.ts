/** Marks in the 3D view that are no part of the run: arrows along which something goes, and a box around what is pointed at. */
import { ArrowHelper, Box3, Box3Helper, Color, Group, Vector3 } from "three";
import type { Bounds, Vector } from "../recording/topology.js";
import { toView, type Space } from "./space.js";

const LEAST = 0.12; /* length of an arrow in the view's units: shorter ways are drawn that long, so that they are seen */
const HEAD = 0.3; /* of the arrow, */
const HEAD_MOST = 0.06; /* and of the view's units */
const MARGIN = 0.008;

export interface Arrow {
  from: Vector; /** m */
  to: Vector;
}

export class Annotations {
  readonly object = new Group();
  private readonly arrows = new Group();
  private box: Box3Helper | null = null;
  private colour = new Color("#c2410c");

  constructor(private readonly space: Space) {
    this.object.add(this.arrows);
  }

  dispose(): void {
    this.setArrows([]);
    this.setBox(null);
  }

  setColour(colour: string): void {
    this.colour = new Color(colour);
    for (const arrow of this.arrows.children) if (arrow instanceof ArrowHelper) arrow.setColor(this.colour);
  }

  setArrows(arrows: Arrow[]): void {
    for (const old of [...this.arrows.children]) if (old instanceof ArrowHelper) old.removeFromParent().dispose();
    for (const { from, to } of arrows) {
      const [tail, head] = [new Vector3(...toView(this.space, from)), new Vector3(...toView(this.space, to))];
      const displacement = head.sub(tail);
      const length = Math.max(LEAST, displacement.length());
      if (!(displacement.length() > 0)) continue;
      const size = Math.min(HEAD_MOST, HEAD * length);
      const arrow = new ArrowHelper(displacement.normalize(), tail, length, this.colour, size, 0.6 * size);
      for (const part of [arrow.line, arrow.cone]) {
        part.renderOrder = 2;
        for (const material of [part.material].flat()) material.depthTest = false; /* seen through what it goes into */
      }
      this.arrows.add(arrow);
    }
  }

  setBox(bounds: Bounds | null): void {
    this.box?.removeFromParent();
    this.box?.dispose();
    this.box = null;
    if (!bounds) return;
    const box = new Box3(new Vector3(...toView(this.space, bounds.minimum)), new Vector3(...toView(this.space, bounds.maximum))).expandByScalar(MARGIN);
    this.box = new Box3Helper(box, this.colour);
    this.object.add(this.box);
  }
}
