/** The scene as it stands, in 3D beside the form: drawn anew after every check that finds it sound. A slider moves the rig's parts along their programs. */
import { pictureScene, type Gap } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/compose.js";
import { heading, quantity } from "../format.js";
import { movingParts, readOpening, type MovingPart, type Opening } from "../recording/opening.js";
import { errorText } from "../pages/messages.js";
import type { Json } from "../json.js";
import type { View3d } from "../view/view3d.js";

const loadView = (): Promise<typeof import("../view/view3d.js")> => import("../view/view3d.js"); /* brings three.js along */

/** What may be pointed at: a specimen or a part of the rig, by its name. */
export interface Pointed {
  drawable: string;
  part: string; /** "" of a specimen */
}

export class ScenePicture {
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "picture-place" });
  private readonly note = h("p", { class: "picture-note", role: "status" }, english.picture.none);
  private readonly slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": english.picture.time });
  private readonly clock = h("span", { class: "picture-time" });
  private readonly timeRow = h("div", { class: "picture-row", hidden: true }, this.slider, this.clock);
  private readonly moves = h("ul", { class: "picture-moves" });
  private view: View3d | null = null;
  private opening: Opening | null = null;
  private asked: AbortController | null = null;

  /** @param point goes to the part of the form that what was pressed comes from   @param opened is told what a recording of the scene begins with */
  constructor(
    private readonly point: (what: Pointed) => void,
    private readonly opened: (opening: Opening) => void = () => undefined,
  ) {
    const along = ([name, x, y, z]: readonly [string, number, number, number]): HTMLElement => h("button", { type: "button", class: "small", title: english.pictureAlong(name), onclick: () => this.view?.lookAlong([x, y, z]) }, name);
    const fit = h("button", { type: "button", class: "small", onclick: () => this.view?.fit(true) }, english.picture.fit);
    const views = h("div", { class: "picture-views" }, along(["x", 1, 0, 0]), along(["y", 0, -1, 0]), along(["z", 0, 0, 1]), fit);
    this.element = h("section", { class: "card scene-picture", "aria-label": english.picture.label }, h("div", { class: "card-head" }, h("h2", {}, english.picture.title), views), this.place, this.timeRow, this.moves, this.note);
    this.place.hidden = true;
    this.slider.addEventListener("input", () => this.showTime());
  }

  dispose(): void {
    this.asked?.abort();
    this.view?.dispose();
  }

  /** The scene is another one now, or not a sound one. */
  stale(): void {
    this.asked?.abort();
    this.element.classList.add("stale");
  }

  /** Draws a scene that was found sound. */
  async draw(scene: Json, gaps: Gap[]): Promise<void> {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.element.setAttribute("aria-busy", "true");
    try {
      const [bytes, { View3d: View }] = await Promise.all([pictureScene(scene, asked.signal), loadView()]);
      if (asked.signal.aborted) return;
      this.opening = readOpening(bytes);
      const before = this.view;
      this.view = new View(this.opening.topology, this.opening.geometries);
      this.place.hidden = false;
      this.place.replaceChildren(this.view.element);
      if (before?.chosen) this.view.takeCamera(before);
      before?.dispose();
      this.listen(this.view);
      this.lay(this.opening, gaps);
      this.opened(this.opening);
      this.note.hidden = true;
    } catch (error) {
      if (asked.signal.aborted) return;
      this.note.hidden = false;
      setText(this.note, english.pictureFailed(errorText(error)));
    }
    this.element.classList.remove("stale");
    this.element.removeAttribute("aria-busy");
  }

  /** Lights up a specimen or a part of the rig; null: nothing. */
  light(what: Pointed | null): void {
    const { view } = this;
    if (!view || !what) return void view?.lightUp(null);
    view.lightUp((drawable, part) => (what.part === "" ? drawable === what.drawable : part === what.part));
    if (what.part !== "" && view.element.dataset["lit"] === "false") view.lightUp((_, part) => part !== ""); /* the rig as a whole */
  }

  private lay(opening: Opening, gaps: Gap[]): void {
    const parts = movingParts(opening);
    this.view?.setArrows(parts.map(({ from, to }) => ({ from, to })));
    const told = gaps.filter(({ travel }) => travel > 0);
    this.view?.setGaps(told.map(({ from, to, gap }) => ({ from, to, text: quantity(gap, "m") })));
    this.moves.replaceChildren(...parts.map((part) => h("li", {}, moveText(part, told.find((gap) => nameOf(gap) === part.name)))));
    this.slider.max = String(opening.frames.length - 1);
    this.slider.value = "0";
    this.timeRow.hidden = parts.length === 0;
    this.showTime();
    this.element.dataset["frames"] = String(opening.frames.length);
  }

  private showTime(): void {
    const frame = this.opening?.frames[Number(this.slider.value)];
    if (!frame) return;
    this.view?.show(frame, () => undefined);
    setText(this.clock, quantity(frame.time, "s"));
    this.slider.setAttribute("aria-valuetext", quantity(frame.time, "s"));
  }

  /** A press that does not turn the view goes to the form. */
  private listen(view: View3d): void {
    let from: [number, number] | null = null;
    view.canvas.setAttribute("aria-label", english.picture.canvas);
    view.canvas.addEventListener("pointerdown", ({ clientX, clientY }) => (from = [clientX, clientY]));
    view.canvas.addEventListener("pointerup", ({ clientX, clientY }) => {
      if (!from || Math.hypot(clientX - from[0], clientY - from[1]) > 4) return;
      const box = view.canvas.getBoundingClientRect();
      const found = view.named((clientX - box.left) / box.width, (clientY - box.top) / box.height);
      if (found) this.point(found);
    });
  }
}

/** "wall.z_max" is called "z_max" in pictures. */
const nameOf = ({ part }: Gap): string => part.slice(part.indexOf(".") + 1);

/** "Top goes 0.4 mm along −z, after a gap of 20 µm to grain" */
export function moveText({ name, from, to }: MovingPart, gap?: Gap): string {
  const displacement = to.map((x, axis) => x - (from[axis] ?? 0)) as [number, number, number];
  const length = Math.hypot(...displacement);
  const axis = displacement.findIndex((x) => Math.abs(x) > 0.999 * length);
  const direction = axis < 0 ? "" : `${(displacement[axis] ?? 0) < 0 ? "−" : "+"}${"xyz".charAt(axis)}`;
  const before = gap ? english.pictureGap(quantity(gap.gap, "m"), gap.specimen) : "";
  return english.pictureMove(heading(name), quantity(length, "m"), direction) + before;
}
