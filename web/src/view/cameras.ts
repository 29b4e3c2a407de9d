/** Views of a run that were kept, in this browser by the run's number: from where the camera looks, and how it projects. */
import { h } from "../dom.js";
import * as english from "../english/view.js";
import type { Vector } from "../recording/topology.js";

export interface Camera {
  position: Vector; /** m */
  target: Vector; /** m: what is in the middle */
  parallel: boolean;
}

const MOST = 12;

const isVector = (value: unknown): value is Vector => Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number" && Number.isFinite(part));

/** What a browser kept; anything else than cameras in it is left out. */
export function camerasIn(text: string | null): Camera[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? (list as Partial<Camera>[]).flatMap(({ position, target, parallel }) => (isVector(position) && isVector(target) ? [{ position, target, parallel: parallel === true }] : [])).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** A button that keeps the view, and one for each that was kept.   @param place what they are kept by */
export function keptCameras(place: string, target: { camera: Camera }, taken: (camera: Camera) => void): HTMLElement {
  let cameras: Camera[] = [];
  const list = h("div", { class: "look-sides" });
  const keep = h("button", { type: "button", class: "small", title: english.look.keepTitle }, english.look.keep);
  const lay = (): void => {
    list.replaceChildren(...cameras.flatMap((camera, k) => {
      const go = h("button", { type: "button", class: "small", onclick: () => ((target.camera = camera), taken(camera)) }, english.lookKept(k + 1));
      const forget = h("button", { type: "button", class: "small quiet", "aria-label": english.lookForget(k + 1), onclick: () => put(cameras.filter((other) => other !== camera)) }, "×");
      return [h("span", { class: "kept-view" }, go, forget)];
    }));
    keep.disabled = cameras.length >= MOST;
  };
  const put = (next: Camera[]): void => {
    cameras = next;
    try {
      if (next.length > 0) localStorage.setItem(place, JSON.stringify(next));
      else localStorage.removeItem(place);
    } catch {
      /* they hold until the page is left */
    }
    lay();
  };
  keep.addEventListener("click", () => put([...cameras, target.camera]));
  try {
    cameras = camerasIn(localStorage.getItem(place));
  } catch {
    /* none are kept */
  }
  lay();
  return h("div", { class: "kept-views", role: "group", "aria-label": english.look.kept }, keep, list);
}
