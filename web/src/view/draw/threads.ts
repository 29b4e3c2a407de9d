/** Threads: polylines drawn as round tubes that face the viewer, a rectangle for each segment, with a radius for all or for each node. */
import * as english from "../../english/view.js";
import { BufferAttribute, GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, RawShaderMaterial, Vector2, Vector3 } from "three";
import type { Frame, FrameArray, FrameBlock, FrameData } from "../../recording/record.js";
import { fieldOf, type Bounds, type Drawable } from "../../recording/topology.js";
import { boundsOf, codeOf, placesInView, setPlaceCode, setUniform, valuesOf } from "./coded.js";
import { arrayOf, blocksOf, type Layer } from "./layer.js";
import { LIGHT } from "./light.js";
import type { Detail } from "../pace.js";
import { nearestNode, type Hit, type Ray } from "../pick/ray.js";
import type { Space } from "../space.js";
import { Tint, TINT_TABLE, tintSplit, type Colouring } from "./tint.js";
import { clipUniforms, CLIP_TEST, setClipUniforms, type ClipBox } from "./clip.js";

const THINNEST_PIXELS = 0.9; /* half of what a thread is drawn wide at least */

/* Instance i is the segment from node i to node i + 1: the same buffers are read twice, the second time one node on. */
const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 positionLow, positionSpan;
uniform vec2 sizeCode, colourCode;
${CLIP_TEST}uniform float radius, pixel; /* pixel: what one is wide at distance 1 */
in vec2 corner; /* end: 0 or 1, side: -1 or 1 */
in vec3 place, placeNext;
in float last; /* 1: no segment begins here */
#if SIZES == 1
in float size, sizeNext;
#endif
#if COLOUR == 1
in float value, valueNext;
#elif COLOUR == 2
in uint value;
#endif
${TINT_TABLE}
out vec3 eye;
flat out vec4 from, to; /* centres and radii of the ends */
flat out vec3 upwards, sideways, colour;
flat out vec2 onScale;

void main() {
  vec3 a = positionLow + positionSpan * place;
  vec3 b = positionLow + positionSpan * placeNext;
  gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
  if (last > 0.5 || clipped(0.5 * (a + b))) return;
  vec3 ea = (modelViewMatrix * vec4(a, 1.0)).xyz;
  vec3 eb = (modelViewMatrix * vec4(b, 1.0)).xyz;
  if (max(ea.z, eb.z) > -1e-4) return;
  vec2 radii = vec2(radius);
#if SIZES == 1
  radii *= sizeCode.x + sizeCode.y * vec2(size, sizeNext);
#endif
  radii = max(radii, ${THINNEST_PIXELS} * pixel * -vec2(ea.z, eb.z));
  vec3 towards = -normalize(ea + eb);
  vec3 along = eb - ea;
  vec3 side = cross(towards, along);
  if (dot(side, side) < 1e-12 * dot(along, along) + 1e-30) side = cross(towards, abs(towards.x) < 0.7 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0));
  side = normalize(side);
  vec3 up = cross(side, towards);
  eye = corner.x < 0.5 ? ea - up * radii.x + side * corner.y * radii.x : eb + up * radii.y + side * corner.y * radii.y;
  from = vec4(ea, radii.x);
  to = vec4(eb, radii.y);
  upwards = up;
  sideways = side;
  onScale = vec2(0.0);
${tintSplit("vec2(value, valueNext)")}  gl_Position = projectionMatrix * vec4(eye, 1.0);
}`;

/* In the plane that faces the viewer a segment is a line with round ends; its surface bulges towards the viewer. */
const PIXEL = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 projectionMatrix;
in vec3 eye;
flat in vec4 from, to;
flat in vec3 upwards, sideways, colour;
flat in vec2 onScale;
out vec4 pixelColour;
${TINT_TABLE}${LIGHT}
void main() {
  vec3 off = eye - from.xyz;
  float length = max(dot(to.xyz - from.xyz, upwards), 1e-12);
  float x = dot(off, upwards);
  float share = clamp(x / length, 0.0, 1.0);
  float r = mix(from.w, to.w, share);
  vec2 out2 = vec2(x - share * length, dot(off, sideways)) / r;
  float square = dot(out2, out2);
  if (square > 1.0) discard;
  float bulge = sqrt(1.0 - square);
  vec3 towards = cross(upwards, sideways);
  vec3 normal = upwards * out2.x + sideways * out2.y + towards * bulge;
#if PLAIN == 0
  vec4 surface = projectionMatrix * vec4(mix(from.xyz, to.xyz, share) + r * normal, 1.0);
  gl_FragDepth = clamp(0.5 * surface.z / surface.w + 0.5, 0.0, 1.0);
#endif
  vec3 base = colour;
#if COLOUR == 1
  if (leftOut(mix(onScale.x, onScale.y, share))) discard;
  base = scaleColour(mix(onScale.x, onScale.y, share));
#endif
  pixelColour = vec4(surfaceLight(base, normal, towards), 1.0);
}`;

/** Marks the last node of each thread; nodes that no thread counts are of none, so that no segment begins there either. */
export function lastNodes(counts: ArrayLike<number>, nodeCount: number): Uint8Array {
  const last = new Uint8Array(nodeCount).fill(1);
  let first = 0;
  for (let t = 0; t < counts.length && first < nodeCount; t++) {
    const end = Math.min(nodeCount, first + (counts[t] as number));
    if (end > first) last.fill(0, first, end - 1);
    first = end;
  }
  return last;
}

/** Which thread a node is of, and its place there; both from 0, -1 for a node of no thread. */
export function threadOf(counts: ArrayLike<number>, node: number): { thread: number; place: number } {
  let first = 0;
  for (let t = 0; t < counts.length; t++) {
    const end = first + (counts[t] as number);
    if (node < end) return { thread: t, place: node - first };
    first = end;
  }
  return { thread: -1, place: -1 };
}

interface Nodes {
  block: FrameBlock;
  position: FrameArray;
  size: FrameArray | undefined;
  counts: FrameData;
  last: Uint8Array;
}

export class ThreadLayer implements Layer {
  readonly object: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
  private readonly tint: Tint;
  private readonly sizes: number;
  private nodes: Nodes | null = null;
  private colouring: Colouring = { kind: "plain" };
  private pixel = 1e-3;

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
    private readonly tangent: () => number /** of half the view's angle */,
  ) {
    this.tint = new Tint(drawable.id);
    this.sizes = fieldOf(drawable, "radius", 1);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: PIXEL,
      defines: { COLOUR: 0, SIZES: 0, PLAIN: 0 },
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        sizeCode: { value: new Vector2(0, 1) },
        ...clipUniforms(),
        radius: { value: 0 },
        pixel: { value: 1e-3 },
        ...this.tint.uniforms(),
      },
    });
    this.object = new Mesh(new InstancedBufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.tint.dispose();
  }

  show(frame: Frame): void {
    this.nodes = this.read(frame);
    this.object.visible = this.nodes !== null && this.nodes.block.elementCount > 1;
    if (!this.nodes || !this.object.visible) return;
    const { position, size } = this.nodes;
    const { uniforms } = this.object.material;
    setPlaceCode(uniforms, position, this.space);
    if (size) (uniforms["sizeCode"]?.value as Vector2).set(codeOf(size).low[0], codeOf(size).span[0]);
    setUniform(uniforms, "radius", (size ? 1 : this.drawable.radius) / this.space.size);
    this.define("SIZES", Number(size !== undefined));
    this.upload();
  }

  bounds(): Bounds | null {
    if (!this.nodes || this.nodes.block.elementCount === 0) return null;
    const { position, size } = this.nodes;
    return boundsOf(position, size ? Math.max(0, size.high[0]) : this.drawable.radius);
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    if (this.object.visible) this.upload();
  }

  setClip(box: ClipBox): void {
    setClipUniforms(this.object.material.uniforms, box);
  }

  setDetail({ plain }: Detail): void {
    this.define("PLAIN", Number(plain));
  }

  setViewportHeight(pixels: number): void {
    this.pixel = (2 * this.tangent()) / Math.max(1, pixels);
    setUniform(this.object.material.uniforms, "pixel", this.pixel);
  }

  pick(ray: Ray): Hit | null {
    if (!this.nodes) return null;
    const { position, size, counts, last } = this.nodes;
    const radii = size ? valuesOf(size).map((r) => r / this.space.size) : this.drawable.radius / this.space.size;
    const found = nearestNode(ray, placesInView(position, this.space), radii, last, 3 * this.pixel);
    if (found.element < 0) return null;
    const { thread, place } = threadOf(counts, found.element);
    return { drawable: this.drawable.id, block: 0, ...found, of: english.hoverNodeOf(place, thread) };
  }

  /** Two blocks: the nodes, and how many of them each thread has. */
  private read(frame: Frame): Nodes | null {
    const [block, threads] = blocksOf(frame, this.drawable.id);
    const position = arrayOf(block, 0, 3);
    const counts = threads?.arrays.find((array) => array.components === 1 && !(array.data instanceof Float32Array));
    if (!block || !position || !counts) return null;
    return { block, position, size: arrayOf(block, this.sizes, 1), counts: counts.data, last: lastNodes(counts.data, block.elementCount) };
  }

  /** Makes the geometry anew: nodes come in another number with most frames. */
  private upload(): void {
    if (!this.nodes) return;
    const { block, position, size, last } = this.nodes;
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("corner", new BufferAttribute(new Float32Array([0, -1, 1, -1, 1, 1, 0, 1]), 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("last", new InstancedBufferAttribute(last, 1));
    const pair = (name: string, data: FrameData, components: number, normalized: boolean): void => {
      const buffer = new InstancedInterleavedBuffer(data, components);
      geometry.setAttribute(name, new InterleavedBufferAttribute(buffer, components, 0, normalized));
      geometry.setAttribute(`${name}Next`, new InterleavedBufferAttribute(buffer, components, components, normalized));
    };
    pair("place", position.data, 3, position.data instanceof Uint16Array);
    if (size) pair("size", size.data, 1, size.data instanceof Uint16Array);
    const values = this.colouring.kind === "plain" ? undefined : arrayOf(block, this.colouring.field, 1);
    const tint = this.tint.apply(this.object.material, this.colouring, values);
    if (tint && tint.whole !== true && !(tint.data instanceof Uint32Array)) pair("value", tint.data, 1, tint.data instanceof Uint16Array);
    else if (tint) geometry.setAttribute("value", new InstancedBufferAttribute(Uint32Array.from(tint.data), 1));
    geometry.instanceCount = block.elementCount - 1;
    this.object.geometry.dispose();
    this.object.geometry = geometry;
  }

  private define(name: string, value: number): void {
    const { material } = this.object;
    if (material.defines[name] === value) return;
    material.defines[name] = value;
    material.needsUpdate = true;
  }
}
