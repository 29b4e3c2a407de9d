/** A study beside the form of its scene: its factors, design and results, what it will take, and its start. */
import { h, setText } from "../../dom.js";
import * as english from "../../english/study.js";
import { bytes, count, duration } from "../../format.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { errorText } from "../../pages/messages.js";
import { ApiError, submissionKey, type SceneProblem } from "../../service/api.js";
import type { Topology } from "../../recording/topology.js";
import { checkStudy, submitStudy, type Study, type StudyPlan } from "../requests.js";
import { FactorEditor } from "./factor_editor.js";
import { ResultsEditor } from "./results_editor.js";
import { seedsIn, type StudyDraft } from "./study_draft.js";
import { TargetsEditor } from "./targets_editor.js";

const WAIT_MS = 450;
const SEEDS = 5;
const HINT = english.design.hint;
const DESIGNS: [string, string][] = [["grid", english.design.grid], ["latin_hypercube", english.design.latin], ["sobol", english.design.sobol]];

function problemList(problems: SceneProblem[]): HTMLElement {
  return h("ul", { class: "study-problems" }, ...problems.slice(0, 20).map((problem) => h("li", {}, h("code", {}, problem.pointer || "/"), ` ${problem.detail}`)));
}

export function planText(plan: StudyPlan): string {
  const parts = [english.designRuns(plan.rows, count(plan.rows))];
  if (plan.run_seconds !== null) parts.push(english.designTime(duration(plan.run_seconds)));
  if (plan.record_bytes !== null) parts.push(english.designDisk(bytes(plan.record_bytes)));
  parts.push(english.designMemory(bytes(plan.memory_bytes)));
  return parts.join(", ");
}

export class StudyPanel {
  readonly element: HTMLElement;
  private readonly factors = h("ol", { class: "factors" });
  private readonly hint = h("p", { class: "soft" }, HINT);
  private readonly repeat = h("button", { type: "button", class: "small" });
  private readonly design: HTMLSelectElement;
  private readonly runs = h("input", { type: "number", min: 1, max: 20000, step: 1, value: 32, "aria-label": english.design.runsLabel });
  private readonly runsLabel = h("label", {}, this.runs, " ", english.design.runsUnit);
  private readonly results: ResultsEditor;
  private readonly targets: TargetsEditor;
  private readonly title: HTMLElement;
  private readonly text = h("textarea", { class: "study-text code", spellcheck: "false", rows: 14, "aria-label": english.design.json });
  private readonly json = h("details", { class: "advanced" }, h("summary", {}, english.design.json), this.text);
  private readonly plan = h("div", { class: "study-said", role: "status" });
  private readonly start = h("button", { type: "button", class: "primary" }, english.design.start);
  private readonly rest: HTMLElement;
  private readonly key = submissionKey();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked: AbortController | null = null;

  /** @param scene the scene as it stands   @param takeScene is given that of a document that was typed   @param started is told of the study that was begun */
  constructor(
    private readonly draft: StudyDraft,
    private readonly scene: () => Json,
    private readonly takeScene: (scene: Json) => void,
    private readonly jump: (pointer: string) => void,
    private readonly started: (study: Study) => void,
  ) {
    this.results = new ResultsEditor(draft);
    this.targets = new TargetsEditor(draft);
    this.title = h("h2", {}, english.design.title);
    this.design = h("select", { "aria-label": english.design.which }, ...DESIGNS.map(([value, text]) => h("option", { value }, text)));
    this.design.addEventListener("change", () => this.setDesign());
    this.runs.addEventListener("input", () => this.runs.value !== "" && this.setDesign());
    this.repeat.addEventListener("click", () => this.addSeeds());
    this.start.addEventListener("click", () => this.submit());
    this.text.addEventListener("input", () => this.readText());
    this.json.addEventListener("toggle", () => this.json.open && this.writeText());
    const design = h("div", { class: "study-picks" }, this.design, this.runsLabel, this.repeat);
    this.rest = h("div", { class: "study-part" }, this.targets.element, design, this.results.element);
    const title = h("input", { type: "text", value: this.titleOf(), "aria-label": english.design.titleLabel, placeholder: english.design.titleLabel });
    title.addEventListener("input", () => draft.set("title", title.value));
    this.element = h("section", { class: "card study-panel", "aria-label": english.design.title }, h("div", { class: "card-head" }, this.title, title), this.hint, this.factors, this.rest, this.json, this.plan, this.start);
    draft.onChange.add((structure) => this.update(structure));
    this.update(true);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asked?.abort();
  }

  /** The curves that a run of the scene has. */
  setTopology(topology: Topology): void {
    this.results.setTopology(topology);
  }

  /** The scene is another one now. */
  sceneChanged(): void {
    if (this.draft.factors.length > 0) this.later();
  }

  private titleOf(): string {
    const title = this.draft.get("title");
    return typeof title === "string" ? title : "";
  }

  private update(structure: boolean): void {
    const { factors, design } = this.draft;
    const some = factors.length > 0 || this.draft.manyScenes;
    if (structure) {
      this.factors.replaceChildren(...factors.map((one) => new FactorEditor(this.draft, one, this.scene, this.jump).element));
      this.results.lay();
      const kind = String(design["kind"]);
      if (![...this.design.options].some(({ value }) => value === kind)) this.design.append(h("option", { value: kind }, kind === "rows" ? english.design.listed : kind));
      this.design.value = kind;
      if (typeof design["runs"] === "number") this.runs.value = String(design["runs"]);
      this.runsLabel.hidden = design["runs"] === undefined && (kind === "grid" || kind === "rows");
      if (!this.draft.calibrates) this.results.propose();
      this.targets.lay();
    }
    const { calibrates } = this.draft;
    this.targets.element.hidden = !calibrates;
    this.results.element.hidden = calibrates;
    this.design.hidden = calibrates;
    if (calibrates) this.runsLabel.hidden = true;
    setText(this.title, calibrates ? english.design.calibration : english.design.title);
    setText(this.start, calibrates ? english.design.startCalibration : english.design.start);
    setText(this.hint, calibrates ? english.design.calibrationHint : HINT);
    const seeds = factors.some(({ factor }) => factor["seeds"] !== undefined) ? [] : seedsIn(this.scene());
    this.repeat.hidden = seeds.length === 0;
    setText(this.repeat, english.designRepeat(SEEDS));
    this.hint.hidden = some;
    this.rest.hidden = !some && !calibrates;
    this.start.hidden = this.json.hidden = !some;
    if (this.json.open && document.activeElement !== this.text) this.writeText();
    if (some) this.later();
    else this.plan.replaceChildren();
  }

  private setDesign(): void {
    const { kind: _, runs: __, ...rest } = this.draft.design;
    const kind = this.design.value;
    this.draft.design = kind === "grid" || kind === "rows" ? { kind, ...rest } : { kind, runs: Number(this.runs.value), ...rest };
    this.runsLabel.hidden = kind === "grid" || kind === "rows";
    this.draft.changed(document.activeElement !== this.runs);
  }

  private addSeeds(): void {
    const places = seedsIn(this.scene());
    this.draft.factors.push({ name: this.draft.factors.some(({ name }) => name === "seed") ? "repetition" : "seed", factor: { pointer: places.length === 1 ? (places[0] ?? "") : places, seeds: SEEDS } });
    this.draft.changed(true);
  }

  private writeText(): void {
    this.text.value = JSON.stringify(this.draft.document(this.scene()), null, 2);
  }

  private readText(): void {
    try {
      const document = JSON.parse(this.text.value) as Json;
      if (!isObject(document)) throw new Error(english.design.noObject);
      if (document["scene"] !== undefined && JSON.stringify(document["scene"]) !== JSON.stringify(this.scene())) this.takeScene(document["scene"]);
      this.draft.take(document);
    } catch (error) {
      clearTimeout(this.timer);
      this.asked?.abort();
      this.plan.replaceChildren(h("p", { class: "error" }, english.designNotJson(error instanceof Error ? error.message : "")));
    }
  }

  private later(): void {
    clearTimeout(this.timer);
    this.plan.setAttribute("aria-busy", "true");
    this.timer = setTimeout(() => void this.check(), WAIT_MS);
  }

  private async check(): Promise<void> {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    try {
      const plan = await checkStudy(this.draft.document(this.scene()), asked.signal);
      if (asked.signal.aborted) return;
      this.plan.replaceChildren(h("p", {}, planText(plan)));
      if (plan.refused > 0) this.plan.append(h("p", {}, english.designRefusals(count(plan.checked), count(plan.refused))), problemList(plan.refusals));
      if (plan.warnings.length > 0) this.plan.append(h("p", {}, english.design.warnings), problemList(plan.warnings));
    } catch (error) {
      if (asked.signal.aborted) return;
      this.refused(error);
    }
    this.plan.removeAttribute("aria-busy");
  }

  private refused(error: unknown): void {
    const problems = error instanceof ApiError ? error.errors : [];
    this.plan.replaceChildren(h("p", { class: "error" }, problems.length > 0 ? english.design.refused : errorText(error)), problemList(problems));
  }

  private submit(): void {
    const study: JsonObject = this.draft.document(this.scene());
    this.start.disabled = true;
    /* Another text is another study; the same one sent again after a lost answer is not. */
    submitStudy(study, `${this.key}-${hashOf(JSON.stringify(study))}`).then(this.started, (error: unknown) => {
      this.start.disabled = false;
      this.refused(error);
    });
  }
}

/** Tells texts apart (FNV-1a). */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16);
}
