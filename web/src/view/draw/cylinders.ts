/** Rollers and curved jaws of the rig: shaded mantles with faint ends. */
import { BufferAttribute, BufferGeometry, DoubleSide, LineBasicMaterial, MeshBasicMaterial, Vector3 } from "three";
import type { CylinderShape, Drawable } from "../../recording/topology.js";
import { RigSet } from "../rig_set.js";
import type { Space } from "../space.js";

const STEP = Math.PI / 24; /* angle between two lines of the mantle, at most */

interface Outline {
  points: number[]; /** two ends of each line of the mantle, x y z each */
  steps: number;
}

/** Lines of the mantle from one end of the arc to the other, about the element's position. */
function mantle(shape: CylinderShape, space: Space): Outline {
  const axis = new Vector3(...shape.half_axis).divideScalar(space.size);
  const middle = new Vector3(...shape.middle);
  const across = new Vector3().crossVectors(axis, middle).normalize();
  const radius = shape.radius / space.size;
  const whole = shape.half_arc >= Math.PI;
  const steps = Math.max(2, Math.ceil((2 * shape.half_arc) / STEP));
  const points: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const angle = shape.half_arc * ((2 * i) / steps - 1);
    const at = middle.clone().multiplyScalar(radius * (Math.cos(angle) - (whole ? 0 : 1)));
    at.addScaledVector(across, radius * Math.sin(angle));
    points.push(...at.clone().sub(axis).toArray(), ...at.add(axis).toArray());
  }
  return { points, steps };
}

/** Triangles of the mantle, and of the two flat ends of a roller as fans about its axis. */
function triangles(shape: CylinderShape, outline: Outline): number[] {
  const index: number[] = [];
  for (let i = 0; i < outline.steps; i++) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
  if (shape.half_arc < Math.PI) return index;
  for (const end of [0, 1]) for (let i = 1; i + 1 < outline.steps; i++) index.push(end, 2 * i + end, 2 * i + 2 + end);
  return index;
}

/** The two rims, and the straight edges of an arc. */
function edges(shape: CylinderShape, outline: Outline): number[] {
  const index: number[] = [];
  for (let i = 0; i < outline.steps; i++) index.push(2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 3);
  if (shape.half_arc < Math.PI) index.push(0, 1, 2 * outline.steps, 2 * outline.steps + 1);
  return index;
}

export class CylinderSet extends RigSet {
  constructor(drawable: Drawable, space: Space) {
    super(
      drawable,
      space,
      new LineBasicMaterial({ transparent: true, opacity: 0.7 }),
      new MeshBasicMaterial({ transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false }),
    );
    for (const shape of drawable.cylinders) {
      const outline = mantle(shape, space);
      const positions = new BufferAttribute(new Float32Array(outline.points), 3);
      const [surface, rims] = [new BufferGeometry(), new BufferGeometry()];
      surface.setAttribute("position", positions);
      surface.setIndex(triangles(shape, outline));
      rims.setAttribute("position", positions);
      rims.setIndex(edges(shape, outline));
      this.add(surface, rims);
    }
  }
}
