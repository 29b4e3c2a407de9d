/** The part of the picture that is shown: what lies in a box along the axes, in the view's units. */
import { Vector3, type IUniform } from "three";

export interface ClipBox {
  low: Vector3;
  high: Vector3;
}

const FAR = 1e6; /* nothing of a run is as far away */

/** Everything. */
export const wholeBox = (): ClipBox => ({ low: new Vector3(-FAR, -FAR, -FAR), high: new Vector3(FAR, FAR, FAR) });

/** For either shader: `clipped` of a place in the view's units. */
export const CLIP_TEST = /* glsl */ `
uniform vec3 clipLow, clipHigh;
bool clipped(vec3 at) {
  return any(lessThan(at, clipLow)) || any(greaterThan(at, clipHigh));
}
`;

/** The uniforms that the test uses. */
export function clipUniforms(): Record<string, { value: Vector3 }> {
  const { low, high } = wholeBox();
  return { clipLow: { value: low }, clipHigh: { value: high } };
}

export function setClipUniforms(uniforms: Record<string, IUniform>, { low, high }: ClipBox): void {
  (uniforms["clipLow"]?.value as Vector3).copy(low);
  (uniforms["clipHigh"]?.value as Vector3).copy(high);
}

export function isInside({ low, high }: ClipBox, x: number, y: number, z: number): boolean {
  return x >= low.x && x <= high.x && y >= low.y && y <= high.y && z >= low.z && z <= high.z;
}
