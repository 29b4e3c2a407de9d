/** Other jobs' curves, drawn with this one's: finding the jobs by name or number, their samples, and what to say when one has no such curve. */
import { ApiError, getCurves, getJob, getScene, searchJobs, type Job, type JobCurves } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/plot.js";
import { isObject, type Json } from "../json.js";
import { differencesOf, differenceText } from "./differences.js";
import type { Line } from "./layout.js";

const MOST = 6; /* jobs at once */
const WAIT_MS = 250; /* after the last key */

interface Compared {
  id: number;
  label: string;
  curves: JobCurves | null; /** null while they are on their way */
  scene: Json | null;
  element: HTMLElement;
}

const BEGINNING = 32; /* characters of a title that a legend has room for */
const DIFFERENCES_SHOWN = 3; /* differences in a label */

const labelOf = (job: Job): string => english.otherJob(job.id, job.title || job.name);

export class Comparison {
  readonly element: HTMLElement;
  private readonly field = h("input", { type: "text", class: "compare-search", placeholder: english.other.example, autocomplete: "off", role: "combobox", "aria-expanded": "false", "aria-controls": "compare-found", "aria-label": english.other.compare });
  private readonly found = h("ul", { id: "compare-found", class: "compare-found", role: "listbox", "aria-label": english.other.found, hidden: true });
  private readonly chips = h("span", { class: "compare-chosen" });
  private readonly note = h("p", { class: "plot-note", role: "status", hidden: true });
  private readonly chosen: Compared[] = [];
  private readonly abort = new AbortController();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private asked = 0;
  private own: Json | null = null; /* this job's scene, once it was needed */

  /** @param first the jobs to begin with   @param changed is called when there is something else to draw   @param kept with the jobs chosen */
  constructor(
    private readonly job: number,
    first: number[],
    private readonly changed: () => void,
    private readonly kept: (ids: number[]) => void,
  ) {
    this.field.addEventListener("focus", () => void this.search());
    this.field.addEventListener("input", () => this.searchLater());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.found.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", { class: "compare" }, h("label", {}, english.other.compare, " ", this.field), this.found, this.chips);
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node && this.element.contains(event.relatedTarget))) this.fold();
    });
    for (const id of first.slice(0, MOST)) if (id !== job) void this.add(id, english.otherNumber(id));
  }

  /** Where the trouble is told. */
  get message(): HTMLElement {
    return this.note;
  }

  dispose(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.abort.abort();
  }

  /** The other jobs' curves of these two series; those that have none are named in the note. */
  lines(xName: string, yName: string): Line[] {
    const lines: Line[] = [];
    const lacking: string[] = [];
    const labels = this.labels();
    for (const [i, { curves }] of this.chosen.entries()) {
      if (!curves) continue;
      const label = labels[i + 1] ?? "";
      const [x, y] = [xName, yName].map((name) => curves.series.findIndex((series) => series.name === name)) as [number, number];
      if (x < 0 || y < 0) lacking.push(english.otherNoCurve(curves.job, x < 0 ? xName : yName));
      else lines.push({ label, x: column(curves, x), y: column(curves, y) });
    }
    this.say(lacking.join(" "));
    return lines;
  }

  /** What tells the runs apart: this job's label ("": its own will do), then the others'. Titles that begin alike give way to what differs in the scenes. */
  labels(): string[] {
    const scenes = [this.own, ...this.chosen.map(({ scene }) => scene)];
    const differences = scenes.every((scene) => scene !== null) ? differencesOf(scenes) : [];
    const beginnings = scenes.map((scene) => (isObject(scene) ? String(scene["title"] || scene["name"]).slice(0, BEGINNING) : ""));
    const alike = new Set(beginnings).size < beginnings.length && differences.length > 0;
    return [this.job, ...this.chosen.map(({ id }) => id)].map((id, i) => (alike ? english.otherJob(id, differenceText(differences, i, DIFFERENCES_SHOWN)) : (this.chosen[i - 1]?.label ?? "")));
  }

  private say(text: string): void {
    setText(this.note, text);
    this.note.hidden = text === "";
  }

  /* ── finding ── */

  private searchLater(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.search(), WAIT_MS);
  }

  private async search(): Promise<void> {
    const asked = ++this.asked;
    try {
      const jobs = await searchJobs(this.field.value.trim(), this.abort.signal);
      if (asked !== this.asked || document.activeElement !== this.field) return;
      this.offer(jobs.filter((job) => job.id !== this.job && job.state !== "queued" && !this.chosen.some(({ id }) => id === job.id)));
    } catch (error) {
      if (!this.abort.signal.aborted) this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private offer(jobs: Job[]): void {
    const item = (job: Job): HTMLElement => {
      const button = h("button", { type: "button", role: "option", "aria-selected": "false", "data-job": job.id }, `${labelOf(job)} (${job.method})`);
      button.addEventListener("click", () => this.take(job));
      return h("li", { role: "none" }, button);
    };
    const nothing = this.field.value.trim() !== "" ? english.other.none : this.chosen.length > 0 ? english.other.noMore : english.other.noneYet;
    const none = h("li", { class: "soft" }, nothing);
    this.found.replaceChildren(...(jobs.length > 0 ? jobs.map(item) : [none]));
    this.found.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
  }

  private fold(): void {
    this.asked++; /* an answer on its way, and a question not yet asked, would open it again */
    if (this.timer !== null) clearTimeout(this.timer);
    this.found.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
  }

  /** Up and down go through what was found, Enter in the field takes the first, Escape folds it. */
  private key(event: KeyboardEvent): void {
    const options = [...this.found.querySelectorAll("button")];
    const at = options.findIndex((option) => option === document.activeElement);
    if (event.key === "ArrowDown") (options[Math.min(options.length - 1, at + 1)] ?? this.field).focus();
    else if (event.key === "ArrowUp") (options[at - 1] ?? this.field).focus();
    else if (event.key === "Enter" && at < 0) options[0]?.click();
    else if (event.key === "Escape") this.fold();
    else return;
    event.preventDefault();
  }

  private take(job: Job): void {
    this.field.value = "";
    this.field.focus();
    this.fold();
    void this.add(job.id, labelOf(job));
  }

  /* ── what is chosen ── */

  private async add(id: number, label: string): Promise<void> {
    if (this.chosen.some((one) => one.id === id)) return;
    if (this.chosen.length >= MOST) return this.say(english.otherMost(MOST));
    const name = h("span", {}, label);
    const remove = h("button", { type: "button", class: "small quiet", "aria-label": english.otherRemove(id) }, "×");
    const one: Compared = { id, label, curves: null, scene: null, element: h("span", { class: "chip", "data-job": id }, name, remove) };
    remove.addEventListener("click", () => this.drop(one));
    this.chosen.push(one);
    this.chips.append(one.element);
    this.keep();
    try {
      const [job, curves, scene, own] = await Promise.all([getJob(id), getCurves(id, this.abort.signal), getScene(id).catch(() => null), this.own ?? getScene(this.job).catch(() => null)]);
      one.scene = scene;
      this.own = own;
      one.label = labelOf(job);
      setText(name, one.label);
      one.curves = curves;
      if (this.chosen.includes(one)) this.changed();
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.drop(one);
      this.say(error instanceof ApiError && error.status === 404 ? english.otherGone(id) : error instanceof Error ? error.message : String(error));
    }
  }

  private drop(one: Compared): void {
    const at = this.chosen.indexOf(one);
    if (at >= 0) this.chosen.splice(at, 1);
    one.element.remove();
    this.keep();
    this.changed();
  }

  private keep(): void {
    this.kept(this.chosen.map(({ id }) => id));
  }
}

function column(curves: JobCurves, index: number): Float64Array {
  return Float64Array.from(curves.samples, (row) => row[index] ?? NaN);
}
