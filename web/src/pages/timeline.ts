/** Play, pause, step, scrub, live: below the 3D view. */
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { quantity } from "../format.js";
import type { FrameStore } from "../recording/frames.js";
import { RATES, type Player } from "../player.js";
import type { RunEvent } from "../run.js";
import { stageAt, TimeMarks } from "./marks.js";

export class Timeline {
  readonly element: HTMLElement;
  private readonly playButton = h("button", { type: "button", class: "play", title: english.timeline.playTitle });
  private readonly slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": english.timeline.shown });
  private readonly time = h("output", { class: "time" });
  private readonly liveButton = h("button", { type: "button", class: "live", title: english.timeline.liveTitle }, english.timeline.live);
  private readonly marks = new TimeMarks();
  private running = false;

  /** `events` of the run so far; call `update` when one came. */
  constructor(
    private readonly player: Player,
    private readonly frames: FrameStore,
    private readonly events: readonly RunEvent[],
  ) {
    this.playButton.addEventListener("click", () => player.toggle());
    this.liveButton.addEventListener("click", () => player.live());
    this.slider.addEventListener("input", () => player.seek(Number(this.slider.value)));
    const rate = h("select", { "aria-label": english.timeline.rate, class: "rate" }, ...RATES.map((r) => h("option", { value: r, selected: r === player.rate }, english.timelineFramesPerSecond(r))));
    rate.addEventListener("change", () => (player.rate = Number(rate.value)));
    const back = h("button", { type: "button", class: "step", title: english.timeline.backTitle, "aria-label": english.timeline.back, onclick: () => player.step(-1) }, "‹");
    const on = h("button", { type: "button", class: "step", title: english.timeline.forwardTitle, "aria-label": english.timeline.forward, onclick: () => player.step(1) }, "›");
    this.element = h("div", { class: "timeline", role: "group", "aria-label": english.timeline.title }, this.playButton, back, on, h("div", { class: "scrubber" }, this.marks.element, this.slider), this.time, rate, this.liveButton);
    player.onChange.add(() => this.update());
    frames.onMarks.add(() => this.update());
    this.update();
  }

  /** Whether the run still goes on, so that there is something live. */
  setRunning(running: boolean): void {
    this.running = running;
    this.update();
  }

  update(): void {
    const { marks } = this.frames;
    const { mode, shown } = this.player;
    this.slider.max = String(Math.max(0, marks.length - 1));
    this.slider.disabled = marks.length < 2;
    const index = Math.max(0, this.player.index);
    if (mode !== "paused" || document.activeElement !== this.slider) this.slider.value = String(index);
    const time = shown ? quantity(shown.time, "s", 4) : "–";
    const stage = shown ? stageAt(this.events, shown.time) : "";
    this.slider.setAttribute("aria-valuetext", stage === "" ? time : `${time}, ${stage}`);
    this.marks.update(this.events, marks, shown ? shown.time : null);
    setText(this.time, `${time} · ${marks.length === 0 ? 0 : index + 1}/${marks.length}`);
    setText(this.playButton, mode === "playing" ? english.timeline.pause : english.timeline.play);
    this.playButton.disabled = marks.length < 2;
    this.liveButton.hidden = !this.running;
    this.liveButton.setAttribute("aria-pressed", String(mode === "live"));
  }
}
