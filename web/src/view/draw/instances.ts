/** Many instances of a few shapes, drawn by instancing. The graphics processor decodes each one's place, turn and size, and blends its shape's modes:
 *  vertex + sum of amplitude_k mode_k. */
import { BufferAttribute, DataTexture, DoubleSide, FloatType, GLSL3, Group, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, NearestFilter, RawShaderMaterial, RGBAFormat, Vector2, Vector3 } from "three";
import type { Geometries } from "../../recording/geometries.js";
import type { Frame, FrameArray, FrameBlock, FrameData, Geometry } from "../../recording/record.js";
import { fieldOf, type Bounds, type Drawable } from "../../recording/topology.js";
import { boundsOf, codeOf, placesInView, setPlaceCode, uploaded, valuesOf, type Upload } from "./coded.js";
import { arrayOf, blocksOf, type Layer } from "./layer.js";
import { creased, modeNormals, radiusOf } from "./modes.js";
import type { Detail } from "../pace.js";
import { BallCloud } from "./points.js";
import { nearestInstance } from "../pick/pick_instance.js";
import type { Hit, Ray } from "../pick/ray.js";
import { BACK_LIGHT, INSIDE_LIGHT, SHEET_PIXEL } from "./sheet.js";
import type { Space } from "../space.js";
import { isClosed } from "./surface.js";
import { Tint, TINT_INPUT, TINT_TABLE, tintSplit, type Colouring } from "./tint.js";
import { clipUniforms, setClipUniforms, type ClipBox } from "./clip.js";

const TEXTURE_WIDTH = 1024;

const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 positionLow, positionSpan, turnLow, turnSpan;
uniform vec2 scaleCode;
in vec3 corner; /* of the shape, in its own axes */
in vec3 normal;
in vec3 place;
in vec3 turn; /* rotation vector */
#if SCALED == 1
in float scale;
#endif
#if MODES > 0
uniform sampler2D modes; /* for each mode the displacements of all vertices, then how it changes their normals */
uniform int vertexCount;
in vec4 amplitudes0, amplitudes1, amplitudes2, amplitudes3;
#endif
out vec3 eye, across, where;
out float onScale;
flat out vec3 colour;
${TINT_INPUT}${TINT_TABLE}
vec3 turned(vec3 v, vec3 w) {
  float square = dot(w, w);
  float angle = sqrt(square);
  float s = square < 1e-6 ? 1.0 - square / 6.0 : sin(angle) / angle;
  float c = square < 1e-6 ? 0.5 - square / 24.0 : (1.0 - cos(angle)) / square;
  vec3 wv = cross(w, v);
  return v + s * wv + c * cross(w, wv);
}

void main() {
  vec3 bent = corner;
  vec3 across0 = normal;
#if MODES > 0
  vec4 amplitudes[4] = vec4[4](amplitudes0, amplitudes1, amplitudes2, amplitudes3);
  for (int k = 0; k < MODES; k++) {
    int at = 2 * k * vertexCount + gl_VertexID;
    float a = amplitudes[k >> 2][k & 3];
    bent += a * texelFetch(modes, ivec2(at % ${TEXTURE_WIDTH}, at / ${TEXTURE_WIDTH}), 0).xyz;
    at += vertexCount;
    across0 += a * texelFetch(modes, ivec2(at % ${TEXTURE_WIDTH}, at / ${TEXTURE_WIDTH}), 0).xyz;
  }
#endif
  vec3 w = turnLow + turnSpan * turn;
#if SCALED == 1
  bent *= scaleCode.x + scaleCode.y * scale;
#endif
  where = positionLow + positionSpan * place + turned(bent, w);
  vec4 seen = modelViewMatrix * vec4(where, 1.0);
  eye = seen.xyz;
  across = normalMatrix * turned(normalize(across0 + vec3(0.0, 0.0, 1e-30)), w);
  onScale = 0.0;
${tintSplit()}  gl_Position = projectionMatrix * seen;
}`;

/** The modes of a shape as a texture: for each mode its displacements in the view's units, then how it changes the normals. */
function modeTexture(geometry: Geometry, size: number, normals: Float32Array[]): DataTexture {
  const texels = 2 * geometry.modes.length * geometry.vertexCount;
  const rows = Math.max(1, Math.ceil(texels / TEXTURE_WIDTH));
  const data = new Float32Array(4 * TEXTURE_WIDTH * rows);
  geometry.modes.forEach((mode, k) => {
    const change = normals[k];
    for (let v = 0; v < geometry.vertexCount; v++) {
      const at = 4 * (2 * k * geometry.vertexCount + v);
      const next = at + 4 * geometry.vertexCount;
      for (let i = 0; i < 3; i++) {
        data[at + i] = (mode[3 * v + i] ?? 0) / size;
        data[next + i] = change?.[3 * v + i] ?? 0;
      }
    }
  });
  const texture = new DataTexture(data, TEXTURE_WIDTH, rows, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** The instances of one shape. */
class ShapeMesh {
  readonly object: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
  private readonly geometry: Geometry; /** with the vertices of sharp edges doubled */
  private readonly tint: Tint;
  private readonly modes: DataTexture | null;

  constructor(
    drawable: number,
    given: Geometry,
    private readonly space: Space,
  ) {
    const geometry = creased(given);
    const { vertices, triangles, vertexCount } = geometry;
    const { rest, changes } = modeNormals(geometry);
    this.geometry = geometry;
    this.tint = new Tint(drawable);
    this.modes = geometry.modes.length > 0 ? modeTexture(geometry, space.size, changes) : null;
    const buffers = new InstancedBufferGeometry();
    buffers.setAttribute("corner", new BufferAttribute(Float32Array.from(vertices, (x) => x / space.size), 3));
    buffers.setAttribute("normal", new BufferAttribute(rest, 3));
    buffers.setIndex(new BufferAttribute(triangles, 1));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: SHEET_PIXEL,
      side: DoubleSide,
      defines: { COLOUR: 0, SCALED: 0, MODES: geometry.modes.length },
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        turnLow: { value: new Vector3() },
        turnSpan: { value: new Vector3(1, 1, 1) },
        scaleCode: { value: new Vector2(0, 1) },
        ...clipUniforms(),
        inside: { value: isClosed(given.triangles, given.vertexCount) ? INSIDE_LIGHT : BACK_LIGHT },
        modes: { value: this.modes },
        vertexCount: { value: vertexCount },
        ...this.tint.uniforms(),
      },
    });
    this.object = new Mesh(buffers, material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.tint.dispose();
    this.modes?.dispose();
  }

  /** Draws these elements, null for all. */
  show(state: InstanceState, elements: Uint32Array | null, colouring: Colouring): void {
    const { position, turn, scale, amplitudes } = state;
    const many = elements ? elements.length : state.count;
    this.object.visible = many > 0 && this.geometry.triangles.length > 0;
    if (!this.object.visible) return;
    const { material } = this.object;
    const { uniforms } = material;
    setPlaceCode(uniforms, position, this.space);
    const turning = codeOf(turn);
    (uniforms["turnLow"]?.value as Vector3).set(...turning.low);
    (uniforms["turnSpan"]?.value as Vector3).set(...turning.span);
    if (scale) (uniforms["scaleCode"]?.value as Vector2).set(codeOf(scale).low[0], codeOf(scale).span[0]);
    this.define("SCALED", Number(scale !== undefined));
    const own = (array: FrameArray): FrameData => (elements ? gathered(array, elements) : array.data);
    const uploads: Upload[] = [
      { name: "place", data: own(position), itemSize: 3 },
      { name: "turn", data: own(turn), itemSize: 3 },
    ];
    if (scale) uploads.push({ name: "scale", data: own(scale), itemSize: 1 });
    const values = colouring.kind === "plain" ? undefined : state.values(colouring.field);
    const tint = this.tint.apply(material, colouring, values);
    if (tint && values) uploads.push({ ...tint, data: own(values) });
    const modes = amplitudes ? Math.min(this.geometry.modes.length, amplitudes.components) : 0;
    this.define("MODES", modes);
    this.object.geometry = uploaded(this.object.geometry, uploads, ["corner", "normal"]);
    if (amplitudes && modes > 0) this.putAmplitudes(own(amplitudes), amplitudes.components);
    this.object.geometry.instanceCount = many;
  }

  setClip(box: ClipBox): void {
    setClipUniforms(this.object.material.uniforms, box);
  }

  /** Four amplitudes to an attribute, all of them views on one buffer. */
  private putAmplitudes(data: FrameData, components: number): void {
    const { geometry } = this.object;
    const old = geometry.getAttribute("amplitudes0") as InterleavedBufferAttribute | undefined;
    if (old && old.data.array.length === data.length && old.data.stride === components) {
      if (old.data.array === data) return;
      old.data.array = data;
      old.data.needsUpdate = true;
      return;
    }
    const buffer = new InstancedInterleavedBuffer(data, components);
    for (let k = 0; 4 * k < components; k++) geometry.setAttribute(`amplitudes${k}`, new InterleavedBufferAttribute(buffer, Math.min(4, components - 4 * k), 4 * k));
  }

  private define(name: string, value: number): void {
    const { material } = this.object;
    if (material.defines[name] === value) return;
    material.defines[name] = value;
    material.needsUpdate = true;
  }
}

/** What a frame says of the instances. */
export interface InstanceState {
  count: number;
  position: FrameArray;
  turn: FrameArray; /** rotation vectors */
  scale: FrameArray | undefined;
  amplitudes: FrameArray | undefined; /** as many components as modes */
  shape: FrameArray | undefined; /** number of each one's shape; all are of shape 0 without it */
  values: (field: number) => FrameArray | undefined;
}

/** The components of some elements, one after the other. */
export function gathered(array: FrameArray, elements: Uint32Array): FrameData {
  const { components, data } = array;
  const out = new (data.constructor as new (length: number) => FrameData)(components * elements.length);
  for (let k = 0; k < elements.length; k++) {
    const from = components * (elements[k] as number);
    for (let i = 0; i < components; i++) out[components * k + i] = data[from + i] as number;
  }
  return out;
}

/** The elements of each shape, by its number. */
export function byShape(shape: FrameArray, count: number): Map<number, Uint32Array> {
  const counts = new Map<number, number>();
  for (let i = 0; i < count; i++) counts.set(shape.data[i] as number, (counts.get(shape.data[i] as number) ?? 0) + 1);
  const lists = new Map([...counts].map(([number, many]) => [number, { elements: new Uint32Array(many), filled: 0 }]));
  for (let i = 0; i < count; i++) {
    const list = lists.get(shape.data[i] as number);
    if (list) list.elements[list.filled++] = i;
  }
  return new Map([...lists].map(([number, { elements }]) => [number, elements]));
}

export class InstanceLayer implements Layer {
  readonly object = new Group();
  private readonly meshes = new Map<number, ShapeMesh>();
  private readonly standIn: BallCloud; /* balls instead of shapes while the view moves slowly */
  private state: InstanceState | null = null;
  private lists: Map<number, Uint32Array> | null = null; /* elements by shape; null when all are of shape 0 */
  private colouring: Colouring = { kind: "plain" };
  private clip: ClipBox | null = null;
  private simple = false;
  private readonly fields: { turn: number; scale: number; shape: number; amplitudes: number };

  constructor(
    readonly drawable: Drawable,
    private readonly geometries: Geometries,
    private readonly space: Space,
    private readonly trianglesMost: number /** of all instances together; more of them are drawn as balls */,
  ) {
    this.fields = {
      turn: fieldOf(drawable, "orientation", 3),
      scale: fieldOf(drawable, "scale", 1),
      shape: fieldOf(drawable, "shape", 1),
      amplitudes: drawable.fields.findIndex(({ name }) => name === "amplitudes"),
    };
    this.standIn = new BallCloud(drawable.id, space);
    this.object.add(this.standIn.object);
  }

  dispose(): void {
    for (const mesh of this.meshes.values()) mesh.dispose();
    this.standIn.dispose();
  }

  show(frame: Frame): void {
    const [block] = blocksOf(frame, this.drawable.id);
    this.state = this.read(block);
    this.lists = this.state?.shape ? byShape(this.state.shape, this.state.count) : null;
    this.apply();
  }

  bounds(): Bounds | null {
    if (!this.state || this.state.count === 0) return null;
    const { scale } = this.state;
    const largest = Math.max(0, ...[...this.geometries.of(this.drawable.id).values()].map(({ vertices }) => radiusOf(vertices)));
    return boundsOf(this.state.position, largest * (scale && scale.data.length > 0 ? Math.max(0, scale.high[0]) : 1));
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.standIn.setColouring(colouring);
    this.apply();
  }

  setClip(box: ClipBox): void {
    this.clip = box;
    for (const mesh of this.meshes.values()) mesh.setClip(box);
    this.standIn.setClip(box);
  }

  setDetail({ plain, thin }: Detail): void {
    this.standIn.setDetail(plain, thin);
    if (plain === this.simple) return;
    this.simple = plain;
    this.apply();
  }

  setViewportHeight(pixels: number): void {
    this.standIn.setViewportHeight(pixels);
  }

  pick(ray: Ray): Hit | null {
    if (!this.state) return null;
    const found = nearestInstance(ray, this.state, this.geometries.of(this.drawable.id), placesInView(this.state.position, this.space), this.space.size);
    return found.element < 0 ? null : { drawable: this.drawable.id, block: 0, ...found };
  }

  private read(block: FrameBlock | undefined): InstanceState | null {
    const { turn, scale, shape, amplitudes } = this.fields;
    const position = arrayOf(block, 0, 3);
    const turns = arrayOf(block, turn, 3);
    if (!block || !position || !turns) return null;
    const blended = block.arrays.find((array) => array.field === amplitudes && array.data instanceof Float32Array);
    return {
      count: block.elementCount,
      position,
      turn: turns,
      scale: arrayOf(block, scale, 1),
      shape: arrayOf(block, shape, 1),
      amplitudes: blended,
      values: (field) => arrayOf(block, field, 1),
    };
  }

  /** Whether balls are shown even at rest, as the shapes have too many triangles together. */
  get tooMany(): boolean {
    if (!this.state) return false;
    const triangles = (shape: number): number => (this.geometries.get(this.drawable.id, shape)?.triangles.length ?? 0) / 3;
    const lists = this.lists ? [...this.lists].map(([shape, elements]) => elements.length * triangles(shape)) : [this.state.count * triangles(0)];
    return lists.reduce((sum, many) => sum + many, 0) > this.trianglesMost;
  }

  private mesh(shape: number): ShapeMesh | null {
    const known = this.meshes.get(shape);
    const geometry = this.geometries.get(this.drawable.id, shape);
    if (known || !geometry) return known ?? null;
    const made = new ShapeMesh(this.drawable.id, geometry, this.space);
    if (this.clip) made.setClip(this.clip);
    this.meshes.set(shape, made);
    this.object.add(made.object);
    return made;
  }

  private apply(): void {
    const { state } = this;
    for (const mesh of this.meshes.values()) mesh.object.visible = false;
    const balls = this.simple || this.tooMany;
    this.standIn.show(state && balls ? this.ballsOf(state) : null);
    if (!state || balls) return;
    if (!this.lists) this.mesh(0)?.show(state, null, this.colouring);
    else for (const [shape, elements] of this.lists) this.mesh(shape)?.show(state, this.lists.size === 1 ? null : elements, this.colouring);
  }

  /** Balls that are about as large as the shapes. */
  private ballsOf(state: InstanceState): { position: FrameArray; size: FrameArray | null; values: InstanceState["values"] } {
    const radii = new Map([...this.geometries.of(this.drawable.id)].map(([shape, geometry]) => [shape, radiusOf(geometry.vertices)]));
    const { position, shape, scale, values } = state;
    this.standIn.setRadius((0.8 * Math.max(0, ...radii.values())) / this.space.size);
    if (!shape || radii.size < 2) return { position, size: scale ?? null, values };
    const largest = Math.max(...radii.values()) || 1;
    const factors = scale ? valuesOf(scale) : null;
    const sizes = Float32Array.from({ length: state.count }, (_, i) => ((radii.get(shape.data[i] as number) ?? 0) / largest) * (factors ? (factors[i] as number) : 1));
    return { position, size: { field: -1, components: 1, data: sizes, low: [0, 0, 0], high: [1, 0, 0] }, values };
  }
}
