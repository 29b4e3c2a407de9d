/** Drawn over the 3D view: which way the axes point, and how long a piece of the screen is at the centre of the view. */
import { Vector3, type PerspectiveCamera } from "three";
import { h, setText, svg } from "../dom.js";
import { quantity } from "../format.js";

const AXES = [
  { name: "x", direction: new Vector3(1, 0, 0) },
  { name: "y", direction: new Vector3(0, 1, 0) },
  { name: "z", direction: new Vector3(0, 0, 1) },
];
const BAR_PIXELS = 110; /** longest scale bar */

/** The largest of 1, 2, 5 times a power of ten that is not above `most`. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [5, 2, 1].find((s) => s * power <= most) ?? 1;
  return step * power;
}

export class Overlay {
  readonly element: HTMLElement;
  private readonly lines = AXES.map(({ name }) => svg("line", { class: `axis-${name}`, x1: 0, y1: 0 }));
  private readonly names = AXES.map(({ name }) => svg("text", { class: `axis-${name}` }, name));
  private readonly bar = h("span", { class: "scale-bar" });
  private readonly length = h("span", { class: "scale-length" });

  constructor() {
    const triad = svg("svg", { class: "triad", viewBox: "-40 -40 80 80", "aria-hidden": "true" }, ...this.lines, ...this.names);
    this.element = h("div", { class: "overlay" }, triad, h("div", { class: "scale" }, this.bar, this.length));
  }

  /** @param metresPerPixel at the centre of the view */
  update(camera: PerspectiveCamera, metresPerPixel: number): void {
    const turn = camera.quaternion.clone().invert();
    AXES.forEach(({ direction }, i) => {
      const seen = direction.clone().applyQuaternion(turn);
      const [x, y] = [24 * seen.x, -24 * seen.y];
      this.lines[i]?.setAttribute("x2", x.toFixed(2));
      this.lines[i]?.setAttribute("y2", y.toFixed(2));
      this.names[i]?.setAttribute("x", (1.4 * x).toFixed(2));
      this.names[i]?.setAttribute("y", (1.4 * y).toFixed(2));
    });
    const metres = roundLength(BAR_PIXELS * metresPerPixel);
    this.bar.style.width = `${(metres / metresPerPixel).toFixed(1)}px`;
    setText(this.length, quantity(metres, "m"));
  }
}
