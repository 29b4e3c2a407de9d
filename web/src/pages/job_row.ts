/** One job in a list, updated in place. */
import { ended, type Job } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { count, duration, headlineText, moment, quantity } from "../format.js";
import { jobAddress } from "../router.js";
import { PICTURED } from "./gallery_pictures.js";
import { jobEditor } from "./job_editor.js";
import { fractionOf, progressBar, setFraction, stateBadge, updateBadge } from "./job_state.js";

export interface RowActs {
  /** Cancels a job that goes on, deletes one that ended. */
  end: (job: Job) => void;
  picked: (row: JobRow) => void;
  changed: (job: Job) => void;
  tag: (key: string, value: string) => void; /** a tag was pressed */
}

const NOTE_SHOWN = 160;

export class JobRow {
  readonly element: HTMLElement;
  readonly pick: HTMLInputElement;
  private readonly badge: HTMLElement;
  private readonly bar: HTMLElement;
  private readonly about = h("span", { class: "job-about" });
  private readonly tags = h("span", { class: "job-tags" });
  private readonly notes = h("p", { class: "job-notes", hidden: true });
  private readonly numbers = h("span", { class: "job-numbers" });
  private readonly when = h("span", { class: "job-when" });
  private readonly action: HTMLButtonElement;
  private readonly edit: HTMLButtonElement;
  private editor: HTMLElement | null = null;
  private place = 0;

  constructor(
    public job: Job,
    private readonly acts: RowActs,
  ) {
    this.badge = stateBadge(job);
    this.bar = progressBar(english.rowProgress(job.id));
    this.pick = h("input", { type: "checkbox", "aria-label": english.rowPick(job.id), onchange: () => acts.picked(this) });
    this.action = h("button", { type: "button", class: "small quiet", onclick: () => acts.end(this.job) });
    this.edit = h("button", { type: "button", class: "small quiet", "aria-expanded": "false", "aria-label": english.rowEditLabel(job.id), onclick: () => this.toggleEditor() }, english.row.edit);
    const name = h("a", { class: "job-title", href: jobAddress(job.id) }, job.title || job.name);
    const picture = PICTURED.has(job.name) ? h("img", { class: "job-picture", src: `/assets/gallery/${job.name}.webp`, alt: "", loading: "lazy", width: 56, height: 35 }) : null;
    this.element = h(
      "li",
      { class: "job-row", "data-job": job.id },
      h("div", { class: "job-name" }, h("label", { class: "job-pick" }, this.pick), picture, h("div", { class: "job-words" }, name, this.about, this.tags)),
      h("div", { class: "job-state" }, this.badge, this.when),
      h("div", { class: "job-progress" }, this.bar, this.numbers),
      h("div", { class: "job-acts" }, this.edit, this.action),
      this.notes,
    );
    this.update(job);
  }

  /** Whether it goes on: such rows stand first. */
  get active(): boolean {
    return this.job.state === "running" || this.job.state === "paused";
  }

  update(job: Job): void {
    this.job = job;
    updateBadge(this.badge, job);
    setFraction(this.bar, fractionOf(job));
    this.bar.classList.toggle("active", job.state === "running");
    setText(this.about, `#${job.id} · ${job.title && job.title !== job.name ? `${job.name} · ` : ""}${job.method}${placeOf(job)}${job.user ? ` · ${job.user}` : ""}`);
    const tags = Object.entries(job.tags ?? {});
    const key = JSON.stringify(tags);
    if (this.tags.dataset["tags"] !== key) {
      this.tags.dataset["tags"] = key;
      this.tags.replaceChildren(...tags.map(([name, value]) => h("button", { type: "button", class: "chip tag", title: english.row.showTag, onclick: () => this.acts.tag(name, value) }, value === "" ? name : `${name}: ${value}`)));
    }
    const notes = job.notes ?? "";
    this.notes.hidden = notes === "";
    setText(this.notes, notes.length > NOTE_SHOWN ? `${notes.slice(0, NOTE_SHOWN)} …` : notes);
    const over = ended(job.state);
    setText(this.numbers, this.progressText(job, over));
    setText(this.action, over ? english.row.delete : english.row.cancel);
    this.action.setAttribute("aria-label", (over ? english.rowDeleteLabel : english.rowCancelLabel)(job.id, job.title || job.name));
    this.action.disabled = !over && job.cancel_requested;
    this.tick();
  }

  private progressText(job: Job, over: boolean): string {
    const p = job.progress;
    const parts: string[] = [];
    if (p) parts.push(english.rowTimes(quantity(p.sim_time, "s"), quantity(p.duration, "s")));
    if (p && !over && p.eta_seconds !== null) parts.push(english.rowLeft(duration(p.eta_seconds)));
    if (p && !over && p.stage !== null) parts.push(p.stage);
    for (const one of p?.headlines ?? []) if (one.value !== null) parts.push(`${one.label.toLowerCase()} ${headlineText(one)}`);
    const first = job.estimate.counts[0];
    if (!p && first) parts.push(english.rowEstimate(count(first.value), first.label.toLowerCase(), duration(job.estimate.run_seconds)));
    return parts.join(" · ");
  }

  /** Its place in the queue, from 1; 0: it is in none, or not known. */
  setPlace(place: number): void {
    if (place === this.place) return;
    this.place = place;
    this.tick();
  }

  tick(): void {
    const since = moment(this.job.ended ?? this.job.started ?? this.job.created, Date.now());
    setText(this.when, this.place > 0 ? `${english.rowPlace(this.place)} · ${since}` : since);
  }

  private toggleEditor(): void {
    if (this.editor) return this.close();
    this.editor = jobEditor(this.job, (job) => {
      this.close();
      if (job) this.acts.changed(job);
    });
    this.element.append(this.editor);
    this.edit.setAttribute("aria-expanded", "true");
    this.editor.querySelector("input")?.focus();
  }

  private close(): void {
    this.editor?.remove();
    this.editor = null;
    this.edit.setAttribute("aria-expanded", "false");
    this.edit.focus();
  }
}

/** What differs from one process on the server's processor. */
function placeOf({ run, executor = "local" }: Job): string {
  const ranks = run && run.ranks > 1 ? ` · ${english.rowRanks(run.ranks)}` : "";
  const device = run && run.device !== "cpu" ? ` · ${run.device}` : "";
  return `${ranks}${device}${executor === "local" ? "" : ` · ${executor}`}`;
}
