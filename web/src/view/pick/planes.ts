/** Rectangles of the rig: an outline and a faint pane; and where they turn a hand, as on a clock, since a square turned halfway looks the same. */
import { BufferAttribute, BufferGeometry, DoubleSide, LineBasicMaterial, MeshBasicMaterial } from "three";
import type { Drawable, PlaneShape } from "../../recording/topology.js";
import { RigSet } from "../rig_set.js";
import type { Space } from "../space.js";

function corners(shape: PlaneShape, space: Space): Float32Array {
  const signs: [number, number][] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  const out = new Float32Array(18);
  signs.forEach(([u, v], corner) => {
    for (let i = 0; i < 3; i++) out[3 * corner + i] = (u * (shape.half_u[i] ?? 0) + v * (shape.half_v[i] ?? 0)) / space.size;
  });
  for (let i = 0; i < 3; i++) out[15 + i] = (shape.half_v[i] ?? 0) / space.size; /* behind them the hand: centre, middle of an edge */
  return out;
}

export class PlaneSet extends RigSet {
  constructor(drawable: Drawable, space: Space) {
    super(
      drawable,
      space,
      new LineBasicMaterial({ transparent: true, opacity: 0.55 }),
      new MeshBasicMaterial({ transparent: true, opacity: 0.05, side: DoubleSide, depthWrite: false }),
    );
    for (const shape of drawable.planes) {
      const positions = new BufferAttribute(corners(shape, space), 3);
      const [pane, outline] = [new BufferGeometry(), new BufferGeometry()];
      pane.setAttribute("position", positions);
      pane.setIndex([0, 1, 2, 0, 2, 3]);
      outline.setAttribute("position", positions);
      outline.setIndex(this.turns ? [0, 1, 1, 2, 2, 3, 3, 0, 4, 5] : [0, 1, 1, 2, 2, 3, 3, 0]);
      this.add(pane, outline);
    }
  }
}
