/** What makes depth seen in a picture at rest: corners that less light reaches (ambient occlusion), outlines, distance that fades, and a soft shadow on
 *  the ground. Worked out from a depth picture of the view, and of the scene as seen from above, laid over what is drawn already. */
import { AddEquation, CustomBlending, DepthTexture, Mesh, NearestFilter, OneFactor, OrthographicCamera, PerspectiveCamera, PlaneGeometry, Scene, ShaderMaterial, SrcAlphaFactor, UnsignedIntType, Vector2, Vector3, WebGLRenderTarget, ZeroFactor, type Color, type Object3D, type WebGLRenderer } from "three";

const SHADOW_PIXELS = 512; /* of the picture from above, along a side */
const ABOVE_DEG = 0.5; /* so narrow a view from above that lines which are parallel are drawn so */
const MARGIN = 1.25; /* of the ground over what stands on it */

const VERTEX = /* glsl */ `
varying vec2 at;
void main() {
  at = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

/* Occlusion: of 16 places around a pixel, on a spiral that is turned from pixel to pixel, how many lie before the surface there, and no farther than the
 * radius. Outlines: where the depth bends by more than a slanted face can. The blending multiplies what is there by alpha and adds the fog's colour. */
const SHADE = /* glsl */ `
uniform sampler2D depths;
uniform vec2 pixel, planes, reach; /* of a texel; near and far; radius in texture units at distance 1 */
uniform float radius, nearest, farthest, fog;
uniform vec3 ground;
varying vec2 at;
float distanceAt(vec2 place) {
  float z = 2.0 * texture2D(depths, place).r - 1.0;
  return 2.0 * planes.x * planes.y / (planes.y + planes.x - z * (planes.y - planes.x));
}
void main() {
  if (texture2D(depths, at).r >= 1.0) discard; /* nothing is there */
  float here = distanceAt(at);
  float left = distanceAt(at - vec2(pixel.x, 0.0)), right = distanceAt(at + vec2(pixel.x, 0.0));
  float below = distanceAt(at - vec2(0.0, pixel.y)), above = distanceAt(at + vec2(0.0, pixel.y));
  vec2 slope = vec2(abs(right - here) < abs(here - left) ? right - here : here - left, abs(above - here) < abs(here - below) ? above - here : here - below) / pixel;
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float hidden = 0.0;
  for (int k = 0; k < 16; k++) {
    float share = (float(k) + 0.5) / 16.0;
    float angle = turn + 2.3999632 * float(k);
    vec2 offset = share * reach / here * vec2(cos(angle), sin(angle));
    float before = here + dot(slope, offset) - distanceAt(at + offset);
    hidden += smoothstep(0.02 * radius, 0.25 * radius, before) * (1.0 - smoothstep(radius, 2.0 * radius, before));
  }
  float light = 1.0 - 0.75 * smoothstep(0.0, 1.0, hidden / 12.0);
  float bend = max(max(left + right, above + below) - 2.0 * here, 0.0);
  float line = smoothstep(0.25 * radius, 0.6 * radius, bend);
  float far = fog * smoothstep(nearest, farthest, here);
  gl_FragColor = vec4(ground * far, light * (1.0 - 0.7 * line) * (1.0 - far));
}`;

/* Depth seen from above gives height over the ground: what is near to it throws a dark shadow with a sharp edge, what is high a faint and wide one. */
const GROUND_VERTEX = /* glsl */ `
varying vec2 at;
void main() {
  at = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const GROUND = /* glsl */ `
uniform sampler2D depths;
uniform vec2 planes;
uniform float standing, size; /* distance of the ground from the eye above; height that counts as high */
varying vec2 at;
void main() {
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float shade = 0.0;
  for (int k = 0; k < 32; k++) {
    float share = sqrt((float(k) + 0.5) / 32.0);
    float angle = turn + 2.3999632 * float(k);
    float raw = texture2D(depths, at + 0.05 * share * vec2(cos(angle), sin(angle))).r, z = 2.0 * raw - 1.0;
    float away = 2.0 * planes.x * planes.y / (planes.y + planes.x - z * (planes.y - planes.x));
    shade += raw < 1.0 ? 1.0 - 0.6 * clamp((standing - away) / size, 0.0, 1.0) : 0.0;
  }
  gl_FragColor = vec4(0.0, 0.0, 0.0, 0.45 * shade / 32.0);
}`;

const depthTarget = (): WebGLRenderTarget => {
  const target = new WebGLRenderTarget(1, 1, { minFilter: NearestFilter, magFilter: NearestFilter });
  target.depthTexture = new DepthTexture(1, 1, UnsignedIntType);
  return target;
};

/** What a picture is made of. */
export interface Stage {
  scene: Scene;
  camera: PerspectiveCamera;
  low: Vector3; /** the corners of what is shown, in the view's units */
  high: Vector3;
  without: Object3D[]; /** what casts neither shadow nor outline: panes, arrows */
  ground: Color; /** what distance fades to */
  sized: (height: number) => void; /** tells the layers how many pixels high the picture is */
}

export class Shading {
  private readonly seen = depthTarget();
  private readonly above = depthTarget();
  private readonly overlay = new Scene();
  private readonly flat = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly lamp = new PerspectiveCamera(ABOVE_DEG, 1, 1, 2);
  private readonly floor = new Mesh(new PlaneGeometry(1, 1), new ShaderMaterial({ vertexShader: GROUND_VERTEX, fragmentShader: GROUND, transparent: true, depthWrite: false, uniforms: { depths: { value: this.above.depthTexture }, planes: { value: new Vector2() }, standing: { value: 1 }, size: { value: 1 } } }));
  private readonly shade = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: SHADE,
    depthTest: false,
    depthWrite: false,
    blending: CustomBlending,
    blendEquation: AddEquation,
    blendSrc: OneFactor,
    blendDst: SrcAlphaFactor,
    blendSrcAlpha: ZeroFactor,
    blendDstAlpha: OneFactor,
    uniforms: { depths: { value: this.seen.depthTexture }, pixel: { value: new Vector2() }, planes: { value: new Vector2() }, reach: { value: new Vector2() }, radius: { value: 1 }, nearest: { value: 0 }, farthest: { value: 1 }, fog: { value: 0.3 }, ground: { value: new Vector3() } },
  });

  constructor(private readonly renderer: WebGLRenderer) {
    const quad = new Mesh(new PlaneGeometry(2, 2), this.shade);
    quad.frustumCulled = false;
    this.overlay.add(quad);
    this.floor.visible = false;
  }

  dispose(): void {
    for (const target of [this.seen, this.above]) {
      target.depthTexture?.dispose();
      target.dispose();
    }
    this.floor.geometry.dispose();
    this.floor.material.dispose();
    this.shade.dispose();
  }

  /** Draws a scene with all of it. */
  draw(stage: Stage): void {
    const { scene, camera } = stage;
    const { renderer } = this;
    const size = renderer.getDrawingBufferSize(new Vector2());
    const shown = stage.without.map((object) => object.visible);
    stage.without.forEach((object) => (object.visible = false));
    this.floor.visible = false;
    this.lookDown(stage);
    stage.sized(size.y);
    this.seen.setSize(size.x, size.y);
    this.depths(this.seen, scene, camera);
    stage.without.forEach((object, i) => (object.visible = shown[i] ?? true));
    scene.add(this.floor);
    this.floor.visible = true;
    renderer.render(scene, camera);
    scene.remove(this.floor);
    this.lay(stage, size);
    const clears = renderer.autoClear;
    renderer.autoClear = false;
    renderer.render(this.overlay, this.flat);
    renderer.autoClear = clears;
  }

  private depths(target: WebGLRenderTarget, scene: Scene, camera: PerspectiveCamera): void {
    this.renderer.setRenderTarget(target);
    this.renderer.clear();
    this.renderer.render(scene, camera);
    this.renderer.setRenderTarget(null);
  }

  /** The scene from above, and the ground below it. */
  private lookDown({ scene, low, high, sized }: Stage): void {
    const side = MARGIN * Math.max(high.x - low.x, high.y - low.y, 1e-6);
    const height = Math.max(high.z - low.z, 1e-6);
    const away = side / (2 * Math.tan((ABOVE_DEG * Math.PI) / 360));
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const standing = away + height;
    this.lamp.near = Math.max(1e-3, standing - 2 * height - 0.5 * side);
    this.lamp.far = standing + 0.1 * height + 0.5 * side;
    this.lamp.position.set(middle.x, middle.y, low.z + standing);
    this.lamp.rotation.set(0, 0, 0); /* cameras look along -z, with y up: as the ground's texture lies */
    this.lamp.fov = (360 / Math.PI) * Math.atan(side / 2 / standing);
    this.lamp.updateProjectionMatrix();
    this.lamp.updateMatrixWorld();
    this.above.setSize(SHADOW_PIXELS, SHADOW_PIXELS);
    sized(SHADOW_PIXELS);
    this.depths(this.above, scene, this.lamp);
    this.floor.position.set(middle.x, middle.y, low.z);
    this.floor.scale.set(side, side, 1);
    const { uniforms } = this.floor.material;
    (uniforms["planes"]?.value as Vector2).set(this.lamp.near, this.lamp.far);
    if (uniforms["standing"]) uniforms["standing"].value = standing;
    if (uniforms["size"]) uniforms["size"].value = height;
  }

  private lay({ camera, low, high, ground }: Stage, size: Vector2): void {
    const { uniforms } = this.shade;
    const set = (name: string, value: number): void => void (uniforms[name] && (uniforms[name].value = value));
    const extent = high.distanceTo(low);
    const distance = camera.position.distanceTo(low.clone().add(high).multiplyScalar(0.5));
    const radius = 0.035 * extent;
    const along = radius / (2 * Math.tan((camera.fov * Math.PI) / 360));
    (uniforms["pixel"]?.value as Vector2).set(1 / size.x, 1 / size.y);
    (uniforms["planes"]?.value as Vector2).set(camera.near, camera.far);
    (uniforms["reach"]?.value as Vector2).set(along / camera.aspect, along);
    (uniforms["ground"]?.value as Vector3).set(ground.r, ground.g, ground.b);
    set("radius", radius);
    set("nearest", distance - 0.25 * extent);
    set("farthest", distance + 0.75 * extent);
  }
}
