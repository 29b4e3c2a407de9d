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

export class SavePanel {
  readonly element: HTMLDetailsElement;
  private readonly size = h("select", {}, ...SIZES.map(([name], i) => h("option", { value: i, selected: i === 1 }, name)));
  private readonly ground = h("select", {}, h("option", { value: "white" }, english.save.white), h("option", { value: "none" }, english.save.transparent), h("option", { value: "page" }, english.save.asPage));
  private readonly rate = h("select", {}, ...[10, 20, 30, 60].map((rate) => h("option", { value: rate, selected: rate === 20 }, english.saveFramesPerSecond(rate))));
  private readonly said = h("p", { class: "save-said", role: "status" });
  private readonly film = h("button", { type: "button", class: "small" }, english.save.film);
  private making: AbortController | null = null;

  /** @param show shows a frame and its colours   @param key what the legend says now   @param name what files are called */
  constructor(
    private readonly view: View3d,
    private readonly frames: Frames,
    private readonly show: (frame: Frame) => void,
    private readonly key: () => ColourKey | null,
    private readonly name: () => string,
  ) {
    const picture = h("button", { type: "button", class: "small", onclick: () => void this.picture() }, english.save.picture);
    this.film.addEventListener("click", () => (this.making ? this.making.abort() : void this.makeFilm()));
    this.element = popover(english.save.name, english.save.title, h("label", {}, english.save.size, " ", this.size), h("label", {}, english.save.ground, " ", this.ground), h("label", {}, english.save.filmAt, " ", this.rate), h("div", { class: "save-buttons" }, picture, this.film), this.said);
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

  private async picture(): Promise<void> {
    const choice = this.choice();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [choice.width, choice.height];
    this.view.drawInto(canvas, choice, this.key());
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) saveFile(`${this.name()}.png`, blob);
    setText(this.said, blob ? english.saveSaved(choice.width, choice.height) : english.save.tooLarge);
  }

  private async makeFilm(): Promise<void> {
    const marks = [...this.frames.marks];
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
          this.show(await this.frames.load(marks[index]?.seq ?? 0));
          this.view.drawInto(canvas, choice, this.key());
        },
        progress: (done) => setText(this.said, english.saveMaking(Math.round(100 * done))),
        signal: this.making.signal,
      });
      if (film) saveFile(`${this.name()}.webm`, film);
      setText(this.said, film ? english.saveSavedFilm(marks.length, choice.width, choice.height) : english.save.stopped);
    } catch (error) {
      setText(this.said, english.saveFailed(error instanceof Error ? error.message : String(error)));
    }
    this.making = null;
    setText(this.film, english.save.film);
  }
}
