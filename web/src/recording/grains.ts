/** Sand drawn as grains: every material point as several balls at random places around it. The places follow from the point's number alone (field `id`), so
 *  grains go with their point from frame to frame, and every picture of a frame has the same. They are for the eye: nothing is computed by them. */
import { places } from "./enlarged.js";
import type { FrameArray } from "./record.js";

/** A number in [-1, 1) that looks random, of a point, a grain of it and an axis: the last steps of MurmurHash3 (Appleby). */
export function scattered(id: number, grain: number, axis: number): number {
  let z = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(3 * grain + axis + 1, 0xc2b2ae35);
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return ((z ^ (z >>> 16)) >>> 0) / 0x80000000 - 1;
}

/** Along which axes the points of a frame lie apart: two of them in the plane. */
export const spreadAxes = ({ low, high }: FrameArray): number[] => [0, 1, 2].filter((axis) => (high[axis] ?? 0) > (low[axis] ?? 0));

/** Places of so many grains of each point, m, those of a point one after the other.   @param half edge of the cube around a point that they lie in, m */
export function grainPlaces(position: FrameArray, ids: FrameArray, many: number, half: number): FrameArray {
  const axes = spreadAxes(position);
  const middles = places(position);
  const data = new Float32Array(many * middles.length);
  ids.data.forEach((id, i) => {
    for (let axis = 0; axis < 3; axis++) {
      const reach = axes.includes(axis) ? half : 0;
      for (let grain = 0; grain < many; grain++) data[3 * (many * i + grain) + axis] = (middles[3 * i + axis] ?? 0) + reach * scattered(id, grain, axis);
    }
  });
  const grown = (ends: FrameArray["low"], by: number): FrameArray["low"] => ends.map((end, axis) => end + (axes.includes(axis) ? by : 0)) as FrameArray["low"];
  return { ...position, data, low: grown(position.low, -half), high: grown(position.high, half) };
}

/** What holds for a point holds for each of its grains.   @param array of one component */
export function grainValues(array: FrameArray, many: number): FrameArray {
  const data = new (array.data.constructor as new (length: number) => FrameArray["data"])(many * array.data.length);
  array.data.forEach((value, i) => data.fill(value, many * i, many * (i + 1)));
  return { ...array, data };
}

/** Numbers of the grains of these points. */
export function grainElements(points: Uint32Array, many: number): Uint32Array {
  const elements = new Uint32Array(many * points.length);
  points.forEach((point, i) => {
    for (let grain = 0; grain < many; grain++) elements[many * i + grain] = many * point + grain;
  });
  return elements;
}
