/** Marks in the 3D view that are no part of the run: arrows along which something goes, and a box around what is pointed at. */
import { ArrowHelper, Box3, Box3Helper, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Vector3, type PerspectiveCamera } from "three";
import { h } from "../dom.js";
import type { Bounds, Vector } from "../recording/topology.js";
import { toView, type Space } from "./space.js";

const LEAST = 0.12; /* length of an arrow in the view's units: shorter ways are drawn that long, so that they are seen */
const HEAD = 0.3; /* of the arrow, */
const HEAD_MOST = 0.06; /* and of the view's units */
const MARGIN = 0.008;

export interface Arrow {
  from: Vector; /** m */
  to: Vector;
}

/** A length between two places. */
export interface Gap {
  from: Vector; /** m */
  to: Vector;
  text: string;
}

const TICK = 0.02; /* half the length of a gap's ends, in the view's units */

export class Annotations {
  readonly object = new Group();
  /** Texts beside the lines, laid over the picture. */
  readonly labels = h("div", { class: "gap-labels" });
  private gaps: { middle: Vector3; label: HTMLElement }[] = [];
  private readonly gapLines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  private readonly arrows = new Group();
  private readonly paths = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  private box: Box3Helper | null = null;
  private colour = new Color("#c2410c");

  constructor(private readonly space: Space) {
    this.object.add(this.arrows, this.gapLines, this.paths);
    this.paths.renderOrder = 3;
    this.paths.visible = false;
    this.gapLines.renderOrder = 3;
    this.gapLines.visible = false;
  }

  dispose(): void {
    this.setArrows([]);
    this.setBox(null);
    this.setGaps([]);
    this.gapLines.geometry.dispose();
    this.gapLines.material.dispose();
    this.paths.geometry.dispose();
    this.paths.material.dispose();
  }

  setColour(colour: string): void {
    this.colour = new Color(colour);
    this.gapLines.material.color.set(colour);
    this.paths.material.color.set(colour);
    for (const arrow of this.arrows.children) if (arrow instanceof ArrowHelper) arrow.setColor(this.colour);
  }

  setArrows(arrows: Arrow[]): void {
    for (const old of [...this.arrows.children]) if (old instanceof ArrowHelper) old.removeFromParent().dispose();
    for (const { from, to } of arrows) {
      const [tail, head] = [new Vector3(...toView(this.space, from)), new Vector3(...toView(this.space, to))];
      const displacement = head.sub(tail);
      const length = Math.max(LEAST, displacement.length());
      if (!(displacement.length() > 0)) continue;
      const size = Math.min(HEAD_MOST, HEAD * length);
      const arrow = new ArrowHelper(displacement.normalize(), tail, length, this.colour, size, 0.6 * size);
      for (const part of [arrow.line, arrow.cone]) {
        part.renderOrder = 2;
        for (const material of [part.material].flat()) material.depthTest = false; /* seen through what it goes into */
      }
      this.arrows.add(arrow);
    }
  }

  /** Lines between places with a text at each, which `place` keeps where the line is. */
  setGaps(gaps: Gap[]): void {
    const points: Vector3[] = [];
    this.gaps = gaps.map(({ from, to, text }) => {
      const [a, b] = [new Vector3(...toView(this.space, from)), new Vector3(...toView(this.space, to))];
      const along = b.clone().sub(a).normalize();
      const across = new Vector3(0, 0, 1).cross(along);
      if (across.lengthSq() < 1e-6) across.set(1, 0, 0);
      across.setLength(TICK);
      points.push(a, b, ...[a, b].flatMap((end) => [end.clone().add(across), end.clone().sub(across)]));
      return { middle: a.clone().add(b).multiplyScalar(0.5), label: h("span", { class: "gap-label" }, text) };
    });
    this.gapLines.geometry.dispose();
    this.gapLines.geometry = new BufferGeometry().setFromPoints(points);
    this.gapLines.visible = points.length > 0;
    this.labels.replaceChildren(...this.gaps.map(({ label }) => label));
  }

  /** Lines through places, one behind the other. */
  setPaths(paths: Vector[][]): void {
    const points = paths.flatMap((path) => path.slice(1).flatMap((place, i) => [path[i] ?? place, place].map((end) => new Vector3(...toView(this.space, end)))));
    this.paths.geometry.dispose();
    this.paths.geometry = new BufferGeometry().setFromPoints(points);
    this.paths.visible = points.length > 0;
  }

  place(camera: PerspectiveCamera): void {
    for (const { middle, label } of this.gaps) {
      const seen = middle.clone().project(camera);
      label.style.left = `${(50 + 50 * seen.x).toFixed(2)}%`;
      label.style.top = `${(50 - 50 * seen.y).toFixed(2)}%`;
    }
  }

  setBox(bounds: Bounds | null): void {
    this.box?.removeFromParent();
    this.box?.dispose();
    this.box = null;
    if (!bounds) return;
    const box = new Box3(new Vector3(...toView(this.space, bounds.minimum)), new Vector3(...toView(this.space, bounds.maximum))).expandByScalar(MARGIN);
    this.box = new Box3Helper(box, this.colour);
    this.object.add(this.box);
  }
}
