/** What of the run is shown: a box along the axes, all but what was hidden by a press, and arrows for vectors. */
import { h, setText } from "../dom.js";
import * as english from "../english/view.js";
import { heading, quantity } from "../format.js";
import { fieldsToHideBy, type Hidden } from "../recording/hidden.js";
import { arrayValue, type Frame, type FrameBlock } from "../recording/record.js";
import { distance, followedOf, lengthOf, placeIn } from "../recording/paths.js";
import type { Drawable, Vector } from "../recording/topology.js";
import { vectorChoices, vectorsOf, type Vectors } from "../recording/vectors.js";
import type { ClipShares } from "./clip.js";
import { popover } from "./popover.js";
import type { Frames } from "./save_panel.js";

interface Target {
  readonly canvas: HTMLCanvasElement;
  setHidden(hidden: Hidden[]): void;
  setVectors(vectors: Vectors | null, factor: number): number;
  setPaths(paths: Vector[][]): void;
  elementAt(x: number, y: number): { drawable: number; element: number; block: FrameBlock } | null;
}

const ARROWS_MOST = 4000; /* more are a blur, and take a program long to draw */
const PATH_FRAMES = 400; /* at most, evenly spread over the run */
const PRESS_PIXELS = 4; /* a pointer that moved further turned the view */
const LEAST_SHARE = 0.01; /* of the bounds, between both ends of the box */

export class PartsPanel {
  readonly element: HTMLDetailsElement;
  private readonly ends: [HTMLInputElement, HTMLInputElement][];
  private readonly hideBy: HTMLSelectElement;
  private readonly showAll = h("button", { type: "button", class: "small", hidden: true, onclick: () => this.unhide() }, english.parts.showAll);
  private readonly vectors: HTMLSelectElement;
  private readonly length = h("input", { type: "range", min: 0.25, max: 8, step: 0.25, value: 1, "aria-label": english.parts.lengthLabel });
  private readonly said = h("p", { class: "save-said", role: "status" });
  private readonly names: string[];
  private readonly follow = h("input", { type: "checkbox" });
  private readonly clearPaths = h("button", { type: "button", class: "small", hidden: true, onclick: () => this.putPaths([]) }, english.parts.clearPaths);
  private readonly path = h("p", { class: "save-said", role: "status" });
  private paths: Vector[][] = [];
  private hidden: Hidden[] = [];
  private frame: Frame | null = null;
  private asked = 0; /* arrows that are made, so that late ones of an older frame are not shown */
  private pressed: [number, number] | null = null;
  private readonly abort = new AbortController();

  /** @param clip is told which box is shown, null: everything */
  constructor(
    private readonly target: Target,
    private readonly drawables: Drawable[],
    private readonly frames: Frames & { readonly marks: { seq: number }[] },
    private readonly clip: (box: ClipShares | null) => void,
  ) {
    const slider = (label: string, value: number): HTMLInputElement => h("input", { type: "range", min: 0, max: 1, step: 0.01, value, "aria-label": label });
    this.ends = ["x", "y", "z"].map((axis) => [slider(english.partsFromAlong(axis), 0), slider(english.partsToAlong(axis), 1)]);
    this.ends.forEach(([from, to]) => {
      from.addEventListener("input", () => this.box(from, to, from));
      to.addEventListener("input", () => this.box(from, to, to));
    });
    this.names = [...new Set(drawables.flatMap((drawable) => fieldsToHideBy(drawable).map(({ name }) => name)))];
    this.hideBy = h("select", {}, h("option", { value: "" }, english.parts.nothing), ...this.names.map((name) => h("option", { value: name }, heading(name).toLowerCase())));
    this.hideBy.addEventListener("change", () => (target.canvas.style.cursor = this.hideBy.value === "" ? "" : "crosshair"));
    const choices = vectorChoices(drawables);
    this.vectors = h("select", {}, h("option", { value: -1 }, english.parts.noArrows), ...choices.map(({ name }, i) => h("option", { value: i }, heading(name).toLowerCase())));
    for (const input of [this.vectors, this.length]) input.addEventListener("input", () => void this.lay());
    const rows = this.ends.map(([from, to], i) => h("div", { class: "box-row" }, h("span", {}, ["x", "y", "z"][i] ?? ""), from, to));
    const reset = h("button", { type: "button", class: "small", onclick: () => this.wholeBox() }, english.parts.whole);
    this.element = popover(
      english.parts.name,
      english.parts.title,
      h("div", { class: "box-rows", role: "group", "aria-label": english.parts.box }, h("div", { class: "box-row" }, h("span", {}), h("span", {}, english.parts.from), h("span", {}, english.parts.to)), ...rows, reset),
      this.names.length > 0 ? h("label", { title: english.parts.hideTitle }, english.parts.hide, " ", this.hideBy) : null,
      this.showAll,
      choices.length > 0 ? h("label", { title: english.parts.arrowsTitle }, english.parts.arrows, " ", this.vectors) : null,
      choices.length > 0 ? h("label", {}, english.parts.length, " ", this.length) : null,
      this.said,
      h("label", { title: english.parts.followTitle }, this.follow, " ", english.parts.follow),
      this.clearPaths,
      this.path,
    );
    const { signal } = this.abort;
    target.canvas.addEventListener("pointerdown", (event) => (this.pressed = [event.clientX, event.clientY]), { signal });
    target.canvas.addEventListener("pointerup", (event) => this.released(event), { signal });
  }

  dispose(): void {
    this.abort.abort();
  }

  /** Another frame is shown. */
  async show(frame: Frame): Promise<void> {
    this.frame = frame;
    await this.lay();
  }

  private box(from: HTMLInputElement, to: HTMLInputElement, moved: HTMLInputElement): void {
    if (Number(to.value) - Number(from.value) < LEAST_SHARE) {
      if (moved === from) from.value = String(Math.max(0, Number(to.value) - LEAST_SHARE));
      else to.value = String(Math.min(1, Number(from.value) + LEAST_SHARE));
    }
    this.applyBox();
  }

  private applyBox(): void {
    const shares = this.ends.map(([from, to]) => [Number(from.value), Number(to.value)]) as ClipShares;
    this.clip(shares.every(([from, to]) => from === 0 && to === 1) ? null : shares);
  }

  private wholeBox(): void {
    for (const [from, to] of this.ends) [from.value, to.value] = ["0", "1"];
    this.applyBox();
  }

  private released(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    if (!from || (this.hideBy.value === "" && !this.follow.checked) || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > PRESS_PIXELS) return;
    const box = this.target.canvas.getBoundingClientRect();
    const found = this.target.elementAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    const drawable = found && this.drawables.find(({ id }) => id === found.drawable);
    if (found && drawable && this.follow.checked) return void this.trace(drawable, found);
    const choice = drawable && fieldsToHideBy(drawable).find(({ name }) => name === this.hideBy.value);
    if (found && choice) this.hide(found, choice.field);
  }

  /** Draws where an element goes in the run, as far as its frames are there. */
  private async trace(drawable: Drawable, { element, block }: { element: number; block: FrameBlock }): Promise<void> {
    const followed = followedOf(drawable, block, element);
    const { marks } = this.frames;
    const every = Math.max(1, Math.ceil(marks.length / PATH_FRAMES));
    const path: Vector[] = [];
    for (const [k, { seq }] of marks.entries()) {
      if (k % every !== 0 && k !== marks.length - 1) continue;
      const place = placeIn(await this.frames.load(seq), followed);
      if (place) path.push(place);
    }
    const [first] = path;
    const last = path[path.length - 1];
    if (!first || !last || path.length < 2) return setText(this.path, english.parts.noPath);
    this.putPaths([...this.paths, path]);
    setText(this.path, english.partsPath(quantity(lengthOf(path), "m", 3), quantity(distance(first, last), "m", 3), path.length));
  }

  private putPaths(paths: Vector[][]): void {
    this.paths = paths;
    this.clearPaths.hidden = paths.length === 0;
    if (paths.length === 0) setText(this.path, "");
    this.target.setPaths(paths);
  }

  private hide({ drawable, element, block }: { drawable: number; element: number; block: FrameBlock }, field: number): void {
    const array = block.arrays.find((one) => one.field === field && one.components === 1);
    if (field >= 0 && !array) return;
    const value = array ? arrayValue(array, element) : this.listed(drawable, element);
    const known = this.hidden.find((one) => one.drawable === drawable && one.field === field);
    this.hidden = known ? this.hidden.map((one) => (one === known ? { ...one, values: new Set([...one.values, value]) } : one)) : [...this.hidden, { drawable, field, values: new Set([value]) }];
    this.applyHidden();
  }

  /** The place in the run's list of an element that is so far down the list of those shown. */
  private listed(drawable: number, shown: number): number {
    const gone = this.hidden.find((one) => one.drawable === drawable && one.field < 0)?.values ?? new Set<number>();
    let place = -1;
    for (let left = shown; left >= 0; left -= gone.has(place) ? 0 : 1) place++;
    return place;
  }

  private unhide(): void {
    this.hidden = [];
    this.applyHidden();
  }

  private applyHidden(): void {
    const many = this.hidden.reduce((sum, { values }) => sum + values.size, 0);
    this.showAll.hidden = many === 0;
    setText(this.showAll, english.partsShowHidden(many));
    this.target.setHidden(this.hidden);
    void this.lay();
  }

  /** Makes the arrows of the frame that is shown. */
  private async lay(): Promise<void> {
    const { frame } = this;
    const choice = vectorChoices(this.drawables)[Number(this.vectors.value)];
    const asked = ++this.asked;
    if (!frame || !choice) {
      this.target.setVectors(null, 1);
      return setText(this.said, "");
    }
    const index = this.frames.marks.findIndex(({ seq }) => seq === frame.seq);
    const mark = choice.field < 0 && index > 0 ? this.frames.marks[index - 1] : undefined;
    const before = mark ? await this.frames.load(mark.seq).catch(() => null) : null;
    if (asked !== this.asked) return;
    const vectors = vectorsOf(frame, before, this.drawables, choice, ARROWS_MOST, this.hidden);
    const drawn = this.target.setVectors(vectors, Number(this.length.value));
    const none = choice.field >= 0 ? english.parts.zero : before ? english.parts.still : english.parts.firstFrame;
    setText(this.said, drawn > 0 ? english.partsDrawn(drawn, quantity(vectors.longest, choice.unit, 3)) : none);
  }
}
