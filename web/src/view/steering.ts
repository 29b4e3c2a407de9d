/** Between a hand on the picture and places of the scene: what marks laid over the picture are put and dragged by. */
import { Vector2, Vector3, Raycaster, type PerspectiveCamera } from "three";
import type { Vector } from "../recording/topology.js";
import { toView, type Space } from "./space.js";

export class Steering {
  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly space: Space,
    private readonly element: HTMLElement,
  ) {}

  /** Where a place, m, is seen: pixels from the picture's top left. */
  project(place: Vector): [number, number] {
    this.camera.updateMatrixWorld();
    const seen = new Vector3(...toView(this.space, place)).project(this.camera);
    return [(0.5 + 0.5 * seen.x) * this.element.clientWidth, (0.5 - 0.5 * seen.y) * this.element.clientHeight];
  }

  inside(place: Vector, margin: number): boolean {
    const [x, y] = this.project(place);
    return x >= margin && y >= margin && x <= this.element.clientWidth - margin && y <= this.element.clientHeight - margin;
  }

  /** What a pixel shows across the line of sight at a place, m. */
  metresPerPixel(place: Vector): number {
    const distance = new Vector3(...toView(this.space, place)).sub(this.camera.position).length();
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360) * this.space.size) / Math.max(1, this.element.clientHeight);
  }

  /** How far along a line, m from its origin, it is nearest to what lies at a pixel of the window. With u the line's direction, v that of sight and w
   *  from the eye to the origin: s = ((u.v)(v.w) - u.w)/(1 - (u.v)^2). NaN along the line of sight. */
  alongLine(origin: Vector, direction: Vector, clientX: number, clientY: number): number {
    const box = this.element.getBoundingClientRect();
    const caster = new Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(new Vector2((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height), this.camera);
    const [u, v] = [new Vector3(...direction), caster.ray.direction];
    const w = new Vector3(...toView(this.space, origin)).sub(caster.ray.origin);
    const cosine = u.dot(v);
    const across = 1 - cosine * cosine;
    return across < 1e-6 ? NaN : ((cosine * v.dot(w) - u.dot(w)) / across) * this.space.size;
  }
}
