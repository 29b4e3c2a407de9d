/** What the 3D view shows and when: the newest live frame, a frame picked on the time line, or one after the other. */
import * as english from "./english/frame.js";
import type { FrameStore } from "./recording/frames.js";
import { Listeners } from "./service/listeners.js";
import type { Frame } from "./recording/record.js";

export type PlayerMode = "live" | "paused" | "playing";

export const RATES = [5, 10, 20, 30, 60];
const PREFETCH = 6;

export class Player {
  mode: PlayerMode = "live";
  rate = 20; /** frames per second while playing */
  shown: Frame | null = null;
  readonly onChange = new Listeners();
  readonly onTrouble = new Listeners<[string]>();
  private wanted = -1; /** seq asked for last: answers for earlier ones are dropped */
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly frames: FrameStore,
    private readonly draw: (frame: Frame, drawn: () => void) => void,
    /** Whether more frames are to come: then playing past the last one goes over into the live view. */
    private readonly goesOn: () => boolean,
  ) {}

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Place of the shown frame among those known, -1 before the first. */
  get index(): number {
    return this.shown ? this.frames.indexOf(this.shown.seq) : -1;
  }

  /** A frame came from the running job. */
  receive(frame: Frame, drawn: () => void): void {
    if (this.mode === "live" || !this.shown) this.show(frame, drawn);
    else drawn();
  }

  live(): void {
    this.setMode("live");
    void this.goTo(this.frames.marks.length - 1);
  }

  pause(): void {
    this.setMode("paused");
  }

  toggle(): void {
    if (this.mode === "playing") this.pause();
    else this.play();
  }

  play(): void {
    const last = this.frames.marks.length - 1;
    if (last < 1) return;
    const from = this.index >= last ? 0 : this.index;
    this.setMode("playing");
    void this.goTo(from).then(() => this.schedule());
  }

  /** Shows one frame and stands still there. */
  seek(index: number): void {
    this.setMode("paused");
    void this.goTo(index);
  }

  /** From the frame that is being loaded, if one is: a key held down goes on while frames are on their way. */
  step(by: number): void {
    const coming = this.wanted < 0 ? -1 : this.frames.indexOf(this.wanted);
    this.seek((coming < 0 ? this.index : coming) + by);
  }

  /** Loads the frame shown once more, when frames are to be had in another form. */
  again(): void {
    if (this.shown) void this.goTo(this.index);
  }

  private setMode(mode: PlayerMode): void {
    this.close();
    this.mode = mode;
    this.onChange.call();
  }

  private schedule(): void {
    if (this.mode !== "playing" || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      const next = this.index + 1;
      if (next >= this.frames.marks.length) return this.setMode(this.goesOn() ? "live" : "paused");
      void this.goTo(next).then(() => this.schedule());
    }, 1000 / this.rate);
  }

  private async goTo(index: number): Promise<void> {
    const mark = this.frames.marks[Math.min(this.frames.marks.length - 1, Math.max(0, index))];
    if (!mark) return;
    this.wanted = mark.seq;
    if (this.mode === "playing") this.frames.prefetch(index + 1, PREFETCH);
    try {
      const frame = await this.frames.load(mark.seq);
      if (this.wanted === mark.seq) this.show(frame, () => undefined);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      this.onTrouble.call(english.playerTrouble(error instanceof Error ? error.message : String(error)));
      if (this.mode === "playing") this.setMode("paused");
    }
  }

  private show(frame: Frame, drawn: () => void): void {
    this.wanted = frame.seq;
    this.shown = frame;
    this.draw(frame, drawn);
    this.onChange.call();
  }
}
