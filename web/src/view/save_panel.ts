/** Taking pictures and films away: of the view as it is turned and coloured now, in the size of a paper or a screen. */
import { h, saveFile, setText, styleValue } from "../dom.js";
import type { Frame } from "../recording/record.js";
import { isDark } from "../theme.js";
import { makeFilm } from "./film.js";
import type { ColourKey, PaperChoice } from "./paper.js";
import { popover } from "./popover.js";
import type { View3d } from "./view3d.js";

const SIZES: [string, number, number][] = [["1280 × 720", 1280, 720], ["1920 × 1080", 1920, 1080], ["3840 × 2160 (4k)", 3840, 2160], ["7680 × 4320 (8k)", 7680, 4320], ["1600 × 1600", 1600, 1600], ["1050 × 800 (one column, 89 mm)", 1050, 800], ["2160 × 1200 (two columns, 183 mm)", 2160, 1200]];
const FILM_MOST = 1920; /* pixels of a film's longer side */

/** The frames of the run as far as they are known. */
export interface Frames {
  readonly marks: { seq: number }[];
  load(seq: number): Promise<Frame>;
}

export class SavePanel {
  readonly element: HTMLDetailsElement;
  private readonly size = h("select", {}, ...SIZES.map(([name], i) => h("option", { value: i, selected: i === 1 }, name)));
  private readonly ground = h("select", {}, h("option", { value: "white" }, "white"), h("option", { value: "none" }, "transparent"), h("option", { value: "page" }, "as on the page"));
  private readonly rate = h("select", {}, ...[10, 20, 30, 60].map((rate) => h("option", { value: rate, selected: rate === 20 }, `${rate} fps`)));
  private readonly said = h("p", { class: "save-said", role: "status" });
  private readonly film = h("button", { type: "button", class: "small" }, "Film");
  private making: AbortController | null = null;

  /** @param show shows a frame and its colours   @param key what the legend says now   @param name what files are called */
  constructor(
    private readonly view: View3d,
    private readonly frames: Frames,
    private readonly show: (frame: Frame) => void,
    private readonly key: () => ColourKey | null,
    private readonly name: () => string,
  ) {
    const picture = h("button", { type: "button", class: "small", onclick: () => void this.picture() }, "Picture");
    this.film.addEventListener("click", () => (this.making ? this.making.abort() : void this.makeFilm()));
    this.element = popover("Save", "Picture (PNG) or film (WebM) of the view as it is", h("label", {}, "Size ", this.size), h("label", {}, "Ground ", this.ground), h("label", {}, "Film at ", this.rate), h("div", { class: "save-buttons" }, picture, this.film), this.said);
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
    setText(this.said, blob ? `Saved ${choice.width} × ${choice.height} pixels.` : "This browser has no room for so large a picture: choose a smaller one.");
  }

  private async makeFilm(): Promise<void> {
    const marks = [...this.frames.marks];
    const whole = this.choice();
    const share = Math.min(1, FILM_MOST / Math.max(whole.width, whole.height));
    const even = (pixels: number): number => 2 * Math.round((pixels * share) / 2);
    const choice = { ...whole, width: even(whole.width), height: even(whole.height), ground: whole.ground ?? "#ffffff" };
    this.making = new AbortController();
    setText(this.film, "Stop");
    try {
      const film = await makeFilm({
        ...choice,
        rate: Number(this.rate.value),
        count: marks.length,
        draw: async (index, canvas) => {
          this.show(await this.frames.load(marks[index]?.seq ?? 0));
          this.view.drawInto(canvas, choice, this.key());
        },
        progress: (done) => setText(this.said, `Making the film: ${Math.round(100 * done)} %`),
        signal: this.making.signal,
      });
      if (film) saveFile(`${this.name()}.webm`, film);
      setText(this.said, film ? `Saved ${marks.length} pictures of ${choice.width} × ${choice.height} pixels.` : "Stopped.");
    } catch (error) {
      setText(this.said, `There is no film: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.making = null;
    setText(this.film, "Film");
  }
}
