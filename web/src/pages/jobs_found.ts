/** The jobs that fit a question, page by page as one scrolls down. */
import { findJobs, type Job, type JobQuery } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { JobRow, type RowActs } from "./job_row.js";
import { errorBox } from "./messages.js";

export class FoundJobs {
  readonly element: HTMLElement;
  private readonly lists = h("div", { class: "job-pages" }); /* one for each answer: the browser lays out and watches those in sight, not every row */
  private readonly end = h("p", { class: "soft", role: "status" });
  private readonly more = h("button", { type: "button", hidden: true }, english.found.more);
  readonly rows = new Map<number, JobRow>();
  private cursor: string | null = null;
  private readonly abort = new AbortController();
  private reading = false;
  private readonly seen = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && void this.read(), { rootMargin: "600px" });

  constructor(
    private readonly query: JobQuery,
    private readonly acts: RowActs,
  ) {
    this.more.addEventListener("click", () => void this.read());
    this.element = h("div", { class: "jobs-found" }, this.lists, this.end, this.more);
    this.more.hidden = false;
    this.seen.observe(this.more);
  }

  dispose(): void {
    this.abort.abort();
    this.seen.disconnect();
  }

  update(job: Job): void {
    this.rows.get(job.id)?.update(job);
  }

  drop(id: number): void {
    this.rows.get(id)?.element.remove();
    this.rows.delete(id);
  }

  private async read(): Promise<void> {
    if (this.reading || this.more.hidden) return;
    this.reading = true;
    try {
      const answer = await findJobs(this.query, this.cursor, this.abort.signal);
      const fresh = answer.jobs.filter((job) => !this.rows.has(job.id)).map((job) => new JobRow(job, this.acts));
      if (fresh.length > 0) this.lists.append(h("ol", { class: "job-list", start: this.rows.size + 1, "aria-label": english.found.jobs }, ...fresh.map(({ element }) => element)));
      for (const row of fresh) this.rows.set(row.job.id, row);
      this.cursor = answer.next;
      this.more.hidden = this.cursor === null;
      this.end.textContent = this.rows.size === 0 && this.cursor === null ? english.found.none : "";
    } catch (error) {
      if (!this.abort.signal.aborted) this.end.replaceChildren(errorBox(error));
      this.more.hidden = true;
    }
    this.reading = false;
    if (!this.more.hidden && this.more.getBoundingClientRect().top < innerHeight + 600) void this.read(); /* short pages */
  }
}
