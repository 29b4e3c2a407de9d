/** How the numbers of a frame come to the graphics processor: as they are, 16 bits as shares of their range, to be decoded there as `low + span * x`. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, IntType, Vector3, type IUniform } from "three";
import type { FrameArray, FrameData } from "../../recording/record.js";
import type { Bounds, Vector } from "../../recording/topology.js";
import type { Space } from "../space.js";

/** Values of `array` as the shader decodes them, by component. */
export function codeOf(array: FrameArray): { low: Vector; span: Vector } {
  if (!(array.data instanceof Uint16Array)) return { low: [0, 0, 0], span: [1, 1, 1] };
  const { low, high } = array;
  return { low, span: [high[0] - low[0], high[1] - low[1], high[2] - low[2]] };
}

type Uniforms = Record<string, IUniform>;

/** Sets the uniforms `positionLow` and `positionSpan`, which decode places into the view's units. */
export function setPlaceCode(uniforms: Uniforms, position: FrameArray, { centre, size }: Space): void {
  const { low, span } = codeOf(position);
  for (let i = 0; i < 3; i++) {
    (uniforms["positionLow"]?.value as Vector3).setComponent(i, ((low[i] ?? 0) - (centre[i] ?? 0)) / size);
    (uniforms["positionSpan"]?.value as Vector3).setComponent(i, (span[i] ?? 1) / size);
  }
}

export function setUniform(uniforms: Uniforms, name: string, value: unknown): void {
  const uniform = uniforms[name];
  if (uniform) uniform.value = value;
}

/** Places in the view's units, x y z of each. */
export function placesInView(position: FrameArray, { centre, size }: Space): Float32Array {
  const { low, span } = codeOf(position);
  const scale = position.data instanceof Uint16Array ? 65535 : 1;
  const { data } = position;
  const out = new Float32Array(data.length);
  for (let axis = 0; axis < 3; axis++) {
    const from = ((low[axis] ?? 0) - (centre[axis] ?? 0)) / size;
    const factor = (span[axis] ?? 1) / scale / size;
    for (let i = axis; i < out.length; i += 3) out[i] = from + factor * (data[i] as number);
  }
  return out;
}

/** Values of an array with one component, in the field's unit. */
export function valuesOf(array: FrameArray): Float32Array {
  const { low, span } = codeOf(array);
  const factor = span[0] / (array.data instanceof Uint16Array ? 65535 : 1);
  return Float32Array.from(array.data, (x) => low[0] + factor * x);
}

/** The box that an array's header tells, grown by `by` (m). */
export function boundsOf(position: FrameArray, by: number): Bounds {
  return { minimum: position.low.map((x) => x - by) as Vector, maximum: position.high.map((x) => x + by) as Vector };
}

export interface Upload {
  name: string;
  data: FrameData;
  itemSize: number;
  whole?: boolean; /** whole numbers in the shader, though in 16 bits */
}

/** Puts arrays into a geometry: into the buffers of the last frame where they fit, else into a new geometry, since three frees buffers with their
 *  geometry only. Attributes of other names that `keep` names, and the index, go along. @returns the geometry to draw; the old one is disposed of if it is another */
export function uploaded<G extends BufferGeometry>(old: G, uploads: Upload[], keep: string[] = []): G {
  const isNormalized = ({ data, whole }: Upload): boolean => data instanceof Uint16Array && whole !== true;
  const fits = uploads.every((upload) => {
    const { name, data, itemSize } = upload;
    const has = old.getAttribute(name) as BufferAttribute | undefined;
    return has !== undefined && has.array.constructor === data.constructor && has.array.length === data.length && has.itemSize === itemSize && has.normalized === isNormalized(upload);
  });
  if (fits) {
    for (const { name, data } of uploads) {
      const attribute = old.getAttribute(name) as BufferAttribute;
      if (attribute.array === data) continue; /* there already: three uploads anew what is marked */
      attribute.array = data;
      attribute.needsUpdate = true;
    }
    return old;
  }
  const instanced = old instanceof InstancedBufferGeometry;
  const next = (instanced ? new InstancedBufferGeometry() : new BufferGeometry()) as unknown as G;
  for (const name of keep) {
    const attribute = old.getAttribute(name) as BufferAttribute | undefined;
    if (attribute) next.setAttribute(name, attribute);
  }
  if (old.index) next.setIndex(old.index);
  for (const upload of uploads) {
    const { name, data, itemSize, whole } = upload;
    const normalized = isNormalized(upload);
    const attribute = instanced ? new InstancedBufferAttribute(data, itemSize, normalized) : new BufferAttribute(data, itemSize, normalized);
    if (whole === true) attribute.gpuType = IntType;
    next.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
  }
  old.dispose();
  return next;
}
