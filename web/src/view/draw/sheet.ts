/** Triangles with their corners' places and colours from a frame: skins, whose triangles come with the frame, and deforming surfaces, whose triangles
 *  are fixed. Smooth where they are smooth, with sharp edges kept. */
import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, Mesh, RawShaderMaterial, Vector3 } from "three";
import type { FrameArray, FrameData } from "../../recording/record.js";
import { setPlaceCode, setUniform, uploaded, type Upload } from "./coded.js";
import { LIGHT } from "./light.js";
import type { Space } from "../space.js";
import { Tint, TINT_INPUT, TINT_TABLE, tintSplit, type Colouring } from "./tint.js";
import { clipUniforms, CLIP_TEST, setClipUniforms, type ClipBox } from "./clip.js";

const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 positionLow, positionSpan;
in vec3 place;
in vec3 normal;
out vec3 eye, across, where;
out float onScale;
flat out vec3 colour;
${TINT_INPUT}${TINT_TABLE}
void main() {
  where = positionLow + positionSpan * place;
  vec4 seen = modelViewMatrix * vec4(where, 1.0);
  eye = seen.xyz;
  across = normalMatrix * normalize(normal + vec3(0.0, 0.0, 1e-30));
  onScale = 0.0;
${tintSplit()}  gl_Position = projectionMatrix * seen;
}`;

/** The pixel shader of everything made of triangles. Where the smooth normal is far from the triangle's own there is an edge, and the triangle's is
 *  taken. The inside, seen through a cut, is darker. */
export const SHEET_PIXEL = /* glsl */ `
precision highp float;
precision highp int;
${CLIP_TEST}uniform float inside; /* light of a back, as a share of a front's */
in vec3 eye, across, where;
in float onScale;
flat in vec3 colour;
out vec4 pixel;
${TINT_TABLE}${LIGHT}
void main() {
  if (clipped(where)) discard;
  vec3 base = colour;
#if COLOUR == 1
  if (leftOut(onScale)) discard;
  base = scaleColour(onScale);
#endif
  vec3 own = normalize(cross(dFdx(eye), dFdy(eye)));
  vec3 smoothed = normalize(across) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 normal = normalize(mix(own, smoothed, smoothstep(0.55, 0.85, dot(own, smoothed))));
  vec3 lit = surfaceLight(base, normal, -normalize(eye));
  pixel = vec4(gl_FrontFacing ? lit : inside * lit, 1.0);
}`;

export const INSIDE_LIGHT = 0.45; /** where the triangles enclose something; a sheet's back is as light as its front */
export const BACK_LIGHT = 0.92;

export interface SheetMesh {
  position: FrameArray;
  normals: Float32Array; /** [vertices][3], of any length */
  corners: FrameData; /** numbers of vertices, by threes; the same object as long as they don't change */
}

export class Sheet {
  readonly object: Mesh<BufferGeometry, RawShaderMaterial>;
  private readonly tint: Tint;
  private mesh: SheetMesh | null = null;
  private corners: FrameData | null = null;

  constructor(
    drawable: number,
    private readonly space: Space,
  ) {
    this.tint = new Tint(drawable);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: SHEET_PIXEL,
      side: DoubleSide,
      defines: { COLOUR: 0 },
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        ...clipUniforms(),
        inside: { value: INSIDE_LIGHT },
        ...this.tint.uniforms(),
      },
    });
    this.object = new Mesh(new BufferGeometry(), material);
    this.object.frustumCulled = false; /* its bounds are in the frame's code, which three does not read */
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.tint.dispose();
  }

  /** Shows a mesh, coloured by one value of each vertex, or nothing. */
  show(mesh: SheetMesh | null, colouring: Colouring, values: FrameArray | undefined): void {
    this.mesh = mesh;
    this.object.visible = mesh !== null && mesh.corners.length > 0;
    if (!mesh || !this.object.visible) return;
    setPlaceCode(this.object.material.uniforms, mesh.position, this.space);
    this.paint(colouring, values);
  }

  /** Colours what is shown. */
  paint(colouring: Colouring, values: FrameArray | undefined): void {
    if (!this.mesh) return;
    const uploads: Upload[] = [
      { name: "place", data: this.mesh.position.data, itemSize: 3 },
      { name: "normal", data: this.mesh.normals, itemSize: 3 },
    ];
    const tint = this.tint.apply(this.object.material, colouring, values);
    if (tint) uploads.push(tint);
    if (this.corners !== this.mesh.corners) {
      this.object.geometry.dispose();
      this.object.geometry = new BufferGeometry();
      this.object.geometry.setIndex(new BufferAttribute(this.mesh.corners, 1));
      this.corners = this.mesh.corners;
    }
    this.object.geometry = uploaded(this.object.geometry, uploads);
  }

  /** Whether the back of a triangle is the inside of something. */
  setClosed(closed: boolean): void {
    setUniform(this.object.material.uniforms, "inside", closed ? INSIDE_LIGHT : BACK_LIGHT);
  }

  setClip(box: ClipBox): void {
    setClipUniforms(this.object.material.uniforms, box);
  }
}
