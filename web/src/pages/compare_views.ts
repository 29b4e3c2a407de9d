/** Pictures of compared runs beside each other, some at a time: one clock for all, and one camera unless they are turned by themselves. Brings
 *  three.js along. */
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { quantity } from "../format.js";
import { jobAddress } from "../router.js";
import { Run } from "../run.js";
import type { Job } from "../service/api.js";
import type { LiveStream } from "../service/stream.js";
import type { Topology } from "../recording/topology.js";
import { ColourPanel } from "../view/fields/colour_panel.js";
import type { Camera } from "../view/cameras.js";
import { View3d } from "../view/view3d.js";
import { errorText } from "./messages.js";

export const MOST = 6; /* pictures at once: a browser has few contexts to draw in */
const STEPS = 1000; /* of the clock */
const PLAY_MS = 60;
const PLAY_STEPS = 8;

/** One run's picture. */
class Tile {
  readonly element: HTMLElement;
  view: View3d | null = null;
  private readonly run: Run;
  private readonly place = h("div", { class: "compare-place" });
  private readonly said = h("span", { class: "soft" });
  private colours: ColourPanel | null = null;
  private shown = -1; /* seq */
  private wanted = 0; /* s */
  private busy = false;

  constructor(
    stream: LiveStream,
    job: Job,
    private readonly marks: () => void,
    private readonly made: (view: View3d) => void,
  ) {
    this.run = new Run(job.id, stream);
    this.element = h("div", { class: "compare-tile", "data-job": job.id }, h("p", { class: "compare-name" }, h("a", { href: jobAddress(job.id) }, `#${job.id} ${job.title || job.name}`), " ", this.said), this.place);
    this.run.onFrame.add((_, drawn) => drawn()); /* the clock says what is shown */
    this.run.onTopology.add((topology) => this.build(topology));
    this.run.frames.onMarks.add(() => (this.marks(), void this.show(this.wanted)));
  }

  dispose(): void {
    this.run.close();
    this.colours?.dispose();
    this.view?.dispose();
  }

  /** When its last frame is, s. */
  get end(): number {
    return this.run.frames.marks[this.run.frames.marks.length - 1]?.time ?? 0;
  }

  private build(topology: Topology): void {
    try {
      const view = new View3d(topology, this.run.geometries);
      this.view = view;
      this.colours = new ColourPanel(topology, view.noise, (drawable, colouring) => view.setColouring(drawable, colouring));
      if (view.hasSurfaces) view.setSurface(true);
      view.element.append(this.colours.legend);
      view.canvas.setAttribute("aria-label", english.viewsLabel(this.run.id));
      this.place.replaceChildren(view.element);
      this.element.append(h("div", { class: "compare-controls" }, this.colours.controls));
      this.made(view);
      void this.show(this.wanted);
    } catch {
      this.place.replaceChildren(h("p", { class: "soft" }, english.views.noWebGL));
    }
  }

  /** Shows the last frame at or before a time. */
  async show(time: number): Promise<void> {
    this.wanted = time;
    if (this.busy || !this.view) return;
    const { frames } = this.run;
    const mark = [...frames.marks].reverse().find((one) => one.time <= time * (1 + 1e-9)) ?? frames.marks[0];
    if (!mark || mark.seq === this.shown) return;
    this.busy = true;
    try {
      const frame = await frames.load(mark.seq);
      this.shown = mark.seq;
      this.colours?.update(frame);
      this.view.show(frame, () => undefined);
      setText(this.said, quantity(frame.time, "s", 4));
      this.element.dataset["time"] = String(frame.time);
    } catch (error) {
      setText(this.said, errorText(error));
      this.shown = mark.seq;
    }
    this.busy = false;
    if (this.wanted !== time) void this.show(this.wanted);
  }
}

export class CompareViews {
  readonly element: HTMLElement;
  private tiles: Tile[] = [];
  private first = 0; /* place of the first run that is shown */
  private camera: Camera | null = null; /* the last that somebody chose */
  private readonly clock = h("input", { type: "range", min: 0, max: STEPS, step: 1, value: STEPS, "aria-label": english.views.clock });
  private readonly time = h("span", { class: "picture-time" });
  private readonly together = h("input", { type: "checkbox", checked: true });
  private readonly play = h("button", { type: "button", class: "small" }, english.views.play);
  private timer: ReturnType<typeof setInterval> | undefined;
  private following = false; /* a camera is being moved after another */

  private readonly shown = h("div", { class: "compare-tiles" });
  private readonly which = h("span", { class: "soft", "aria-live": "polite" });
  private readonly previous = h("button", { type: "button", class: "small", "aria-label": english.views.previous, onclick: () => this.turn(-MOST) }, "‹");
  private readonly next = h("button", { type: "button", class: "small", "aria-label": english.views.next, onclick: () => this.turn(MOST) }, "›");

  /** @param paged is told whose pictures are shown */
  constructor(
    private readonly stream: LiveStream,
    private readonly jobs: Job[],
    private readonly paged: (shown: Job[]) => void,
  ) {
    this.clock.addEventListener("input", () => this.show());
    this.together.addEventListener("change", () => {
      const [first] = this.tiles;
      if (this.together.checked && first?.view) this.follow(first.view);
    });
    this.play.addEventListener("click", () => this.toggle());
    const fit = h("button", { type: "button", class: "small", onclick: () => this.tiles[0]?.view?.viewpoint.fit(true) }, english.views.fit);
    const pages = jobs.length > MOST ? h("div", { class: "picture-row" }, this.previous, this.which, this.next) : null;
    this.element = h("section", { class: "card compare-views", "aria-label": english.views.title }, h("div", { class: "picture-row" }, this.play, this.clock, this.time, h("label", {}, this.together, " ", english.views.oneCamera), fit), pages, this.shown);
    this.turn(0);
  }

  dispose(): void {
    clearInterval(this.timer);
    for (const tile of this.tiles) tile.dispose();
  }

  /** Shows the runs so many places further on, at the same time and with the same camera. */
  private turn(by: number): void {
    const time = this.now;
    for (const tile of this.tiles) tile.dispose();
    this.first += by;
    const jobs = this.jobs.slice(this.first, this.first + MOST);
    this.tiles = jobs.map((job) => new Tile(this.stream, job, () => this.show(), (view) => this.join(view)));
    this.shown.replaceChildren(...this.tiles.map(({ element }) => element));
    setText(this.which, english.viewsRuns(this.first + 1, this.first + jobs.length, this.jobs.length));
    this.previous.disabled = this.first === 0;
    this.next.disabled = this.first + jobs.length >= this.jobs.length;
    this.paged(jobs);
    for (const tile of this.tiles) void tile.show(time);
    this.show();
  }

  private join(view: View3d): void {
    view.viewpoint.onChoice(() => this.together.checked && this.follow(view));
    if (this.camera && this.together.checked) view.viewpoint.camera = this.camera;
  }

  private follow(leader: View3d): void {
    if (this.following || !leader.viewpoint.chosen) return;
    this.following = true;
    this.camera = leader.viewpoint.camera;
    for (const { view } of this.tiles) if (view && view !== leader) view.viewpoint.camera = leader.viewpoint.camera;
    this.following = false;
  }

  /** The time that the clock shows, s. */
  private get now(): number {
    return (Number(this.clock.value) / STEPS) * Math.max(...this.tiles.map((tile) => tile.end), 0);
  }

  private show(): void {
    const time = this.now;
    setText(this.time, quantity(time, "s", 4));
    this.clock.setAttribute("aria-valuetext", quantity(time, "s", 4));
    for (const tile of this.tiles) void tile.show(time);
  }

  private toggle(): void {
    if (this.timer !== undefined) return this.pause();
    if (Number(this.clock.value) >= STEPS) this.clock.value = "0";
    setText(this.play, english.views.pause);
    this.timer = setInterval(() => {
      this.clock.value = String(Number(this.clock.value) + PLAY_STEPS);
      this.show();
      if (Number(this.clock.value) >= STEPS) this.pause();
    }, PLAY_MS);
  }

  private pause(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    setText(this.play, english.views.play);
  }
}
