/** The 3D view: draws frames of any drawables it knows, on demand only. It knows nothing of methods. */
import { DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { h, styleValue } from "../dom.js";
import type { Frame, FrameBlock } from "../record.js";
import { fragmentsOf, skinOf, uncovered } from "../skin.js";
import type { Bounds, Drawable, Topology, Vector } from "../topology.js";
import { BodySet } from "./bodies.js";
import { CylinderSet } from "./cylinders.js";
import { Overlay } from "./overlay.js";
import { DETAILS, Pace, type Detail } from "./pace.js";
import { PlaneSet } from "./planes.js";
import { BallCloud, type Colouring } from "./points.js";
import { SkinView } from "./skins.js";
import { spaceOf, toView, type Space } from "./space.js";

const FIELD_OF_VIEW_DEG = 32;
const FROM = new Vector3(0.62, -1, 0.42).normalize(); /** where the viewer stands at first: front, right, above */

export interface Clip {
  axis: 0 | 1 | 2;
  position: number; /** share of the bounds along the axis, 0 ... 1 */
  flipped: boolean; /** false: what lies beyond is left out; true: what lies before */
}

export class View3d {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW_DEG, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly overlay = new Overlay();
  private readonly space: Space;
  private readonly clouds = new Map<number, BallCloud>();
  private readonly rig = new Map<number, PlaneSet | CylinderSet | BodySet>();
  private readonly skins = new Map<number, SkinView>(); /* by the points they cover */
  private asSurface = false;
  private readonly resize: ResizeObserver;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private frame: Frame | null = null;
  private drawn: (() => void) | null = null;
  private request = 0;
  private readonly pace = new Pace();
  private readonly coasts = !matchMedia("(prefers-reduced-motion: reduce)").matches; /* on after the hand has let go */
  private detail: Detail = DETAILS[0] ?? { plain: false, pixels: 1, thin: 1 };
  private held = false; /* the user has the view in hand: however slow the pictures come, it is not at rest */
  private steered = false; /* the camera moved since the last picture */
  private rest: ReturnType<typeof setTimeout> | null = null;
  private pictures = 0;
  private fitted = false;
  private moved = false; /* the user has chosen a view: keep it */
  private seen: Bounds; /* what the view is fitted to: the run's bounds, and wherever the specimens went since */

  /** Throws when the browser has no WebGL 2. */
  constructor(private readonly topology: Topology) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, powerPreference: "high-performance" });
    this.renderer.setClearColor(0, 0);
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.element = h("div", { class: "view3d" }, this.canvas, this.overlay.element);
    this.space = spaceOf(topology.bounds);
    this.seen = topology.bounds;
    for (const drawable of topology.drawables) {
      if (drawable.kind === "points") this.clouds.set(drawable.id, new BallCloud(drawable, this.space));
      else if (drawable.kind === "planes") this.rig.set(drawable.id, new PlaneSet(drawable, this.space));
      else if (drawable.kind === "cylinders") this.rig.set(drawable.id, new CylinderSet(drawable, this.space));
      else if (drawable.kind === "mesh" && drawable.changing) this.skins.set(drawable.skinOf, new SkinView(this.space));
      else if (drawable.kind === "mesh") this.rig.set(drawable.id, new BodySet(drawable, this.space));
    }
    for (const part of [...this.rig.values(), ...this.clouds.values(), ...this.skins.values()]) this.scene.add(part.object);
    this.light();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = this.coasts;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.canvas.style.touchAction = "pan-y"; /* one finger scrolls the page up and down and turns the view sideways; two move and turn it */
    this.controls.addEventListener("change", () => {
      this.steered = true;
      this.invalidate();
    });
    this.controls.addEventListener("start", () => (this.moved = this.held = true));
    this.controls.addEventListener("end", () => ((this.held = false), this.awaitRest()));
    this.canvas.addEventListener("webglcontextrestored", this.invalidate);
    this.dark.addEventListener("change", this.applyTheme);
    this.applyTheme();
    this.resize = new ResizeObserver(() => this.measure());
    this.resize.observe(this.element);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    if (this.rest !== null) clearTimeout(this.rest);
    this.resize.disconnect();
    this.dark.removeEventListener("change", this.applyTheme);
    this.controls.dispose();
    for (const part of [...this.rig.values(), ...this.clouds.values(), ...this.skins.values()]) part.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.drawn?.();
    this.element.remove();
  }

  /** Shows a frame with the next picture. `drawn` is called when it is on the screen, or overtaken by a newer one. */
  show(frame: Frame, drawn: () => void): void {
    this.drawn?.();
    this.drawn = drawn;
    this.frame = frame;
    for (const block of frame.blocks) {
      this.clouds.get(block.drawable)?.show(block);
      this.rig.get(block.drawable)?.show(block);
    }
    this.showSkins();
    this.follow();
    this.invalidate();
  }

  /** Whether there are surfaces to be shown instead of balls. */
  get hasSurfaces(): boolean {
    return this.skins.size > 0;
  }

  /** Shows surfaces of fragments, with the balls that have none, or all balls. */
  setSurface(on: boolean): void {
    this.asSurface = on;
    this.showSkins();
    this.invalidate();
  }

  private showSkins(): void {
    for (const drawable of this.topology.drawables) {
      const skinView = drawable.changing ? this.skins.get(drawable.skinOf) : undefined;
      if (!skinView) continue;
      const skin = this.frame && this.asSurface ? skinOf(this.frame, drawable.id) : null;
      const points = this.drawable(drawable.skinOf);
      const field = points?.fields.findIndex((about) => about.name === "fragment");
      const fragment = this.block(drawable.skinOf)?.arrays.find((array) => array.field === field);
      skinView.show(skin);
      this.clouds.get(drawable.skinOf)?.showOnly(skin && fragment ? uncovered(fragment, fragmentsOf(skin)) : null);
    }
  }

  /** Keeps specimens in the picture that leave the run's bounds, until the user takes the camera; a far flung splinter is let go. */
  private follow(): void {
    const { minimum, maximum } = this.topology.bounds;
    const grown: Bounds = { minimum: [...this.seen.minimum], maximum: [...this.seen.maximum] };
    let left = false;
    for (const cloud of this.clouds.values()) {
      const box = cloud.bounds();
      if (!box) continue;
      for (const axis of [0, 1, 2] as const) {
        const room = this.space.size;
        const low = Math.max(box.minimum[axis], minimum[axis] - room);
        const high = Math.min(box.maximum[axis], maximum[axis] + room);
        if (low < grown.minimum[axis]) grown.minimum[axis] = low - 0.1 * room;
        if (high > grown.maximum[axis]) grown.maximum[axis] = high + 0.1 * room;
        left ||= low < this.seen.minimum[axis] || high > this.seen.maximum[axis];
      }
    }
    if (!left) return;
    this.seen = grown;
    if (this.fitted && !this.moved) this.fit();
  }

  private drawable(id: number): Drawable | undefined {
    return this.topology.drawables.find((drawable) => drawable.id === id);
  }

  block(drawable: number): FrameBlock | undefined {
    return this.frame?.blocks.find((block) => block.drawable === drawable);
  }

  setColouring(drawable: number, colouring: Colouring): void {
    const about = this.drawable(drawable);
    this.clouds.get(drawable)?.setColouring(colouring);
    this.skins.get(drawable)?.colourByFragment(colouring.kind === "class" && about?.fields[colouring.field]?.name === "fragment");
    this.invalidate();
  }

  setClip(clip: Clip | null): void {
    const normal = new Vector3();
    let distance = 1;
    if (clip) {
      const sign = clip.flipped ? -1 : 1;
      const [low, high] = [toView(this.space, this.topology.bounds.minimum), toView(this.space, this.topology.bounds.maximum)];
      normal.setComponent(clip.axis, sign);
      distance = sign * (low[clip.axis] + clip.position * (high[clip.axis] - low[clip.axis]));
    }
    for (const part of [...this.clouds.values(), ...this.skins.values()]) part.setClip(normal, distance);
    this.invalidate();
  }

  setBallSize(factor: number): void {
    for (const cloud of this.clouds.values()) cloud.setSize(factor);
    this.invalidate();
  }

  setRigVisible(visible: boolean): void {
    for (const set of this.rig.values()) set.object.visible = visible;
    this.invalidate();
  }

  /** Moves back, or closer, until everything is in the picture. Keeps the direction unless `reset`. */
  fit(reset = false): void {
    if (reset) this.moved = false;
    const [low, high] = [new Vector3(...toView(this.space, this.seen.minimum)), new Vector3(...toView(this.space, this.seen.maximum))];
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const direction = reset ? FROM.clone() : this.camera.position.clone().sub(this.controls.target).normalize();
    const side = new Vector3().crossVectors(direction, this.camera.up);
    if (side.lengthSq() < 1e-6) side.set(1, 0, 0); /* looking straight down */
    side.normalize();
    const top = new Vector3().crossVectors(side, direction);
    const tangent = Math.tan((FIELD_OF_VIEW_DEG * Math.PI) / 360);
    let distance = 0.1;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z).sub(middle);
      const needed = Math.max(Math.abs(at.dot(side)) / (tangent * this.camera.aspect), Math.abs(at.dot(top)) / tangent);
      distance = Math.max(distance, needed + at.dot(direction));
    }
    this.controls.target.copy(middle);
    this.camera.position.copy(direction.multiplyScalar(1.06 * distance)).add(middle);
    this.controls.update();
    this.invalidate();
  }

  /** Looks along an axis, towards its negative end. */
  lookAlong(axis: Vector): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(new Vector3(...axis).normalize(), distance);
    this.controls.update();
    this.fit();
  }

  /** A picture of the view as it is, in PNG. */
  picture(): Promise<Blob | null> {
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  readonly invalidate = (): void => {
    if (this.request === 0) this.request = requestAnimationFrame(() => this.tick());
  };

  /** The light for bodies, which like that of the balls sits over the viewer's left shoulder. */
  private light(): void {
    const lamp = new DirectionalLight(0xffffff, 1.7);
    lamp.position.set(-0.45, 0.6, 0.75);
    this.camera.add(lamp, lamp.target);
    this.scene.add(this.camera, new HemisphereLight(0xffffff, 0x8a8a8a, 1.3));
  }

  private readonly applyTheme = (): void => {
    for (const set of this.rig.values()) set.setColour(styleValue("--rig"));
    this.invalidate();
  };

  private tick(): void {
    this.request = 0;
    this.controls.update(); /* calls invalidate while it still coasts */
    const now = performance.now();
    if (this.steered && this.moved) this.applyDetail(this.pace.moving(now));
    else if (!this.held && this.pace.resting(now)) {
      this.pace.stop();
      this.applyDetail(DETAILS[0] ?? this.detail);
    }
    if (this.steered) this.awaitRest();
    this.steered = false;
    this.render();
    this.element.dataset["pictures"] = String(++this.pictures);
    const drawn = this.drawn;
    this.drawn = null;
    drawn?.();
  }

  /** Draws in full once the view has come to rest. */
  private awaitRest(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = null;
      this.invalidate();
    }, this.pace.restMs + 10);
  }

  private applyDetail(detail: Detail): void {
    if (detail === this.detail) return;
    const resized = detail.pixels !== this.detail.pixels;
    this.detail = detail;
    this.controls.enableDamping = this.coasts && detail === DETAILS[0]; /* at a few pictures a second coasting would take many seconds */
    this.element.dataset["detail"] = String(DETAILS.indexOf(detail));
    for (const cloud of this.clouds.values()) cloud.setDetail(detail.plain, detail.thin);
    if (resized) this.applySize();
  }

  private applySize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = Math.min(2, devicePixelRatio) * this.detail.pixels;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    for (const cloud of this.clouds.values()) cloud.setViewportHeight(height * ratio);
  }

  private render(): void {
    this.renderer.render(this.scene, this.camera);
    const distance = this.camera.position.distanceTo(this.controls.target);
    const unitsPerPixel = (2 * distance * Math.tan((FIELD_OF_VIEW_DEG * Math.PI) / 360)) / Math.max(1, this.element.clientHeight);
    this.overlay.update(this.camera, unitsPerPixel * this.space.size);
  }

  private measure(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.applySize();
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.fitted) this.fit(true);
    this.fitted = true;
    this.renderer.render(this.scene, this.camera); /* at once: setSize has cleared the canvas */
    this.invalidate();
  }
}
