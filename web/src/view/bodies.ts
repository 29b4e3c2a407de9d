/** Rigid bodies of fixed triangles: shaded faces with their sharp edges drawn, moved and turned as the frames say. */
import { BufferAttribute, BufferGeometry, Color, DoubleSide, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Vector3 } from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { arrayValue, type FrameArray, type FrameBlock } from "../record.js";
import type { BodyShape, Drawable, Vector } from "../topology.js";
import { toView, type Space } from "./space.js";

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

function vectorOf(array: FrameArray, element: number): Vector {
  return [arrayValue(array, element, 0), arrayValue(array, element, 1), arrayValue(array, element, 2)];
}

export class BodySet {
  readonly object = new Group();
  private readonly line = new LineBasicMaterial({ transparent: true, opacity: 0.7 });
  private readonly face = new MeshLambertMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  private readonly geometries: BufferGeometry[] = [];

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
  ) {
    for (const shape of drawable.bodies) {
      const [surface, edges] = geometriesOf(shape, space);
      const part = new Group();
      part.add(new Mesh(surface, this.face), new LineSegments(edges, this.line));
      part.visible = false;
      this.object.add(part);
      this.geometries.push(surface, edges);
    }
  }

  dispose(): void {
    for (const geometry of this.geometries) geometry.dispose();
    this.line.dispose();
    this.face.dispose();
  }

  show(block: FrameBlock): void {
    const position = block.arrays.find((array) => array.field === 0);
    const orientation = block.arrays.find((array) => array.field === 1);
    this.object.children.forEach((part, i) => {
      part.visible = position !== undefined && orientation !== undefined && i < block.elementCount;
      if (!position || !orientation || !part.visible) return;
      part.position.set(...toView(this.space, vectorOf(position, i)));
      const rotation = new Vector3(...vectorOf(orientation, i));
      const angle = rotation.length();
      part.quaternion.setFromAxisAngle(angle > 0 ? rotation.divideScalar(angle) : rotation.set(1, 0, 0), angle);
    });
  }

  setColour(colour: string): void {
    this.line.color = new Color(colour);
    this.face.color = new Color(colour);
  }
}
