/** The scene as it stands, in 3D beside the form: drawn anew after every check that finds it sound. A slider moves the rig's parts along their programs.
 *  What is selected has handles, which change the scene by hand. */
import { pictureScene, type Gap } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/compose.js";
import { heading, quantity } from "../format.js";
import { movingParts, readOpening, type MovingPart, type Opening } from "../recording/opening.js";
import { errorText } from "../pages/messages.js";
import { isObject, valueAt, withValue, type Json } from "../json.js";
import type { Bounds, Vector } from "../recording/topology.js";
import { HandleLayer, type Made } from "./handles/handle_layer.js";
import { boxAt, handlesAt } from "./handles/handle_list.js";
import { HandHistory } from "./handles/history.js";
import { pointedAt, pointerOf, type Pointed } from "./pointed.js";
import { inOwnUnit } from "./units.js";
import type { View3d } from "../view/view3d.js";

const loadView = (): Promise<typeof import("../view/view3d.js")> => import("../view/view3d.js"); /* brings three.js along */

/** What the picture does to the scene beside it. */
export interface Hand {
  /** Goes to the part of the form that what was pressed comes from. */
  point(pointer: string): void;
  /** Shows a value that the scene would have, as the hand goes on; undefined: none. */
  show(pointer: string, value: Json | undefined): void;
  set(pointer: string, value: Json | undefined, structure: boolean): void;
  /** Takes what a recording of the scene begins with. */
  opened(opening: Opening): void;
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
  private readonly handles = new HandleLayer((made) => this.preview(made), (made, what, byKeys) => this.change(made, what, byKeys));
  private readonly hint = h("p", { class: "picture-note", hidden: true }, english.handle.hint);
  private readonly history = new HandHistory();
  private readonly undoButton = h("button", { type: "button", class: "small", hidden: true, onclick: () => this.undo() }, english.handle.undo);
  private scene: Json; /* as it stands */
  private drawn: Json = null; /* that of the picture */
  private selected = ""; /* a pointer to what is worked on */
  private lit: Bounds | null = null; /* the box around it */
  private shownLast: Made | null = null; /* what the form shows that the scene has not */

  constructor(
    scene: Json,
    private readonly hand: Hand,
  ) {
    this.scene = scene;
    const along = ([name, x, y, z]: readonly [string, number, number, number]): HTMLElement => h("button", { type: "button", class: "small", title: english.pictureAlong(name), onclick: () => this.view?.viewpoint.lookAlong([x, y, z]) }, name);
    const fit = h("button", { type: "button", class: "small", onclick: () => this.view?.viewpoint.fit(true) }, english.picture.fit);
    const views = h("div", { class: "picture-views" }, along(["x", 1, 0, 0]), along(["y", 0, -1, 0]), along(["z", 0, 0, 1]), fit, this.undoButton);
    this.element = h("section", { class: "card scene-picture", "aria-label": english.picture.label }, h("div", { class: "card-head" }, h("h2", {}, english.picture.title), views), this.place, this.hint, this.timeRow, this.moves, this.note);
    this.place.hidden = true;
    this.place.append(this.handles.element);
    this.slider.addEventListener("input", () => this.showTime());
    window.addEventListener("keydown", this.onKey);
  }

  dispose(): void {
    this.asked?.abort();
    this.view?.dispose();
    window.removeEventListener("keydown", this.onKey);
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
      this.handles.setSteering(null);
      this.place.hidden = false;
      this.place.prepend(this.view.element);
      if (before?.viewpoint.chosen) this.view.viewpoint.camera = before.viewpoint.camera;
      before?.dispose();
      this.listen(this.view);
      this.drawn = scene;
      this.lay(this.opening, gaps);
      const { steering } = this.view;
      this.view.onPicture.add(() => this.handles.setSteering(steering));
      this.showSelected();
      this.hand.opened(this.opening);
      this.note.hidden = true;
    } catch (error) {
      if (asked.signal.aborted) return;
      this.note.hidden = false;
      setText(this.note, english.pictureFailed(errorText(error)));
    }
    this.element.classList.remove("stale");
    this.element.removeAttribute("aria-busy");
  }

  /** Lights up what a pointer into the scene is about, with its handles: a specimen, an obstacle, a part of the rig; nothing of other things. */
  select(scene: Json, pointer: string): void {
    this.scene = scene;
    this.selected = pointer;
    this.showSelected();
  }

  /** Takes the scene as it is after a change; what is selected stays so. */
  follow(scene: Json): void {
    this.select(scene, this.selected);
  }

  private showSelected(): void {
    const last = this.history.last(this.scene);
    this.undoButton.hidden = last === null;
    this.undoButton.title = last ? english.handleUndo(last.what) : "";
    const handles = this.slider.value === "0" ? handlesAt(this.scene, this.selected) : [];
    this.preview(null);
    this.hint.hidden = handles.length === 0 || !this.view;
    this.handles.show(this.scene, handles, this.lit);
  }

  /** Shows the picture as of the scene with a change: bodies follow at once, as far as their place is all that is other. */
  private preview(made: Made | null): void {
    const { view } = this;
    const scene = made ? withValue(this.scene, made.pointer, made.value) : this.scene;
    const shown = made ?? this.shownLast;
    this.shownLast = made;
    if (shown) this.hand.show(shown.pointer, valueAt(scene, shown.pointer));
    if (!view || this.drawn === null || this.slider.value !== "0") return;
    const moved = handlesAt(scene, this.selected).map((handle) => ({ handle, by: handle.value - lengthAt(this.drawn, handle.pointer) })).filter(({ by }) => Number.isFinite(by) && by !== 0);
    view.displace((drawable, part) => moved.reduce(([x, y, z], { handle: { carried, direction }, by }): Vector => {
      const way = carried(drawable, part) * by;
      return [x + way * direction[0], y + way * direction[1], z + way * direction[2]];
    }, [0, 0, 0] as Vector));
    this.lit = this.light(pointedAt(scene, this.selected));
    const box = moved.some(({ handle: { kind } }) => kind === "size") ? boxAt(scene, this.selected) : null;
    if (box) view.outline((this.lit = box));
  }

  /** The box around a body; null: nothing is lit. */
  private light(what: Pointed | null): Bounds | null {
    const { view } = this;
    if (!view || !what) return view?.lightUp(null) ?? null;
    return view.lightUp((drawable, part) => (what.part === "" ? drawable === what.drawable : part === what.part)) ?? (what.part === "" ? null : view.lightUp((_, part) => part !== "")); /* the rig as a whole */
  }

  private change({ pointer, value, structure }: Made, what: string, byKeys: boolean): void {
    this.shownLast = null;
    this.history.keep({ what, pointer, before: valueAt(this.scene, pointer), after: value, structure }, byKeys);
    this.hand.set(pointer, value, structure);
  }

  /** Takes the last change by hand back. */
  private undo(): void {
    const last = this.history.last(this.scene);
    if (!last) return;
    this.history.drop();
    this.hand.set(last.pointer, last.before, last.structure);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const { target } = event;
    const types = target instanceof HTMLElement && target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || types || !this.history.last(this.scene)) return;
    event.preventDefault();
    this.undo();
  };

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
    if (this.slider.value === "0" || this.handles.element.childElementCount > 2) this.showSelected();
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
      if (found) this.hand.point(pointerOf(this.scene, found));
    });
  }
}

const lengthAt = (scene: Json, pointer: string): number => {
  const value = valueAt(scene, pointer);
  return value === undefined && isObject(scene) ? 0 : inOwnUnit(value, "m"); /* places that are not given are at 0 */
};

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
