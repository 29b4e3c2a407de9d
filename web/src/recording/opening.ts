/** What a recording begins with, in one answer: topology, shapes and frames, record behind record (core/record/FORMAT.md). */
import * as english from "../english/service.js";
import { Geometries } from "./geometries.js";
import { decodeFrame, decodeGeometry, decodeHeader, decodeJson, HEADER_BYTES, RecordError, RecordType, type Frame } from "./record.js";
import { parseTopology, type Drawable, type Topology, type Vector } from "./topology.js";

export interface Opening {
  topology: Topology;
  geometries: Geometries;
  frames: Frame[]; /** at least one, by time */
}

export function readOpening(bytes: ArrayBuffer): Opening {
  let topology: Topology | null = null;
  const geometries = new Geometries();
  const frames: Frame[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.byteLength; ) {
    const size = HEADER_BYTES + Math.ceil(new DataView(bytes).getUint32(at, true) / 8) * 8;
    const record = bytes.slice(at, at + size); /* of its own: typed arrays begin at multiples of their width */
    const header = decodeHeader(record);
    if (header.type === RecordType.topology) topology = parseTopology(decodeJson(record, header));
    else if (header.type === RecordType.geometry) geometries.put(decodeGeometry(record, header));
    else if (header.type === RecordType.frame) frames.push(decodeFrame(record, header));
    at += size;
  }
  if (!topology || frames.length === 0) throw new RecordError(english.record.noPicture);
  return { topology, geometries, frames };
}

/** A part of the rig that moves by its program. */
export interface MovingPart {
  name: string;
  from: Vector; /** m, at t = 0 */
  to: Vector; /** m, at the end */
}

const RIG = new Set(["planes", "cylinders", "mesh"]);
const STILL = 1e-6; /* of the scene's size */

const namesOf = (drawable: Drawable): string[] => (drawable.planes.length > 0 ? drawable.planes : drawable.cylinders.length > 0 ? drawable.cylinders : drawable.bodies).map(({ name }) => name);

function place(frame: Frame | undefined, drawable: number, element: number): Vector | null {
  const array = frame?.blocks.find((block) => block.drawable === drawable)?.arrays.find(({ field }) => field === 0);
  if (!array || array.components !== 3 || !(array.data instanceof Float32Array) || 3 * element + 2 >= array.data.length) return null;
  return [array.data[3 * element] as number, array.data[3 * element + 1] as number, array.data[3 * element + 2] as number];
}

/** The parts whose places differ between the first frame and the last. */
export function movingParts({ topology, frames }: Opening): MovingPart[] {
  const size = Math.max(...topology.bounds.maximum.map((high, axis) => high - (topology.bounds.minimum[axis] ?? 0)));
  return topology.drawables.filter(({ kind, changing }) => RIG.has(kind) && !changing).flatMap((drawable) =>
    namesOf(drawable).flatMap((name, element) => {
      const [from, to] = [place(frames[0], drawable.id, element), place(frames[frames.length - 1], drawable.id, element)];
      if (!from || !to || Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]) < STILL * size) return [];
      return [{ name, from, to }];
    }),
  );
}
