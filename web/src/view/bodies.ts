/** Rigid bodies of fixed triangles: shaded faces with their sharp edges drawn. */
import { BufferAttribute, BufferGeometry, DoubleSide, EdgesGeometry, LineBasicMaterial, MeshLambertMaterial } from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { BodyShape, Drawable } from "../recording/topology.js";
import { RigSet } from "./rig_set.js";
import type { Space } from "./space.js";

const EDGE_DEG = 25; /** faces that meet at a larger angle have an edge between them */
const EDGES_UP_TO = 20000; /** triangles; finding edges takes about 10 microseconds for each */

/** The faces, smooth but for the edges, and the lines along the edges. */
function geometriesOf(shape: BodyShape, space: Space): [BufferGeometry, BufferGeometry] {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(Float32Array.from(shape.vertices, (v) => v / space.size), 3));
  indexed.setIndex(new BufferAttribute(Uint32Array.from(shape.triangles), 1));
  if (shape.triangles.length <= 3 * EDGES_UP_TO) return [toCreasedNormals(indexed, (EDGE_DEG * Math.PI) / 180), new EdgesGeometry(indexed, EDGE_DEG)];
  indexed.computeVertexNormals();
  return [indexed, new BufferGeometry()];
}

export class BodySet extends RigSet {
  constructor(drawable: Drawable, space: Space) {
    super(
      drawable,
      space,
      new LineBasicMaterial({ transparent: true, opacity: 0.7 }),
      new MeshLambertMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
    );
    for (const shape of drawable.bodies) this.add(...geometriesOf(shape, space));
  }
}
