/** Above the time line: the stages of a run as named bands, and a tick for every other event. */
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { quantity } from "../format.js";
import type { FrameMark } from "../recording/frames.js";
import type { RunEvent } from "../run.js";

const TICKS_MOST = 200; /* more could not be told apart; the first are kept, as all stand in the list of events */
const ROUNDING = 1e-9;

/** Where a time is on the slider, whose steps are frames: 0 at the first, 1 at the last. Times between two frames lie between them. */
export function placeOf(marks: readonly FrameMark[], time: number): number {
  const last = marks.length - 1;
  if (last < 1) return 0;
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((marks[middle]?.time ?? Infinity) <= time * (1 + ROUNDING)) low = middle;
    else high = middle - 1;
  }
  const [from, to] = [marks[low]?.time ?? 0, marks[low + 1]?.time ?? Infinity];
  const part = low < last && to > from ? Math.min(1, Math.max(0, (time - from) / (to - from))) : 0;
  return Math.min(1, (low + part) / last);
}

export interface StageBand {
  label: string;
  from: number; /** s */
  to: number; /** s, Infinity for the one that goes on */
}

/** The stages that events tell of, each up to the next. */
export function stagesOf(events: readonly RunEvent[]): StageBand[] {
  const entered = events.filter(({ kind }) => kind === "stage");
  return entered.map((event, i) => ({ label: event.label || event.message, from: event.time, to: entered[i + 1]?.time ?? Infinity }));
}

/** The stage at a time; "" before the first. */
export function stageAt(events: readonly RunEvent[], time: number): string {
  return stagesOf(events).filter(({ from }) => from <= time * (1 + ROUNDING)).pop()?.label ?? "";
}

export class TimeMarks {
  readonly element = h("div", { class: "marks", "aria-hidden": "true" }); /* the list of events tells the same */
  private laid = "";

  /** @param time that is shown, s */
  update(events: readonly RunEvent[], marks: readonly FrameMark[], time: number | null): void {
    const last = marks[marks.length - 1];
    const key = `${events.length}/${marks.length}/${last?.seq ?? 0}`;
    if (key !== this.laid) {
      this.laid = key;
      this.element.replaceChildren(...this.bands(events, marks), ...this.ticks(events, marks));
    }
    stagesOf(events).forEach(({ from, to }, i) => {
      const band = this.element.children[i];
      band?.classList.toggle("current", time !== null && time * (1 + ROUNDING) >= from && time < to);
    });
  }

  private bands(events: readonly RunEvent[], marks: readonly FrameMark[]): HTMLElement[] {
    return stagesOf(events).map(({ label, from, to }) => {
      const [start, end] = [placeOf(marks, from), to === Infinity ? 1 : placeOf(marks, to)];
      const band = h("span", { class: "stage-band", title: english.timelineStage(label, quantity(from, "s", 4)) });
      setText(band, label);
      band.style.left = `${(100 * start).toFixed(2)}%`;
      band.style.width = `${(100 * Math.max(0, end - start)).toFixed(2)}%`;
      return band;
    });
  }

  private ticks(events: readonly RunEvent[], marks: readonly FrameMark[]): HTMLElement[] {
    return events.filter(({ kind }) => kind !== "stage").slice(0, TICKS_MOST).map(({ kind, message, time }) => {
      const tick = h("span", { class: `event-tick event-${kind.replace(/[^a-z_]/g, "")}`, title: `${quantity(time, "s", 4)}: ${message}` });
      tick.style.left = `${(100 * placeOf(marks, time)).toFixed(2)}%`;
      return tick;
    });
  }
}
