/** From where the view looks, how it projects, and what of the run is shown. */
import { h } from "../dom.js";
import * as english from "../english/view.js";
import { heading } from "../format.js";
import type { Drawable, Vector } from "../recording/topology.js";
import { keptCameras, type Camera } from "./cameras.js";
import { popover } from "./popover.js";

interface Target {
  readonly viewpoint: { lookAlong(axis: Vector): void; setParallel(on: boolean): void; camera: Camera };
  setShaded(on: boolean): void;
  readonly shadesByItself: boolean;
  setShown(drawable: number, on: boolean): void;
  setExploded(factor: number): void;
}

const SIDES: [string, string, Vector][] = [["+x", english.look.right, [1, 0, 0]], ["−x", english.look.left, [-1, 0, 0]], ["−y", english.look.front, [0, -1, 0]], ["+y", english.look.behind, [0, 1, 0]], ["+z", english.look.above, [0, 0, 1]], ["−z", english.look.below, [0, 0, -1]]];

const ENLARGEMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** @param place what kept views are kept by   @param drawables what can be hidden, where there are several   @param enlarge shows displacements so many times as large   @param size the control of the balls' size */
export function lookPanel(target: Target, place: string, drawables: Drawable[], enlarge: (factor: number) => void, size: HTMLElement | null): HTMLDetailsElement {
  const sides = SIDES.map(([name, title, axis]) => h("button", { type: "button", class: "small", title, onclick: () => target.viewpoint.lookAlong(axis) }, name));
  const parallel = h("input", { type: "checkbox" });
  parallel.addEventListener("change", () => target.viewpoint.setParallel(parallel.checked));
  const shaded = h("input", { type: "checkbox", checked: target.shadesByItself });
  shaded.addEventListener("change", () => target.setShaded(shaded.checked));
  target.setShaded(shaded.checked);
  const factor = h("select", {}, ...ENLARGEMENTS.map((times) => h("option", { value: times }, times === 1 ? english.look.trueSize : `× ${times}`)));
  factor.addEventListener("change", () => enlarge(Number(factor.value)));
  const moved = h("label", { title: english.look.displacementsTitle }, english.look.displacements, " ", factor);
  const apart = h("input", { type: "range", min: 0, max: 2, step: 0.05, value: 0 });
  apart.addEventListener("input", () => target.setExploded(Number(apart.value)));
  const pieces = drawables.some(({ kind, pieces: field }) => kind === "instances" || (kind === "points" && field >= 0));
  const kept = keptCameras(place, target.viewpoint, (camera) => void (parallel.checked = camera.parallel));
  const seen = drawables.filter(({ changing }) => !changing);
  const shown = seen.map((drawable) => {
    const input = h("input", { type: "checkbox", checked: true });
    input.addEventListener("change", () => target.setShown(drawable.id, input.checked));
    return h("label", {}, input, ` ${heading(drawable.name) || heading(drawable.kind)}`);
  });
  return popover(english.look.name, english.look.title, h("div", { class: "look-sides", role: "group", "aria-label": english.look.sides }, ...sides), kept, h("label", { title: english.look.parallelTitle }, parallel, " ", english.look.parallel), h("label", { title: english.look.shadeTitle }, shaded, " ", english.look.shade), moved, pieces ? h("label", { title: english.look.explodedTitle }, english.look.exploded, " ", apart) : null, size, seen.length > 1 ? h("div", { class: "look-shown", role: "group", "aria-label": english.look.shown }, ...shown) : null);
}
