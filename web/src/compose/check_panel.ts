/** What the scene will cost, or why it can't run. Checks by itself shortly after every change, and on request. */
import { ApiError, checkScene, type Estimate, type Gap, type SceneProblem } from "../service/api.js";
import { h } from "../dom.js";
import { bytes, count, duration, quantity } from "../format.js";
import { errorText } from "../pages/messages.js";
import type { Json } from "../json.js";
import type { SceneDocument } from "./document.js";
import { mendOf } from "./mend.js";

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

  /** @param show receives the problems found, none when the scene can run   @param jump goes to a problem's field */
  constructor(
    private readonly document: SceneDocument,
    private readonly show: (problems: SceneProblem[]) => void,
    private readonly jump: (pointer: string) => void,
    /** Whether the document is what the user sees: no text that is not JSON stands in the editor. */
    private readonly whole: () => boolean,
    /** Receives each scene that was found valid, and with null of each change since. */
    private readonly sound: (scene: Json | null, gaps: Gap[]) => void,
  ) {
    const button = h("button", { type: "button", onclick: () => (this.whole() ? void this.check() : this.showBroken()) }, "Check");
    this.element = h("section", { class: "card check", "aria-label": "Check" }, h("div", { class: "card-head" }, h("h2", {}, "Estimate"), button), this.body);
    document.onChange.add(() => this.later());
    void this.check();
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
  }

  /** Shows problems that came with another answer, such as that to a submission. */
  showProblems(problems: SceneProblem[]): void {
    this.show(problems);
    const heading = problems.length === 1 ? "One thing keeps it from running:" : `${problems.length} things keep it from running:`;
    this.body.replaceChildren(h("p", { class: "check-refused" }, heading), this.list(problems));
  }

  /** Takes the verdict back: what stands in the editor is not a scene. */
  showBroken(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
    this.element.removeAttribute("aria-busy");
    this.show([]);
    this.body.replaceChildren(h("p", { class: "check-refused" }, "The text is not JSON yet, so there is nothing to estimate."));
  }

  private list(problems: SceneProblem[]): HTMLElement {
    const items = problems.map((problem) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => this.jump(problem.pointer) }, problem.pointer || "scene"), h("span", {}, problem.detail), this.mender(problem)));
    return h("ul", { class: "problem-list" }, ...items);
  }

  /** The button that mends it, where something can. */
  private mender(problem: SceneProblem): HTMLElement | null {
    const mend = mendOf(problem, this.document.scene);
    return mend && h("button", { type: "button", class: "small", onclick: () => this.document.set("", mend.scene, true) }, mend.label);
  }

  private later(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.sound(null, []);
    this.element.setAttribute("aria-busy", "true"); /* the verdict that stands is that of another scene */
    this.timer = setTimeout(() => void this.check(), WAIT_MS);
  }

  private async check(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.element.setAttribute("aria-busy", "true");
    try {
      const { scene } = this.document;
      const { estimate, warnings, gaps } = await checkScene(scene, asked.signal);
      if (asked.signal.aborted) return;
      this.sound(scene, gaps);
      this.show([]);
      this.showEstimate(estimate, warnings);
    } catch (error) {
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
      ["Memory", bytes(e.memory_bytes)],
      ["Time step", `${quantity(e.time_step, "s")}${e.time_step_rule === "" ? "" : ` (${e.time_step_rule})`}`],
      ["Steps", count(e.step_count)],
      ["Frames", count(e.frame_count)],
      ["Recording, at most", bytes(e.record_bytes)],
      ["Run time, one thread", duration(e.run_seconds)],
    ];
    this.body.replaceChildren(h("dl", { class: "facts" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))), h("p", { class: "check-ok" }, "This scene can run."));
    if (warnings.length === 0) return;
    const heading = warnings.length === 1 ? "One thing is unusual:" : `${warnings.length} things are unusual:`;
    this.body.append(h("p", { class: "check-warned" }, heading), this.list(warnings));
  }
}
