/** Cells of a structured grid: their outer faces, one rectangle each, drawn by instancing. They are solid while they are coloured by one of their
 *  fields, else faint, so that what lies among them is seen. A cut leaves out whole cells. */
import * as english from "../../english/view.js";
import { BufferAttribute, DoubleSide, GLSL3, InstancedBufferGeometry, Mesh, RawShaderMaterial, Vector3 } from "three";
import { cellCount, outerFaces, placeOf, type Faces } from "../../recording/cells.js";
import type { Frame, FrameArray, FrameBlock, FrameData } from "../../recording/record.js";
import { fieldOf, type Bounds, type Drawable, type GridShape, type Vector } from "../../recording/topology.js";
import { nearestCell } from "../pick/pick_cell.js";
import type { Hit, Ray } from "../pick/ray.js";
import { toView, type Space } from "../space.js";
import { setUniform, uploaded, type Upload } from "./coded.js";
import { gathered } from "./instances.js";
import { arrayOf, blocksOf, type Layer } from "./layer.js";
import { LIGHT } from "./light.js";
import { Tint, TINT_COLOUR, TINT_INPUT, TINT_TABLE, type Colouring } from "./tint.js";
import { isInside, type ClipBox } from "./clip.js";

const FAINT = 0.22; /* opacity of cells that are not coloured */

const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 cellSize;
in vec2 corner; /* of a face, 0 or 1 each */
in vec3 place; /* lower corner of the cell */
in uint side;
out vec2 within;
out vec3 eye;
flat out vec3 across, colour;
${TINT_INPUT}${TINT_TABLE}${TINT_COLOUR}
void main() {
  int axis = int(side >> 1);
  float end = float(side & 1u);
  vec3 share = vec3(0.0), normal = vec3(0.0);
  share[axis] = end;
  share[(axis + 1) % 3] = corner.x;
  share[(axis + 2) % 3] = corner.y;
  normal[axis] = 2.0 * end - 1.0;
  vec4 seen = modelViewMatrix * vec4(place + share * cellSize, 1.0);
  eye = seen.xyz;
  across = normalMatrix * normal;
  within = corner;
  colour = colourOf();
  gl_Position = isLeftOut() ? vec4(0.0, 0.0, 2.0, 1.0) : projectionMatrix * seen;
}`;

/* Lines between cells, as long as a cell takes some pixels. */
const PIXEL = /* glsl */ `
precision highp float;
uniform float opacity;
in vec2 within;
in vec3 eye;
flat in vec3 across, colour;
out vec4 pixel;
${LIGHT}
void main() {
  vec2 step = max(fwidth(within), vec2(1e-6));
  vec2 edge = min(within, 1.0 - within) / step;
  float line = (1.0 - smoothstep(0.4, 1.4, min(edge.x, edge.y))) * smoothstep(4.0, 12.0, 1.0 / max(step.x, step.y));
  vec3 towards = -normalize(eye);
  vec3 normal = normalize(across);
  vec3 lit = surfaceLight(colour, dot(normal, towards) < 0.0 ? -normal : normal, towards);
  pixel = vec4(lit * (1.0 - 0.35 * line), min(1.0, opacity * (1.0 + 1.5 * line)));
}`;

interface Cells {
  block: FrameBlock;
  numbers: FrameData;
}

export class CellLayer implements Layer {
  readonly object: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
  private readonly tint: Tint;
  private readonly shape: GridShape;
  private readonly list: number; /* field that names the cells, -1: all are there */
  private readonly size: Vector; /* of a cell, in the view's units */
  private cells: Cells | null = null;
  private faces: Faces | null = null;
  private corners = new Float32Array(0); /* of the faces' cells */
  private colouring: Colouring = { kind: "plain" };
  private clip: ClipBox | null = null;

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
  ) {
    this.tint = new Tint(drawable.id);
    this.shape = drawable.grid;
    this.list = fieldOf(drawable, "cell", 1);
    this.size = this.shape.spacing.map((side) => side / space.size) as Vector;
    const buffers = new InstancedBufferGeometry();
    buffers.setAttribute("corner", new BufferAttribute(new Float32Array([0, 0, 1, 0, 1, 1, 0, 1]), 2));
    buffers.setIndex([0, 1, 2, 0, 2, 3]);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: PIXEL,
      side: DoubleSide,
      defines: { COLOUR: 0 },
      uniforms: { cellSize: { value: new Vector3(...this.size) }, opacity: { value: FAINT }, ...this.tint.uniforms() },
    });
    this.object = new Mesh(buffers, material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.tint.dispose();
  }

  show(frame: Frame): void {
    this.cells = this.read(blocksOf(frame, this.drawable.id)[0]);
    this.lay();
  }

  bounds(): Bounds | null {
    if (!this.cells || this.cells.numbers.length === 0) return null;
    const low: Vector = [Infinity, Infinity, Infinity];
    const high: Vector = [-Infinity, -Infinity, -Infinity];
    for (const cell of this.cells.numbers) {
      const place = placeOf(this.shape, cell);
      for (const axis of [0, 1, 2] as const) {
        low[axis] = Math.min(low[axis], place[axis]);
        high[axis] = Math.max(high[axis], place[axis] + 1);
      }
    }
    return { minimum: this.cornerOf(low), maximum: this.cornerOf(high) };
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.upload();
  }

  setClip(box: ClipBox): void {
    this.clip = box;
    this.lay();
  }

  setDetail(): void {
    /* it is drawn in full also while the view moves */
  }

  setViewportHeight(): void {
    /* its size does not depend on the screen's */
  }

  pick(ray: Ray): Hit | null {
    if (!this.faces || !this.cells) return null;
    const found = nearestCell(ray, this.faces, this.corners, this.size);
    if (found.element < 0) return null;
    const cell = this.cells.numbers[found.element] as number;
    return { drawable: this.drawable.id, block: 0, ...found, of: english.hoverCell(placeOf(this.shape, cell).join(", ")), faint: this.object.material.transparent };
  }

  /** Cells that the grid does not have are not drawn, nor any behind one whose number does not rise. */
  private read(block: FrameBlock | undefined): Cells | null {
    const most = cellCount(this.shape);
    if (!block || !(most > 0) || this.shape.spacing.some((side) => !(side >= 0)) || this.shape.spacing.filter((side) => side === 0).length > 1) return null;
    if (this.list < 0) return block.elementCount === most ? { block, numbers: Uint32Array.from({ length: most }, (_, i) => i) } : null;
    const given = arrayOf(block, this.list, 1)?.data;
    if (!(given instanceof Uint32Array)) return null;
    const sound = given.findIndex((cell, i) => cell >= most || (i > 0 && cell <= (given[i - 1] as number)));
    return { block, numbers: sound < 0 ? given : given.subarray(0, sound) };
  }

  private cornerOf(place: Vector): Vector {
    return place.map((p, axis) => (this.shape.origin[axis] ?? 0) + p * (this.shape.spacing[axis] ?? 0)) as Vector;
  }

  /** Places in the list of those cells whose middle the cut leaves. */
  private shown(numbers: FrameData): Uint32Array {
    const all = Uint32Array.from({ length: numbers.length }, (_, k) => k);
    const { clip } = this;
    if (!clip) return all;
    return all.filter((k) => {
      const [x, y, z] = toView(this.space, this.cornerOf(placeOf(this.shape, numbers[k] as number).map((p) => p + 0.5) as Vector));
      return isInside(clip, x, y, z);
    });
  }

  /** Finds the faces that are seen. */
  private lay(): void {
    this.faces = this.cells ? outerFaces(this.shape, this.cells.numbers, this.shown(this.cells.numbers)) : null;
    this.object.visible = this.faces !== null && this.faces.element.length > 0;
    if (!this.cells || !this.faces) return;
    this.corners = new Float32Array(3 * this.faces.element.length);
    this.faces.element.forEach((element, f) => this.corners.set(toView(this.space, this.cornerOf(placeOf(this.shape, this.cells?.numbers[element] as number))), 3 * f));
    this.upload();
  }

  private upload(): void {
    if (!this.cells || !this.faces || !this.object.visible) return;
    const { material } = this.object;
    const uploads: Upload[] = [
      { name: "place", data: this.corners, itemSize: 3 },
      { name: "side", data: this.faces.side, itemSize: 1 },
    ];
    const values: FrameArray | undefined = this.colouring.kind === "plain" ? undefined : arrayOf(this.cells.block, this.colouring.field, 1);
    const tint = this.tint.apply(material, this.colouring, values);
    if (tint && values) uploads.push({ ...tint, data: gathered(values, this.faces.element) });
    setUniform(material.uniforms, "opacity", tint ? 1 : FAINT);
    material.transparent = tint === null;
    material.depthWrite = tint !== null;
    this.object.renderOrder = tint ? 0 : 1;
    this.object.geometry = uploaded(this.object.geometry, uploads, ["corner"]);
    this.object.geometry.instanceCount = this.faces.element.length;
  }
}
