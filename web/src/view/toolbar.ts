/** The view's controls: fit, clip plane, walls, balls or surfaces, ball size. */
import { h } from "../dom.js";
import * as english from "../english/view.js";
import type { Clip, ClipShares } from "./clip.js";

interface Target {
  readonly viewpoint: { fit(reset?: boolean): void };
  setClip(plane: Clip | null, shares: ClipShares | null): void;
  setBallSize(factor: number): void;
  setGrains(many: number): void;
  setRigVisible(visible: boolean): void;
  readonly hasSurfaces: boolean;
  readonly hasBalls: boolean;
  readonly hasGrains: boolean;
  setSurface(on: boolean): void;
}

const GRAINS = [1, 2, 4, 8, 16, 32, 64];

export class ViewToolbar {
  readonly fitButton: HTMLButtonElement;
  readonly clipControls: HTMLElement;
  readonly looks: HTMLElement;
  /** Size of the balls, and how many are drawn of a point of sand; null when there are none. */
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
    this.fitButton = h("button", { type: "button", title: english.bar.fitTitle, onclick: () => target.viewpoint.fit(true) }, english.bar.fit);
    this.on = h("input", { type: "checkbox", onchange: apply });
    this.axis = h("select", { "aria-label": english.bar.axis, onchange: apply }, ...["x", "y", "z"].map((name, i) => h("option", { value: i, selected: i === 1 }, name)));
    this.position = h("input", { type: "range", min: 0, max: 1, step: 0.005, value: 0.5, "aria-label": english.bar.place, oninput: apply });
    this.flip = h("input", { type: "checkbox", checked: true, onchange: apply });
    this.details = h("span", { class: "clip-details", hidden: true }, this.axis, this.position, h("label", { title: english.bar.flipTitle }, this.flip, " ", english.bar.flip));
    this.clipControls = h("div", { class: "control-group" }, h("label", { title: english.bar.clipTitle }, this.on, " ", english.bar.clip), this.details);
    this.shape = h("select", { onchange: () => this.applyShape() }, h("option", { value: "surface" }, english.bar.surface), h("option", { value: "balls" }, english.bar.balls));
    this.shapes = target.hasSurfaces ? h("div", { class: "control-group" }, h("label", { title: english.bar.shapesTitle }, english.bar.show, " ", this.shape)) : null;
    if (target.hasSurfaces) this.applyShape();
    const size = h("input", { type: "range", min: 0.3, max: 1.7, step: 0.05, value: 1, "aria-label": english.bar.ballSize });
    size.addEventListener("input", () => target.setBallSize(Number(size.value)));
    const rig = h("input", { type: "checkbox", checked: true });
    rig.addEventListener("change", () => target.setRigVisible(rig.checked));
    this.looks = h("div", { class: "control-group" }, h("label", {}, rig, " ", english.bar.rig));
    const grains = h("select", {}, ...GRAINS.map((many) => h("option", { value: many }, String(many))));
    grains.addEventListener("change", () => target.setGrains(Number(grains.value)));
    const ballSize = h("label", {}, english.bar.ballSize, " ", size);
    const grainChoice = h("label", { title: english.bar.grainsTitle }, english.bar.grains, " ", grains);
    this.size = !target.hasBalls ? null : target.hasGrains ? h("div", { class: "control-group" }, ballSize, grainChoice) : ballSize;
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
