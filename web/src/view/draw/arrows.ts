/** Vectors as arrows of lines, the longest of a length that is seen. */
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from "three";
import type { Vectors } from "../../recording/vectors.js";
import { isInside, type ClipBox } from "./clip.js";
import { toView, type Space } from "../space.js";

const LONGEST = 0.12; /* of the view's units */
const HEAD = 0.28; /* of the arrow */
const LEAST = 0.01; /* of the longest: shorter ones are dots that only blur the picture */
const POINTS = 6; /* of an arrow: its shaft and two barbs */

export class ArrowField {
  readonly object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 }));

  constructor(private readonly space: Space) {
    this.object.frustumCulled = false;
    this.object.renderOrder = 3; /* seen through the bodies that they begin in */
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  setColour(colour: string): void {
    this.object.material.color.set(colour);
  }

  /** @param factor of all lengths    @returns how many arrows are drawn */
  show(vectors: Vectors | null, factor: number, clip: ClipBox): number {
    const count = vectors && vectors.longest > 0 ? vectors.places.length / 3 : 0;
    const corners = new Float32Array(3 * POINTS * count);
    let drawn = 0;
    const [from, along, side, to, barb] = [new Vector3(), new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (let i = 0; vectors && i < count; i++) {
      from.set(...toView(this.space, [vectors.places[3 * i] as number, vectors.places[3 * i + 1] as number, vectors.places[3 * i + 2] as number]));
      along.set(vectors.values[3 * i] as number, vectors.values[3 * i + 1] as number, vectors.values[3 * i + 2] as number);
      if (!(along.length() > LEAST * vectors.longest) || !isInside(clip, from.x, from.y, from.z)) continue;
      along.multiplyScalar((factor * LONGEST) / vectors.longest);
      to.copy(from).add(along);
      side.set(0, 0, 1).cross(along);
      if (side.lengthSq() < 1e-6 * along.lengthSq()) side.set(1, 0, 0).cross(along);
      side.setLength(0.4 * HEAD * along.length());
      const parts = [from.clone(), to.clone(), to.clone(), barb.copy(to).addScaledVector(along, -HEAD).add(side).clone(), to.clone(), barb.copy(to).addScaledVector(along, -HEAD).sub(side).clone()];
      parts.forEach((point, k) => point.toArray(corners, 3 * (POINTS * drawn + k)));
      drawn++;
    }
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(corners.subarray(0, 3 * POINTS * drawn), 3));
    this.object.visible = drawn > 0;
    return drawn;
  }
}
