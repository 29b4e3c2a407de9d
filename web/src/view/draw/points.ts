/** Balls drawn as point sprites that the pixel shader turns into shaded balls with correct depth. The 16-bit numbers of
 *  a frame go to the graphics processor as they are and are decoded there, so a million balls cost no work in JavaScript. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, GLSL3, Points, RawShaderMaterial, Vector2, Vector3 } from "three";
import { grainElements, grainPlaces, grainValues, spreadAxes } from "../../recording/grains.js";
import type { Frame, FrameArray } from "../../recording/record.js";
import { fieldOf, type Bounds, type Drawable } from "../../recording/topology.js";
import { boundsOf, codeOf, placesInView, setPlaceCode, setUniform, uploaded, valuesOf, type Upload } from "./coded.js";
import { arrayOf, blocksOf, type Layer } from "./layer.js";
import { LIGHT } from "./light.js";
import type { Detail } from "../pace.js";
import { nearestBall, type Hit, type Ray } from "../pick/ray.js";
import type { Space } from "../space.js";
import { Tint, TINT_COLOUR, TINT_INPUT, TINT_TABLE, type Colouring } from "./tint.js";
import { clipUniforms, CLIP_TEST, setClipUniforms, type ClipBox } from "./clip.js";

/* `place`, `value` and `size` are what the frame holds; `low + span * x` decodes them. A point behind the clip plane is moved out of the view. */
const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 positionLow, positionSpan;
${CLIP_TEST}uniform float radius, viewportHeight;
uniform float thin; /* one ball in so many is drawn */
in vec3 place;
#if SIZES == 1
uniform vec2 sizeCode;
in float size;
#endif
flat out vec3 colour;
flat out vec4 ball;
${TINT_INPUT}${TINT_TABLE}${TINT_COLOUR}
void main() {
  float shown = radius * (thin > 1.0 ? 0.8 * sqrt(thin) : 1.0);
#if SIZES == 1
  shown *= sizeCode.x + sizeCode.y * size;
#endif
  vec3 centre = positionLow + positionSpan * place;
  vec4 eye = modelViewMatrix * vec4(centre, 1.0);
  float depth = -eye.z;
  if (clipped(centre) || isLeftOut() || depth <= shown || shown <= 0.0) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    gl_PointSize = 1.0;
    return;
  }
  colour = colourOf();
  ball = vec4(eye.xyz, shown);
  gl_Position = projectionMatrix * eye;
  gl_PointSize = max(1.0, viewportHeight * projectionMatrix[1][1] * shown * inversesqrt(depth * depth - shown * shown));
}`;

/* The darkened rim keeps neighbours of one colour apart. */
const PIXEL = /* glsl */ `
precision highp float;
uniform mat4 projectionMatrix;
flat in vec3 colour;
flat in vec4 ball;
out vec4 pixel;
${LIGHT}
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
  pixel = vec4(ballLight(colour, normal), 1.0);
#endif
}`;

/** One in `thin` of these elements, or of all `count`; the same ones in every frame, and in no pattern that a lattice would show. */
export function thinned(elements: Uint32Array | null, count: number, thin: number): Uint32Array {
  const kept = (element: number): boolean => (Math.imul(element, 0x9e3779b1) >>> 8) % thin === 0;
  if (elements) return elements.filter(kept);
  const all = new Uint32Array(count);
  let many = 0;
  for (let i = 0; i < count; i++) if (kept(i)) all[many++] = i;
  return all.subarray(0, many);
}

/** What a cloud draws: the elements of a block of points, or what stands for other things while the view moves. */
export interface Balls {
  position: FrameArray;
  size: FrameArray | null; /** times the cloud's radius, null for all the same */
  values: (field: number) => FrameArray | undefined; /** for the colours */
}

export class BallCloud {
  readonly object: Points<BufferGeometry, RawShaderMaterial>;
  private readonly tint: Tint;
  private colouring: Colouring = { kind: "plain" };
  private balls: Balls | null = null;
  private shown: Uint32Array | null = null;
  private thin = 1;
  private index: BufferAttribute | null = null; /* of the balls shown, when not all are */

  constructor(
    drawable: number,
    private readonly space: Space,
  ) {
    this.tint = new Tint(drawable);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: PIXEL,
      defines: { COLOUR: 0, PLAIN: 0, SIZES: 0 },
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        sizeCode: { value: new Vector2(0, 1) },
        ...clipUniforms(),
        radius: { value: 0 },
        viewportHeight: { value: 1 },
        thin: { value: 1 },
        ...this.tint.uniforms(),
      },
    });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false; /* its bounds are in the frame's code, which three does not read */
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.tint.dispose();
  }

  get count(): number {
    return this.balls ? this.balls.position.data.length / 3 : 0;
  }

  /** Draws these balls, or none. */
  show(balls: Balls | null): void {
    this.balls = balls;
    this.object.visible = balls !== null && this.count > 0;
    if (!balls || !this.object.visible) return;
    setPlaceCode(this.object.material.uniforms, balls.position, this.space);
    const { size } = balls;
    if (size) {
      const { low, span } = codeOf(size);
      (this.object.material.uniforms["sizeCode"]?.value as Vector2).set(low[0], span[0]);
    }
    this.define("SIZES", Number(size !== null));
    this.upload();
    this.applyShown();
  }

  /** Draws only the balls of these elements, or all again (null). Asked for anew with every frame. */
  showOnly(elements: Uint32Array | null): void {
    this.shown = elements;
    this.applyShown();
  }

  private applyShown(): void {
    const { geometry } = this.object;
    const count = this.count;
    const shown = this.thin > 1 ? thinned(this.shown, count, this.thin) : this.shown;
    geometry.setDrawRange(0, shown ? shown.length : count);
    if (!shown) return void geometry.setIndex(null);
    if (this.index?.array.length !== count) this.index = new BufferAttribute(new Uint32Array(count), 1).setUsage(DynamicDrawUsage);
    (this.index.array as Uint32Array).set(shown); /* one buffer for all frames, as three frees them with their geometry only */
    this.index.needsUpdate = true;
    geometry.setIndex(this.index);
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.upload();
    this.applyShown(); /* a new attribute may have taken a new geometry */
  }

  setClip(box: ClipBox): void {
    setClipUniforms(this.object.material.uniforms, box);
  }

  /** @param radius in the view's units, times the sizes of the balls where they have some */
  setRadius(radius: number): void {
    setUniform(this.object.material.uniforms, "radius", radius);
  }

  /** How much of it is drawn (pace.ts). */
  setDetail(plain: boolean, thin: number): void {
    setUniform(this.object.material.uniforms, "thin", thin);
    if (thin !== this.thin) {
      this.thin = thin;
      this.applyShown();
    }
    this.define("PLAIN", Number(plain));
  }

  setViewportHeight(pixels: number): void {
    setUniform(this.object.material.uniforms, "viewportHeight", pixels);
  }

  private upload(): void {
    if (!this.balls) return;
    const { position, size, values } = this.balls;
    const uploads: Upload[] = [{ name: "place", data: position.data, itemSize: 3 }];
    if (size) uploads.push({ name: "size", data: size.data, itemSize: 1 });
    const tint = this.tint.apply(this.object.material, this.colouring, this.colouring.kind === "plain" ? undefined : values(this.colouring.field));
    if (tint) uploads.push(tint);
    this.object.geometry = uploaded(this.object.geometry, uploads);
  }

  private define(name: string, value: number): void {
    const { material } = this.object;
    if (material.defines[name] === value) return;
    material.defines[name] = value;
    material.needsUpdate = true;
  }
}

/** A drawable of points: a ball for each element, of one radius or each of its own, in a number that may change with every frame. */
const GRAINS_MOST = 2e6; /* balls: with more points each has fewer */
const GRAIN_REACH = 0.9; /* of the radius: half the edge of the cube that a point's sand fills, as its ball is drawn a little larger */

export class PointLayer implements Layer {
  readonly object: BallCloud["object"];
  private readonly cloud: BallCloud;
  private readonly sizes: number; /** number of the field of radii, -1 for none */
  private readonly ids: number; /** of the field that names points which come and go, -1 for none */
  private position: FrameArray | null = null;
  private size: FrameArray | null = null;
  private only: Uint32Array | null = null;
  private frame: Frame | null = null;
  private wanted = 1; /** grains a point */
  private many = 1; /** in the frame shown */
  private factor = 1;
  private axes = 3; /** along which points lie apart */
  private spread = 1; /** larger balls where not all are there, so that they close up */

  constructor(
    readonly drawable: Drawable,
    private readonly space: Space,
  ) {
    this.cloud = new BallCloud(drawable.id, space);
    this.object = this.cloud.object;
    this.sizes = fieldOf(drawable, "radius", 1);
    this.ids = fieldOf(drawable, "id", 1);
    this.setBallSize(1);
  }

  dispose(): void {
    this.cloud.dispose();
  }

  show(frame: Frame): void {
    const [block] = blocksOf(frame, this.drawable.id);
    const [position, ids] = [arrayOf(block, 0, 3) ?? null, arrayOf(block, this.ids, 1)];
    const size = arrayOf(block, this.sizes, 1) ?? null;
    const many = position && ids ? Math.max(1, Math.min(this.wanted, Math.floor((3 * GRAINS_MOST) / position.data.length))) : 1;
    const each = (array: FrameArray | undefined): FrameArray | undefined => (array && many > 1 ? grainValues(array, many) : array);
    this.frame = frame;
    this.many = many;
    this.position = position && ids && many > 1 ? grainPlaces(position, ids, many, GRAIN_REACH * this.drawable.radius) : position;
    this.size = each(size ?? undefined) ?? null;
    this.axes = position ? spreadAxes(position).length : 3;
    this.spread = frame.thinned > 1 && (block?.elementCount ?? 0) < this.drawable.elementCount ? 0.8 * Math.sqrt(frame.thinned) : 1;
    this.setBallSize(this.factor);
    this.cloud.show(this.position ? { position: this.position, size: this.size, values: (field) => each(arrayOf(block, field, 1)) } : null);
    if (this.only) this.showOnly(this.only);
  }

  /** Whether points have names, by which grains of theirs can be drawn. */
  get hasGrains(): boolean {
    return this.ids >= 0;
  }

  /** Draws every point as so many grains; 1: as one ball. */
  setGrains(many: number): void {
    this.wanted = many;
    this.cloud.showOnly(null); /* what it was to draw was of another number */
    if (this.frame) this.show(this.frame);
  }

  /** Draws only these elements, null for all. Asked for anew with every frame. */
  showOnly(elements: Uint32Array | null): void {
    this.only = elements;
    this.cloud.showOnly(elements && this.many > 1 ? grainElements(elements, this.many) : elements);
  }

  bounds(): Bounds | null {
    return this.position && this.object.visible ? boundsOf(this.position, 0) : null;
  }

  setColouring(colouring: Colouring): void {
    this.cloud.setColouring(colouring);
  }

  setClip(box: ClipBox): void {
    this.cloud.setClip(box);
  }

  setBallSize(factor: number): void {
    this.factor = factor;
    this.cloud.setRadius((factor * this.shrunk * (this.size ? 1 : this.drawable.radius)) / this.space.size);
  }

  /** What balls are drawn smaller or larger by: as many fill the same room. */
  private get shrunk(): number {
    return this.spread * this.many ** (-1 / Math.max(this.axes, 1));
  }

  setDetail({ plain, thin }: Detail): void {
    this.cloud.setDetail(plain, thin);
  }

  setViewportHeight(pixels: number): void {
    this.cloud.setViewportHeight(pixels);
  }

  pick(ray: Ray): Hit | null {
    if (!this.position || !this.object.visible) return null;
    const scale = (this.factor * this.shrunk) / this.space.size;
    const radii = this.size ? valuesOf(this.size).map((r) => r * scale) : this.drawable.radius * scale;
    const found = nearestBall(ray, placesInView(this.position, this.space), radii, this.only && this.many > 1 ? grainElements(this.only, this.many) : this.only);
    return found.element < 0 ? null : { drawable: this.drawable.id, block: 0, ...found, element: Math.floor(found.element / this.many) };
  }
}
