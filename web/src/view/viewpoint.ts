/** Where the viewer stands and looks: the camera, and the hand that turns it. */
import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Bounds, Vector } from "../recording/topology.js";
import { Listeners } from "../service/listeners.js";
import type { Camera } from "./cameras.js";
import { toView, type Space } from "./space.js";

const FIELD_OF_VIEW_DEG = 32;
const PARALLEL_DEG = 0.25; /* so narrow a view from so far away that lines which are parallel are drawn so: over the depth of a scene sizes differ by half a percent */
const NEAR = 0.01;
const FAR = 100;
const DEPTH = 12; /* of what is drawn in a parallel projection, in the view's units */
const FROM = new Vector3(0.62, -1, 0.42).normalize(); /** where the viewer stands at first: front, right, above */

export class Viewpoint {
  readonly eye = new PerspectiveCamera(FIELD_OF_VIEW_DEG, 1, NEAR, FAR);
  readonly onMove = new Listeners<[]>(); /** called whenever the camera was moved */
  readonly onLens = new Listeners<[]>(); /** called when the angle of view was changed */
  readonly onRelease = new Listeners<[]>(); /** called when the hand lets go */
  steered = false; /** the camera was turned since this was last set to false */
  held = false; /** the user has the view in hand: however slow the pictures come, it is not at rest */
  private readonly controls: OrbitControls;
  private moved = false; /* the user has chosen a view: keep it */

  /** @param seen what a fit shows, m, asked anew each time
   *  @param coasts whether the view goes on after the hand has let go */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly space: Space,
    private readonly seen: () => Bounds,
    coasts: boolean,
  ) {
    this.eye.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.eye, canvas);
    this.controls.enableDamping = coasts;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    canvas.style.touchAction = "pan-y"; /* one finger scrolls the page up and down and turns the view sideways; two move and turn it */
    this.controls.addEventListener("change", () => {
      this.steered = true;
      if (this.eye.fov === PARALLEL_DEG) this.placeDepths();
      this.onMove.call();
    });
    this.controls.addEventListener("start", () => (this.moved = this.held = true));
    this.controls.addEventListener("end", () => ((this.held = false), this.onRelease.call()));
  }

  dispose(): void {
    this.controls.dispose();
  }

  /** Goes on turning while the view coasts. */
  update(): void {
    this.controls.update();
  }

  setCoasting(on: boolean): void {
    this.controls.enableDamping = on;
  }

  setAspect(aspect: number): void {
    this.eye.aspect = aspect;
    this.eye.updateProjectionMatrix();
  }

  /** The tangent of half the angle of view. */
  get halfTangent(): number {
    return Math.tan((this.eye.fov * Math.PI) / 360);
  }

  /** What a pixel of a picture so many pixels high shows at the centre of the view, in the view's units. */
  unitsPerPixel(height: number): number {
    return (2 * this.eye.position.distanceTo(this.controls.target) * this.halfTangent) / Math.max(1, height);
  }

  /** Looks as from far away, so that what is behind is as large as what is before; or as the eye sees. What is in the middle keeps its size. */
  setParallel(on: boolean): void {
    const before = this.halfTangent;
    this.eye.fov = on ? PARALLEL_DEG : FIELD_OF_VIEW_DEG;
    const { target } = this.controls;
    this.eye.position.sub(target).multiplyScalar(before / this.halfTangent).add(target);
    this.placeDepths();
    this.controls.update();
    this.onLens.call();
    this.onMove.call();
  }

  /** What is near and far enough to be drawn: about the scene, in a parallel projection, as depths from far away would be too coarse otherwise. */
  private placeDepths(): void {
    const parallel = this.eye.fov === PARALLEL_DEG;
    const distance = this.eye.position.distanceTo(this.controls.target);
    this.eye.near = parallel ? Math.max(NEAR, distance - DEPTH) : NEAR;
    this.eye.far = parallel ? distance + DEPTH : FAR;
    this.eye.updateProjectionMatrix();
  }

  /** Moves back, or closer, until everything is in the picture. Keeps the direction unless `reset`. */
  fit(reset = false): void {
    if (reset) this.moved = false;
    const seen = this.seen();
    const [low, high] = [new Vector3(...toView(this.space, seen.minimum)), new Vector3(...toView(this.space, seen.maximum))];
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const direction = reset ? FROM.clone() : this.eye.position.clone().sub(this.controls.target).normalize();
    const side = new Vector3().crossVectors(direction, this.eye.up);
    if (side.lengthSq() < 1e-6) side.set(1, 0, 0); /* looking straight down */
    side.normalize();
    const top = new Vector3().crossVectors(side, direction);
    let distance = 0.1;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z).sub(middle);
      const needed = Math.max(Math.abs(at.dot(side)) / (this.halfTangent * this.eye.aspect), Math.abs(at.dot(top)) / this.halfTangent);
      distance = Math.max(distance, needed + at.dot(direction));
    }
    this.controls.target.copy(middle);
    this.eye.position.copy(direction.multiplyScalar(1.06 * distance)).add(middle);
    this.controls.update();
    this.onMove.call();
  }

  /** Looks along an axis, towards its negative end. */
  lookAlong(axis: Vector): void {
    const distance = this.eye.position.distanceTo(this.controls.target);
    this.eye.position.copy(this.controls.target).addScaledVector(new Vector3(...axis).normalize(), distance);
    this.controls.update();
    this.fit();
  }

  /** Whether the user has chosen a view. */
  get chosen(): boolean {
    return this.moved;
  }

  /** Tells of every move of the camera by hand. */
  onChoice(moved: () => void): void {
    this.controls.addEventListener("change", () => this.moved && moved());
  }

  /** Where the viewer stands and what is in the middle, m. Setting it is a choice of the user's. */
  get camera(): Camera {
    const metres = (v: Vector3): Vector => [0, 1, 2].map((axis) => (this.space.centre[axis] ?? 0) + v.getComponent(axis) * this.space.size) as Vector;
    return { position: metres(this.eye.position), target: metres(this.controls.target), parallel: this.eye.fov === PARALLEL_DEG };
  }

  set camera({ position, target, parallel }: Camera) {
    if (parallel !== (this.eye.fov === PARALLEL_DEG)) this.setParallel(parallel);
    this.controls.target.set(...toView(this.space, target));
    this.eye.position.set(...toView(this.space, position));
    this.moved = true;
    this.placeDepths();
    this.controls.update();
    this.onMove.call();
  }
}
