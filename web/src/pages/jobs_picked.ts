/** What can be done with several jobs at once. */
import { cancelJob, changeJob, deleteJob, ended, jobPath, type Job } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { compareAddress } from "../router.js";
import { tagsOf } from "./job_editor.js";
import { errorText } from "./messages.js";
import type { Surroundings } from "./page.js";

const DOWNLOADS_MOST = 20;

export class PickedJobs {
  readonly element: HTMLElement;
  private readonly picked = new Map<number, Job>();
  private readonly many = h("strong", {});
  private readonly compare = h("a", { class: "button small", href: "#/" }, english.picked.compare);

  /** @param gone is called with each job that was deleted, @param changed with each that is another now, @param cleared when none is picked any more */
  constructor(
    private readonly around: Surroundings,
    private readonly changed: (job: Job) => void,
    private readonly gone: (id: number) => void,
    private readonly cleared: () => void,
  ) {
    const act = (name: string, run: () => void): HTMLElement => h("button", { type: "button", class: "small", onclick: run }, name);
    this.element = h("div", { class: "card jobs-picked", role: "region", "aria-label": english.picked.title, hidden: true }, this.many, this.compare, act(english.picked.tag, () => this.tag()), act(english.picked.cancel, () => this.cancel()), act(english.picked.delete, () => this.remove()), act(english.picked.recordings, () => this.download()), act(english.picked.none, () => this.clear()));
  }

  put(job: Job, on: boolean): void {
    if (on) this.picked.set(job.id, job);
    else this.picked.delete(job.id);
    this.lay();
  }

  clear(): void {
    this.picked.clear();
    this.lay();
    this.cleared();
  }

  private lay(): void {
    const ids = [...this.picked.keys()];
    this.element.hidden = ids.length === 0;
    setText(this.many, english.pickedCount(ids.length));
    this.compare.setAttribute("href", compareAddress(ids));
    this.compare.hidden = ids.length < 2;
  }

  private each(jobs: Job[], run: (job: Job) => Promise<void>): void {
    Promise.all(jobs.map(run)).then(
      () => this.clear(),
      (error: unknown) => this.around.say(errorText(error), true),
    );
  }

  private tag(): void {
    const given = prompt(english.picked.tagQuestion);
    if (given === null || given.trim() === "") return;
    this.each([...this.picked.values()], async (job) => this.changed(await changeJob(job.id, { tags: { ...job.tags, ...tagsOf(given) } })));
  }

  private cancel(): void {
    const going = [...this.picked.values()].filter((job) => !ended(job.state));
    if (going.length === 0) return this.around.say(english.picked.allEnded, true);
    if (confirm(english.pickedCancelQuestion(going.length))) this.each(going, async (job) => this.changed(await cancelJob(job.id)));
  }

  private remove(): void {
    const over = [...this.picked.values()].filter((job) => ended(job.state));
    if (over.length === 0) return this.around.say(english.picked.notEnded, true);
    if (!confirm(english.pickedDeleteQuestion(over.length))) return;
    this.each(over, async (job) => {
      await deleteJob(job.id);
      this.gone(job.id);
    });
  }

  private download(): void {
    for (const id of [...this.picked.keys()].slice(0, DOWNLOADS_MOST)) {
      const link = h("a", { href: `${jobPath(id)}/recording`, download: `job-${id}-recording.scree` });
      document.body.append(link);
      link.click();
      link.remove();
    }
  }
}
