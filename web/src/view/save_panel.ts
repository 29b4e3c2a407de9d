/** Taking pictures and films away: of the view as it is turned and coloured now, in the size of a paper or a screen. */
import { h, saveFile, setText, styleValue } from "../dom.js";
import * as english from "../english/view.js";
import type { Frame } from "../recording/record.js";
import { isDark } from "../theme.js";
import { makeFilm } from "./film.js";
import type { ColourKey, PaperChoice } from "./paper.js";
import { popover } from "./popover.js";
import type { View3d } from "./view3d.js";

const SIZES: [string, number, number][] = [["1280 × 720", 1280, 720], ["1920 × 1080", 1920, 1080], [english.save.fourK, 3840, 2160], [english.save.eightK, 7680, 4320], ["1600 × 1600", 1600, 1600], [english.save.oneColumn, 1050, 800], [english.save.twoColumns, 2160, 1200]];
const FILM_MOST = 1920; /* pixels of a film's longer side */

/** The frames of the run as far as they are known. */
export interface Frames {
  readonly marks: { seq: number }[];
  load(seq: number): Promise<Frame>;
}

/** Draws the job's curve into a box of a picture, pixels, with a dot at a time, s. `dark`: on a dark ground. */
export type DrawCurve = (context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }, time: number, dark: boolean) => void;

/** What the view shows: a film goes through all frames and ends with the one from which it began. */
export interface Shown {
  now: () => Frame | null;
  show: (frame: Frame) => void; /** also its colours */
}

const VIEW_SHARE = 0.56; /* of a picture's width, where the curve stands beside */
const CURVE_HIGH = 0.8; /* of its width at most */

export class SavePanel {
  readonly element: HTMLDetailsElement;
  private readonly size = h("select", {}, ...SIZES.map(([name], i) => h("option", { value: i, selected: i === 1 }, name)));
  private readonly ground = h("select", {}, h("option", { value: "white" }, english.save.white), h("option", { value: "none" }, english.save.transparent), h("option", { value: "page" }, english.save.asPage));
  private readonly rate = h("select", {}, ...[10, 20, 30, 60].map((rate) => h("option", { value: rate, selected: rate === 20 }, english.saveFramesPerSecond(rate))));
  private readonly beside = h("input", { type: "checkbox" });
  private readonly part = document.createElement("canvas"); /* of the view beside a curve */
  private readonly said = h("p", { class: "save-said", role: "status" });
  private readonly film = h("button", { type: "button", class: "small" }, english.save.film);
  private making: AbortController | null = null;

  /** @param key what the legend says now   @param name what files are called */
  constructor(
    private readonly view: View3d,
    private readonly frames: Frames,
    private readonly shown: Shown,
    private readonly key: () => ColourKey | null,
    private readonly curve: DrawCurve,
    private readonly name: () => string,
  ) {
    const picture = h("button", { type: "button", class: "small", onclick: () => void this.picture() }, english.save.picture);
    this.film.addEventListener("click", () => (this.making ? this.making.abort() : void this.makeFilm()));
    this.element = popover(english.save.name, english.save.title, h("label", {}, english.save.size, " ", this.size), h("label", {}, english.save.ground, " ", this.ground), h("label", {}, english.save.filmAt, " ", this.rate), h("label", { title: english.save.besideTitle }, this.beside, " ", english.save.beside), h("div", { class: "save-buttons" }, picture, this.film), this.said);
  }

  dispose(): void {
    this.making?.abort();
  }

  private choice(): PaperChoice {
    const [, width, height] = SIZES[Number(this.size.value)] ?? ["", 1920, 1080];
    const ground = this.ground.value === "white" ? "#ffffff" : this.ground.value === "none" ? null : styleValue("--view");
    const dark = this.ground.value === "page" && isDark();
    return { width, height, ground, dark };
  }

  /** The view, and the curve beside it where that is asked for. */
  private draw(canvas: HTMLCanvasElement, choice: PaperChoice): void {
    const context = canvas.getContext("2d");
    if (!this.beside.checked || !context) return this.view.drawInto(canvas, choice, this.key());
    const { width, height, ground, dark } = choice;
    const left = 2 * Math.round((VIEW_SHARE * width) / 2);
    if (this.part.width !== left || this.part.height !== height) [this.part.width, this.part.height] = [left, height];
    this.view.drawInto(this.part, { ...choice, width: left }, this.key());
    context.clearRect(0, 0, width, height);
    context.fillStyle = ground ?? "#ffffff";
    if (ground !== null) context.fillRect(0, 0, width, height);
    context.drawImage(this.part, 0, 0);
    const margin = 0.02 * width, wide = width - left - margin, high = Math.min(height - 2 * margin, CURVE_HIGH * wide);
    this.curve(context, { x: left, y: (height - high) / 2, width: wide, height: high }, this.shown.now()?.time ?? 0, dark);
  }

  private async picture(): Promise<void> {
    const choice = this.choice();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [choice.width, choice.height];
    this.draw(canvas, choice);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) saveFile(`${this.name()}.png`, blob);
    setText(this.said, blob ? english.saveSaved(choice.width, choice.height) : english.save.tooLarge);
  }

  private async makeFilm(): Promise<void> {
    const marks = [...this.frames.marks], before = this.shown.now();
    const whole = this.choice();
    const share = Math.min(1, FILM_MOST / Math.max(whole.width, whole.height));
    const even = (pixels: number): number => 2 * Math.round((pixels * share) / 2);
    const choice = { ...whole, width: even(whole.width), height: even(whole.height), ground: whole.ground ?? "#ffffff" };
    this.making = new AbortController();
    setText(this.film, english.save.stop);
    try {
      const film = await makeFilm({
        ...choice,
        rate: Number(this.rate.value),
        count: marks.length,
        draw: async (index, canvas) => {
          this.shown.show(await this.frames.load(marks[index]?.seq ?? 0));
          this.draw(canvas, choice);
        },
        progress: (done) => setText(this.said, english.saveMaking(Math.round(100 * done))),
        signal: this.making.signal,
      });
      if (film) saveFile(`${this.name()}.webm`, film);
      setText(this.said, film ? english.saveSavedFilm(marks.length, choice.width, choice.height) : english.save.stopped);
    } catch (error) {
      setText(this.said, english.saveFailed(error instanceof Error ? error.message : String(error)));
    }
    if (before) this.shown.show(before);
    this.making = null;
    setText(this.film, english.save.film);
  }
}
