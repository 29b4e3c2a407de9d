/** Surfaces of fragments: smooth where they are smooth, with the edges of fracture faces kept, coloured by fragment or in one colour. */
import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, IntType, Mesh, RawShaderMaterial, Vector3, Vector4 } from "three";
import { PALETTE_SIZE, paletteTable } from "../colour.js";
import { normalsOf, type Skin } from "../skin.js";
import type { Space } from "./space.js";
import { textureOf } from "./table.js";

const VERTEX = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
uniform vec3 positionLow, positionSpan, plainColour;
uniform bool byFragment;
uniform sampler2D table;
in vec3 place;
in vec3 normal;
in uint fragment;
out vec3 eye, across, where;
flat out vec3 colour;

void main() {
  where = positionLow + positionSpan * place;
  vec4 seen = modelViewMatrix * vec4(where, 1.0);
  eye = seen.xyz;
  across = normalMatrix * normalize(normal + vec3(0.0, 0.0, 1e-30));
  uint slot = fragment == 0u ? 0u : 1u + ((fragment * 0x9e3779b1u) >> 8) % ${PALETTE_SIZE - 1}u;
  colour = byFragment ? texelFetch(table, ivec2(int(slot), 0), 0).rgb : plainColour;
  gl_Position = projectionMatrix * seen;
}`;

/* Where the smooth normal is far from the triangle's own there is an edge, and the triangle's is taken. The inside, seen through a cut, is darker.
 * The light is that of the balls. */
const FRAGMENT = /* glsl */ `
precision highp float;
uniform vec4 clipPlane;
in vec3 eye, across, where;
flat in vec3 colour;
out vec4 pixel;

void main() {
  if (dot(clipPlane.xyz, where) > clipPlane.w) discard;
  vec3 own = normalize(cross(dFdx(eye), dFdy(eye)));
  vec3 smoothed = normalize(across) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 normal = normalize(mix(own, smoothed, smoothstep(0.55, 0.85, dot(own, smoothed))));
  float facing = max(0.0, dot(normal, -normalize(eye)));
  float diffuse = max(0.0, dot(normal, normalize(vec3(-0.45, 0.6, 0.75))));
  float rim = smoothstep(0.0, 0.5, facing);
  float shine = pow(max(0.0, dot(normal, normalize(vec3(-0.3, 0.4, 1.0)))), 40.0);
  vec3 lit = colour * (0.42 + 0.66 * diffuse) * (0.5 + 0.5 * rim) + 0.06 * shine;
  pixel = vec4(gl_FrontFacing ? lit : 0.45 * lit, 1.0);
}`;

export class SkinView {
  readonly object: Mesh<BufferGeometry, RawShaderMaterial>;
  private readonly table = textureOf(paletteTable());

  constructor(private readonly space: Space) {
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      side: DoubleSide,
      uniforms: {
        positionLow: { value: new Vector3() },
        positionSpan: { value: new Vector3(1, 1, 1) },
        plainColour: { value: new Vector3(0.55, 0.68, 0.72) },
        byFragment: { value: true },
        clipPlane: { value: new Vector4(0, 0, 0, 1) },
        table: { value: this.table },
      },
    });
    this.object = new Mesh(new BufferGeometry(), material);
    this.object.frustumCulled = false; /* its bounds are in the frame's code, which three does not read */
    this.object.visible = false;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.table.dispose();
  }

  /** Shows a frame's mesh, or nothing. */
  show(skin: Skin | null): void {
    this.object.visible = skin !== null && skin.triangleCount > 0;
    if (!skin || !this.object.visible) return;
    const { position, fragment, corners } = skin;
    const quantised = position.data instanceof Uint16Array;
    const next = new BufferGeometry();
    next.setAttribute("place", new BufferAttribute(position.data, 3, quantised));
    next.setAttribute("normal", new BufferAttribute(normalsOf(skin), 3));
    const numbers = new BufferAttribute(fragment.data, 1);
    numbers.gpuType = IntType; /* whole numbers in the shader also when they come in 16 bits */
    next.setAttribute("fragment", numbers);
    next.setIndex(new BufferAttribute(corners.data, 1));
    this.object.geometry.dispose();
    this.object.geometry = next;
    const { centre, size } = this.space;
    for (let i = 0; i < 3; i++) {
      const from = quantised ? (position.low[i] ?? 0) : 0;
      this.uniform<Vector3>("positionLow").setComponent(i, (from - (centre[i] ?? 0)) / size);
      this.uniform<Vector3>("positionSpan").setComponent(i, (quantised ? (position.high[i] ?? 0) - from : 1) / size);
    }
  }

  colourByFragment(on: boolean): void {
    const uniform = this.object.material.uniforms["byFragment"];
    if (uniform) uniform.value = on;
  }

  /** As for balls: what lies beyond `normal . x > distance` is left out. */
  setClip(normal: Vector3, distance: number): void {
    this.uniform<Vector4>("clipPlane").set(normal.x, normal.y, normal.z, distance);
  }

  private uniform<T>(name: string): T {
    return this.object.material.uniforms[name]?.value as T;
  }
}
