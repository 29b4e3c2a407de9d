/** The view's controls: fit, clip plane, walls, balls or surfaces, ball size. */
import { h } from "../dom.js";
import type { Clip, ClipShares } from "./clip.js";

interface Target {
  fit(reset?: boolean): void;
  setClip(plane: Clip | null, shares: ClipShares | null): void;
  setBallSize(factor: number): void;
  setRigVisible(visible: boolean): void;
  readonly hasSurfaces: boolean;
  readonly hasBalls: boolean;
  setSurface(on: boolean): void;
}

export class ViewToolbar {
  readonly fitButton: HTMLButtonElement;
  readonly clipControls: HTMLElement;
  readonly looks: HTMLElement;
  /** Size of the balls; null when there are none. */
  readonly size: HTMLElement | null;
  /** Balls or surfaces; null when there are no surfaces. */
  readonly shapes: HTMLElement | null;
  private readonly shape: HTMLSelectElement;
  private readonly on: HTMLInputElement;
  private readonly axis: HTMLSelectElement;
  private readonly position: HTMLInputElement;
  private readonly flip: HTMLInputElement;
  private readonly details: HTMLElement;
  private box: ClipShares | null = null;

  constructor(
    private readonly target: Target,
    private readonly onClip: (cut: boolean) => void,
  ) {
    const apply = (): void => this.applyClip();
    this.fitButton = h("button", { type: "button", title: "Show everything (F)", onclick: () => target.fit(true) }, "Fit");
    this.on = h("input", { type: "checkbox", onchange: apply });
    this.axis = h("select", { "aria-label": "Axis of the cut", onchange: apply }, ...["x", "y", "z"].map((name, i) => h("option", { value: i, selected: i === 1 }, name)));
    this.position = h("input", { type: "range", min: 0, max: 1, step: 0.005, value: 0.5, "aria-label": "Place of the cut", oninput: apply });
    this.flip = h("input", { type: "checkbox", checked: true, onchange: apply });
    this.details = h("span", { class: "clip-details", hidden: true }, this.axis, this.position, h("label", { title: "Keep the other side" }, this.flip, " Flip"));
    this.clipControls = h("div", { class: "control-group" }, h("label", { title: "Cut the specimen open (C)" }, this.on, " Clip"), this.details);
    this.shape = h("select", { onchange: () => this.applyShape() }, h("option", { value: "surface" }, "Surface"), h("option", { value: "balls" }, "Balls"));
    this.shapes = target.hasSurfaces ? h("div", { class: "control-group" }, h("label", { title: "Surfaces of the pieces, or the balls they consist of (S)" }, "Show ", this.shape)) : null;
    if (target.hasSurfaces) this.applyShape();
    const size = h("input", { type: "range", min: 0.3, max: 1.7, step: 0.05, value: 1, "aria-label": "Size of the balls" });
    size.addEventListener("input", () => target.setBallSize(Number(size.value)));
    const rig = h("input", { type: "checkbox", checked: true });
    rig.addEventListener("change", () => target.setRigVisible(rig.checked));
    this.looks = h("div", { class: "control-group" }, h("label", {}, rig, " Rig"));
    this.size = target.hasBalls ? h("label", {}, "Size of the balls ", size) : null;
  }

  /** Shows only what lies in a box, beside the cut; null: everything. */
  setBox(box: ClipShares | null): void {
    this.box = box;
    this.applyClip();
  }

  toggleClip(): void {
    this.on.checked = !this.on.checked;
    this.applyClip();
  }

  toggleSurface(): void {
    if (!this.shapes) return;
    this.shape.value = this.shape.value === "surface" ? "balls" : "surface";
    this.applyShape();
  }

  private applyShape(): void {
    this.target.setSurface(this.shape.value === "surface");
  }

  private applyClip(): void {
    this.details.hidden = !this.on.checked;
    const plane: Clip = { axis: Number(this.axis.value) as 0 | 1 | 2, position: Number(this.position.value), flipped: this.flip.checked };
    this.target.setClip(this.on.checked ? plane : null, this.box);
    this.onClip(this.on.checked || this.box !== null);
  }
}
