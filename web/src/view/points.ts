/** Balls drawn as point sprites that the fragment shader turns into shaded spheres with correct depth. The 16-bit numbers of
 *  a frame go to the graphics processor as they are and are decoded there, so a million balls cost no work in JavaScript. */
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, GLSL3, Points, RawShaderMaterial, Vector2, Vector3, Vector4,
} from "three";
import { PALETTE_SIZE, paletteTable, scalarTable } from "../colour.js";
import type { FrameArray, FrameBlock, FrameData } from "../record.js";
import type { Bounds, Drawable } from "../topology.js";
import type { Space } from "./space.js";
import { textureOf } from "./table.js";

const TABLE_SIZE = 256;

/* `place` and `value` are what the frame holds; `low + span * x` decodes them. A point behind the clip plane is moved out of the view. */
const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 positionLow, positionSpan;
uniform vec2 colourCode;
uniform vec4 clipPlane;
uniform float radius, viewportHeight;
uniform float thin; /* one ball in so many is drawn */
uniform sampler2D table;
in vec3 place;
#if COLOUR == 1
in float value;
#elif COLOUR == 2
in uint value;
#endif
uniform vec3 plainColour;
flat out vec3 colour;
flat out vec4 ball;

vec3 colourOf() {
#if COLOUR == 1
  float t = clamp(colourCode.x + colourCode.y * value, 0.0, 1.0);
  return texelFetch(table, ivec2(int(t * ${TABLE_SIZE - 1}.0 + 0.5), 0), 0).rgb;
#elif COLOUR == 2
  uint slot = value == 0u ? 0u : 1u + ((value * 0x9e3779b1u) >> 8) % ${PALETTE_SIZE - 1}u;
  return texelFetch(table, ivec2(int(slot), 0), 0).rgb;
#else
  return plainColour;
#endif
}

void main() {
  float shown = radius * (thin > 1.0 ? 0.8 * sqrt(thin) : 1.0);
  vec3 centre = positionLow + positionSpan * place;
  vec4 eye = modelViewMatrix * vec4(centre, 1.0);
  float depth = -eye.z;
  if (dot(clipPlane.xyz, centre) > clipPlane.w || depth <= shown) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    gl_PointSize = 1.0;
    return;
  }
  colour = colourOf();
  ball = vec4(eye.xyz, shown);
  gl_Position = projectionMatrix * eye;
  gl_PointSize = max(1.0, viewportHeight * projectionMatrix[1][1] * shown * inversesqrt(depth * depth - shown * shown));
}`;

/* The light sits over the viewer's left shoulder; the darkened rim keeps neighbours of one colour apart. */
const FRAGMENT = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix;
flat in vec3 colour;
flat in vec4 ball;
out vec4 pixel;

void main() {
#if PLAIN == 1
  /* A square with the light of a ball's, at its centre's depth: what lies behind is not even shaded. */
  vec2 side = gl_PointCoord - 0.5;
  pixel = vec4(colour * (0.85 - 0.35 * side.x - 0.45 * side.y), 1.0);
#else
  vec2 offset = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float square = dot(offset, offset);
  if (square > 1.0) discard;
  vec3 normal = vec3(offset, sqrt(1.0 - square));
  vec4 surface = projectionMatrix * vec4(ball.xyz + ball.w * normal, 1.0);
  gl_FragDepth = 0.5 * surface.z / surface.w + 0.5;
  float diffuse = max(0.0, dot(normal, normalize(vec3(-0.45, 0.6, 0.75))));
  float rim = smoothstep(0.0, 0.55, normal.z);
  float shine = pow(max(0.0, dot(normal, normalize(vec3(-0.3, 0.4, 1.0)))), 40.0);
  pixel = vec4(colour * (0.48 + 0.6 * diffuse) * (0.55 + 0.45 * rim) + 0.10 * shine, 1.0);
#endif
}`;

/** How to colour: by nothing, by a number between two values, or by class. */
export type Colouring = { kind: "plain" } | { kind: "scalar"; field: number; low: number; high: number } | { kind: "class"; field: number };

/** One in `thin` of these elements, or of all `count`; the same ones in every frame, and in no pattern that a lattice would show. */
export function thinned(elements: Uint32Array | null, count: number, thin: number): Uint32Array {
  const kept = (element: number): boolean => (Math.imul(element, 0x9e3779b1) >>> 8) % thin === 0;
  if (elements) return elements.filter(kept);
  const all = new Uint32Array(count);
  let many = 0;
  for (let i = 0; i < count; i++) if (kept(i)) all[many++] = i;
  return all.subarray(0, many);
}

export class BallCloud {
  readonly object: Points<BufferGeometry, RawShaderMaterial>;
  private readonly tables = [textureOf(scalarTable(TABLE_SIZE)), textureOf(paletteTable())] as const;
  private colouring: Colouring = { kind: "plain" };
  private block: FrameBlock | null = null;
  private shown: Uint32Array | null = null;
  private thin = 1;
  private index: BufferAttribute | null = null; /* of the balls shown, when not all are */

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
  ) {
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      defines: { COLOUR: 0, PLAIN: 0 },
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        colourCode: { value: new Vector2(0, 1) },
        clipPlane: { value: new Vector4(0, 0, 0, 1) },
        radius: { value: drawable.radius / space.size },
        viewportHeight: { value: 1 },
        thin: { value: 1 },
        table: { value: this.tables[0] },
        plainColour: { value: new Vector3(0.55, 0.68, 0.72) },
      },
    });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false; /* its bounds are in the frame's code, which three does not read */
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    for (const table of this.tables) table.dispose();
  }

  show(block: FrameBlock): void {
    const position = block.arrays.find((array) => array.field === 0);
    this.block = block;
    this.object.visible = position !== undefined && position.components === 3 && block.elementCount > 0;
    if (!position || !this.object.visible) return;
    this.put("place", position);
    const low = this.uniform<Vector3>("positionLow");
    const span = this.uniform<Vector3>("positionSpan");
    const { centre, size } = this.space;
    const quantised = position.data instanceof Uint16Array;
    for (let i = 0; i < 3; i++) {
      const from = quantised ? (position.low[i] ?? 0) : 0;
      const width = quantised ? (position.high[i] ?? 0) - from : 1;
      low.setComponent(i, (from - (centre[i] ?? 0)) / size);
      span.setComponent(i, width / size);
    }
    this.applyColour();
    this.applyShown();
  }

  /** Draws only the balls of these elements, or all again (null). Asked for anew with every frame. */
  showOnly(elements: Uint32Array | null): void {
    this.shown = elements;
    this.applyShown();
  }

  private applyShown(): void {
    const { geometry } = this.object;
    const count = this.block?.elementCount ?? 0;
    const shown = this.thin > 1 ? thinned(this.shown, count, this.thin) : this.shown;
    geometry.setDrawRange(0, shown ? shown.length : count);
    if (!shown) return void geometry.setIndex(null);
    if (this.index?.array.length !== count) this.index = new BufferAttribute(new Uint32Array(count), 1).setUsage(DynamicDrawUsage);
    (this.index.array as Uint32Array).set(shown); /* one buffer for all frames, as three frees them with their geometry only */
    this.index.needsUpdate = true;
    geometry.setIndex(this.index);
  }

  /** The box around what is shown, m; null when nothing is. */
  bounds(): Bounds | null {
    const position = this.block?.arrays.find((array) => array.field === 0);
    if (!position || !this.object.visible) return null;
    const { low, high } = position;
    return { minimum: [...low], maximum: [...high] };
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.applyColour();
    this.applyShown(); /* a new attribute may have taken a new geometry */
  }

  /** Half-space in the view's units: what lies beyond `normal . x > distance` is left out. */
  setClip(normal: Vector3, distance: number): void {
    this.uniform<Vector4>("clipPlane").set(normal.x, normal.y, normal.z, distance);
  }

  setSize(factor: number): void {
    this.setUniform("radius", (factor * this.drawable.radius) / this.space.size);
  }

  /** How much of it is drawn (pace.ts). */
  setDetail(plain: boolean, thin: number): void {
    this.setUniform("thin", thin);
    if (thin !== this.thin) {
      this.thin = thin;
      this.applyShown();
    }
    const { material } = this.object;
    if (material.defines["PLAIN"] === Number(plain)) return;
    material.defines["PLAIN"] = Number(plain);
    material.needsUpdate = true;
  }

  setViewportHeight(pixels: number): void {
    this.setUniform("viewportHeight", pixels);
  }

  private applyColour(): void {
    const colouring = this.colouring;
    const array = colouring.kind === "plain" ? undefined : this.block?.arrays.find((a) => a.field === colouring.field && a.components === 1);
    if (!array || colouring.kind === "plain") return this.setProgram(0);
    this.put("value", array);
    if (colouring.kind === "class") {
      this.setUniform("table", this.tables[1]);
      return this.setProgram(array.data instanceof Uint32Array ? 2 : 0);
    }
    const width = colouring.high - colouring.low || 1;
    const quantised = array.data instanceof Uint16Array;
    const low = quantised ? array.low[0] : 0;
    const span = quantised ? array.high[0] - array.low[0] : 1;
    this.uniform<Vector2>("colourCode").set((low - colouring.low) / width, span / width);
    this.setUniform("table", this.tables[0]);
    this.setProgram(array.data instanceof Uint32Array ? 0 : 1);
  }

  private setProgram(colour: number): void {
    const material = this.object.material;
    if (material.defines["COLOUR"] === colour) return;
    material.defines["COLOUR"] = colour;
    material.needsUpdate = true;
  }

  /** Uploads an array, into the buffer of the last frame where it fits. */
  private put(name: string, from: FrameArray): void {
    const old = this.object.geometry.getAttribute(name) as BufferAttribute | undefined;
    const data: FrameData = from.data;
    if (old && old.array.constructor === data.constructor && old.array.length === data.length && old.itemSize === from.components) {
      old.array = data;
      old.needsUpdate = true;
      return;
    }
    /* three frees buffers with their geometry only, so a change of size or type takes a new one. */
    const next = new BufferGeometry();
    for (const [key, attribute] of Object.entries(this.object.geometry.attributes)) {
      const kept = attribute as BufferAttribute;
      if (key !== name) next.setAttribute(key, new BufferAttribute(kept.array, kept.itemSize, kept.normalized).setUsage(DynamicDrawUsage));
    }
    next.setAttribute(name, new BufferAttribute(data, from.components, data instanceof Uint16Array).setUsage(DynamicDrawUsage));
    this.object.geometry.dispose();
    this.object.geometry = next;
  }

  private uniform<T>(name: string): T {
    return this.object.material.uniforms[name]?.value as T;
  }

  private setUniform(name: string, value: unknown): void {
    const uniform = this.object.material.uniforms[name];
    if (uniform) uniform.value = value;
  }
}
