/** What the scene will cost, or why it can't run. Checks by itself shortly after every change, and on request. */
import { ApiError, checkScene, type Estimate, type Gap, type SceneProblem, type Sharing } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { bytes, count, duration, quantity } from "../format.js";
import { errorText } from "../pages/messages.js";
import type { Json } from "../json.js";
import type { SceneDocument } from "./document.js";
import type { EmptyField } from "./empty.js";
import { mendsOf } from "./mend.js";

const WAIT_MS = 350; /* after the last keystroke */

/** What the run is made of, as far as there is any. */
function counted(e: Estimate): [string, string][] {
  return e.counts.filter((one) => one.value > 0).map((one) => [one.label, count(one.value)]);
}

export class CheckPanel {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "check-body", "aria-live": "polite" });
  private timer: ReturnType<typeof setTimeout> | null = null;
  private asked: AbortController | null = null;
  private gaps: Gap[] = []; /* of the scene that was checked last */

  /** @param show receives the problems found, none when the scene can run   @param jump goes to a problem's field */
  constructor(
    private readonly document: SceneDocument,
    private readonly show: (problems: SceneProblem[]) => void,
    private readonly jump: (pointer: string) => void,
    /** Whether the document is what the user sees: no text that is not JSON stands in the editor. */
    private readonly whole: () => boolean,
    /** Receives each scene that was found valid, and with null of each change since. */
    private readonly sound: (scene: Json | null, gaps: Gap[], sharing: Sharing | null) => void,
    /** Required fields without a value. */
    private readonly empty: () => EmptyField[],
    /** Where it is to run; "": where the server sends it. */
    private readonly executor: () => string,
    /** Resolves when nothing that a verdict would move is held down by a pointer. */
    private readonly settled: () => Promise<void>,
  ) {
    const button = h("button", { type: "button", onclick: () => (this.whole() ? void this.check() : this.showBroken()) }, english.check.title);
    this.element = h("section", { class: "card check", "aria-label": english.check.title }, h("div", { class: "card-head" }, h("h2", {}, english.check.estimate), button), this.body);
    document.onChange.add(() => this.later());
    void this.check();
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
  }

  /** Judges the scene anew: it is to run elsewhere. */
  again(): void {
    if (this.whole()) void this.check();
  }

  /** Shows problems that came with another answer, such as that to a submission. */
  showProblems(problems: SceneProblem[]): void {
    this.show(problems);
    const heading = english.checkRefused(problems.length);
    this.body.replaceChildren(h("p", { class: "check-refused" }, heading), this.list(problems));
  }

  /** Takes the verdict back: what stands in the editor is not a scene. */
  showBroken(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
    this.element.removeAttribute("aria-busy");
    this.show([]);
    this.body.replaceChildren(h("p", { class: "check-refused" }, english.check.notJson));
  }

  /** There is no scene to be judged yet. */
  private showEmpty(empty: EmptyField[]): void {
    this.element.removeAttribute("aria-busy");
    const problems = empty.map(({ pointer, label }): SceneProblem => ({ pointer, given: "", allowed: "", detail: english.checkStillEmpty(label) }));
    this.show(problems);
    this.body.replaceChildren(h("p", { class: "check-empty" }, english.checkEmpty(empty.length)), this.list(problems));
  }

  private list(problems: SceneProblem[]): HTMLElement {
    const items = problems.map((problem) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => this.jump(problem.pointer) }, problem.pointer || english.check.wholeScene), h("span", {}, problem.detail), ...this.menders(problem)));
    return h("ul", { class: "problem-list" }, ...items);
  }

  /** A button for each way to mend it. */
  private menders(problem: SceneProblem): HTMLElement[] {
    return mendsOf(problem, this.document.scene, this.gaps).map(({ label, scene }) => h("button", { type: "button", class: "small", onclick: () => this.document.set("", scene, true) }, label));
  }

  private later(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.sound(null, [], null);
    this.element.setAttribute("aria-busy", "true"); /* the verdict that stands is that of another scene */
    this.timer = setTimeout(() => void this.check(), WAIT_MS);
  }

  private async check(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    const empty = this.empty();
    if (empty.length > 0) {
      await this.settled();
      if (!asked.signal.aborted) this.showEmpty(empty);
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    try {
      const { scene } = this.document;
      const { estimate, warnings, gaps, sharing } = await checkScene(scene, this.executor(), asked.signal);
      if (asked.signal.aborted) return;
      this.sound(scene, gaps, sharing);
      await this.settled();
      if (asked.signal.aborted) return;
      this.gaps = gaps;
      this.show([]);
      this.showEstimate(estimate, warnings);
    } catch (error) {
      await this.settled();
      if (asked.signal.aborted) return;
      if (error instanceof ApiError && error.errors.length > 0) this.showProblems(error.errors);
      else {
        this.show([]);
        this.body.replaceChildren(h("p", { class: "check-refused" }, errorText(error)));
      }
    }
    this.element.removeAttribute("aria-busy");
  }

  private showEstimate(e: Estimate, warnings: SceneProblem[]): void {
    const rows: [string, string][] = [
      ...counted(e),
      [english.check.memory, bytes(e.memory_bytes)],
      [english.check.timeStep, `${quantity(e.time_step, "s")}${e.time_step_rule === "" ? "" : ` (${e.time_step_rule})`}`],
      [english.check.steps, count(e.step_count)],
      [english.check.frames, count(e.frame_count)],
      [english.check.recording, bytes(e.record_bytes)],
      [english.check.runTime, duration(e.run_seconds)],
    ];
    this.body.replaceChildren(h("dl", { class: "facts" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))), h("p", { class: "check-ok" }, english.check.sound));
    if (warnings.length === 0) return;
    const heading = english.checkUnusual(warnings.length);
    this.body.append(h("p", { class: "check-warned" }, heading), this.list(warnings));
  }
}
