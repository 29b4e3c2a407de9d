/** The list of jobs, newest first, kept up to date by the stream's `watch`. */
import { cancelJob, deleteJob, ended, getGallery, listJobs, submissionKey, submitScene, type GalleryScene, type Job, type JobList } from "../service/api.js";
import { h, setText } from "../dom.js";
import { count, duration, headlineText, moment, quantity } from "../format.js";
import { composeAddress, jobAddress } from "../router.js";
import { cancelQuestion, fractionOf, progressBar, setFraction, stateBadge, updateBadge } from "./job_state.js";
import { errorBox, errorText } from "./messages.js";
import type { Page, Surroundings } from "./page.js";

const FIRST_SCENE = "hollow-sphere-crush"; /** what a newcomer is offered */

/** One row, updated in place. */
class JobRow {
  readonly element: HTMLElement;
  private readonly badge: HTMLElement;
  private readonly bar: HTMLElement;
  private readonly numbers = h("span", { class: "job-numbers" });
  private readonly when = h("span", { class: "job-when" });
  private readonly action: HTMLButtonElement;

  constructor(
    public job: Job,
    act: (job: Job) => void,
  ) {
    this.badge = stateBadge(job);
    this.bar = progressBar(`Progress of job ${job.id}`);
    this.action = h("button", { type: "button", class: "small quiet", onclick: () => act(this.job) });
    const name = h("a", { class: "job-title", href: jobAddress(job.id) }, job.title || job.name);
    const about = h("span", { class: "job-about" }, `#${job.id} · ${job.title && job.title !== job.name ? `${job.name} · ` : ""}${job.method}`);
    this.element = h("li", { class: "job-row", "data-job": job.id }, h("div", { class: "job-name" }, name, about), h("div", { class: "job-state" }, this.badge, this.when), h("div", { class: "job-progress" }, this.bar, this.numbers), this.action);
    this.update(job);
  }

  update(job: Job): void {
    this.job = job;
    updateBadge(this.badge, job);
    setFraction(this.bar, fractionOf(job));
    this.bar.classList.toggle("active", job.state === "running");
    const over = ended(job.state);
    const p = job.progress;
    const parts: string[] = [];
    if (p) parts.push(`${quantity(p.sim_time, "s")} of ${quantity(p.duration, "s")}`);
    if (p && !over && p.eta_seconds !== null) parts.push(`${duration(p.eta_seconds)} left`);
    if (p && !over && p.stage !== null) parts.push(p.stage);
    for (const one of p?.headlines ?? []) if (one.value !== null) parts.push(`${one.label.toLowerCase()} ${headlineText(one)}`);
    const first = job.estimate.counts[0];
    if (!p && first) parts.push(`${count(first.value)} ${first.label.toLowerCase()}, about ${duration(job.estimate.run_seconds)}`);
    setText(this.numbers, parts.join(" · "));
    setText(this.action, over ? "Delete" : "Cancel");
    this.action.setAttribute("aria-label", `${over ? "Delete" : "Cancel"} job ${job.id}, ${job.title || job.name}`);
    this.action.disabled = !over && job.cancel_requested;
    this.tick();
  }

  tick(): void {
    setText(this.when, moment(this.job.ended ?? this.job.started ?? this.job.created, Date.now()));
  }
}

export function jobsPage(around: Surroundings): Page {
  const rows = new Map<number, JobRow>();
  const list = h("ol", { class: "job-list", "aria-label": "Jobs" });
  const body = h("div", {});
  const older = h("button", { type: "button", hidden: true }, "Older jobs");
  let before: number | undefined;
  let loaded = false;

  const act = (job: Job): void => {
    if (!confirm(ended(job.state) ? `Delete job ${job.id} and its recording? This can't be undone.` : cancelQuestion(job))) return;
    const moment = around.stream.moment;
    const request = ended(job.state) ? deleteJob(job.id).then(() => drop(job.id)) : cancelJob(job.id).then((answer) => putAnswers([answer], moment));
    request.catch((error: unknown) => around.say(errorText(error), true));
  };
  const put = (job: Job): void => {
    const row = rows.get(job.id);
    if (row) return row.update(job);
    const fresh = new JobRow(job, act);
    rows.set(job.id, fresh);
    const next = [...rows.keys()].filter((id) => id < job.id).sort((a, b) => b - a)[0];
    list.insertBefore(fresh.element, next === undefined ? null : (rows.get(next)?.element ?? null));
    lay();
  };
  /** Jobs that a request begun at a moment answered: those the stream has told of since are known better. */
  const putAnswers = (jobs: Job[], moment: number): void => jobs.filter((job) => !around.stream.toldSince(job.id, moment)).forEach(put);
  const drop = (id: number): void => {
    rows.get(id)?.element.remove();
    rows.delete(id);
    lay();
  };
  const lay = (): void => {
    if (!loaded) return;
    const wanted = rows.size > 0 ? "list" : "empty";
    if (body.dataset["shows"] === wanted) return;
    body.dataset["shows"] = wanted;
    body.replaceChildren(...(rows.size > 0 ? [list, older] : [emptyState(around)]));
  };
  /** The next page of older jobs begins below `next`; null: there is none. */
  const showOlderFrom = (next: number | null): void => {
    before = next ?? undefined;
    older.hidden = before === undefined;
  };
  /** Reads the newest page, and all others that are shown. */
  const read = async (): Promise<void> => {
    const moment = around.stream.moment;
    const shown = Math.min(...rows.keys()); /* Infinity while there are none */
    const known = new Set<number>();
    let next: number | null = null;
    do {
      const answer: JobList = await listJobs(next ?? undefined);
      putAnswers(answer.jobs, moment);
      for (const job of answer.jobs) known.add(job.id);
      next = answer.next_before;
    } while (next !== null && next > shown);
    loaded = true;
    const lowest = next ?? 0; /* all jobs from this number on were read; older ones may have been asked for meanwhile, and stay */
    for (const id of [...rows.keys()]) if (id >= lowest && !known.has(id) && !around.stream.toldSince(id, moment)) drop(id); /* deleted while nobody told */
    if (![...rows.keys()].some((id) => id < lowest)) showOlderFrom(next);
    body.querySelector(".notice")?.remove();
    lay();
  };
  let reading: Promise<void> | null = null;
  let again = false;
  /** Reads once at a time; once more when it was asked for meanwhile. */
  const load = async (): Promise<void> => {
    again = true;
    if (reading) return reading;
    while (again) {
      again = false;
      try {
        await (reading = read());
      } catch (error) {
        if (!loaded) body.replaceChildren(errorBox(error, () => void load()));
      }
    }
    reading = null;
  };
  older.addEventListener("click", () => {
    const moment = around.stream.moment;
    listJobs(before)
      .then((answer) => {
        putAnswers(answer.jobs, moment);
        showOlderFrom(answer.next_before);
      })
      .catch((error: unknown) => around.say(errorText(error), true));
  });

  void load();
  const unwatch = around.stream.watch((news) => {
    if ("job" in news) put(news.job);
    else if ("deleted" in news) drop(news.deleted);
    else void load(); /* what happened before the server watched for us, or while it could not tell */
  });
  const clock = setInterval(() => rows.forEach((row) => row.tick()), 15000);
  return {
    title: "Jobs",
    element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, "Jobs"), h("a", { class: "button primary", href: "#/new" }, "New run")), body),
    dispose: () => {
      unwatch();
      clearInterval(clock);
    },
  };
}

/** What a newcomer sees: what this is, and one thing to press. */
function emptyState(around: Surroundings): HTMLElement {
  const box = h("div", { class: "card empty" }, h("h2", {}, "Nothing has been run here yet"));
  box.append(h("p", {}, "Scree crushes, shatters and shakes matter made of pieces. Start with the experiment below: you will see it in motion, and its curve grow, within seconds."));
  getGallery()
    .then(({ scenes }) => {
      const first = scenes.find((scene) => scene.name === FIRST_SCENE) ?? scenes[0];
      if (first) box.append(firstButtons(first, around));
      else box.append(h("p", {}, "The gallery is empty. Submit a scene with the command line: scree submit scene.json."));
    })
    .catch((error: unknown) => box.append(errorBox(error)));
  return box;
}

function firstButtons(scene: GalleryScene, around: Surroundings): HTMLElement {
  const key = submissionKey();
  const start = h("button", { type: "button", class: "primary big" }, `Run: ${scene.title}`);
  start.addEventListener("click", () => {
    start.disabled = true;
    submitScene(scene.scene, key)
      .then((job) => (location.hash = jobAddress(job.id)))
      .catch((error: unknown) => {
        start.disabled = false;
        around.say(errorText(error), true);
      });
  });
  return h("div", { class: "empty-actions" }, start, h("a", { href: composeAddress(scene.name) }, "or look at its parameters first"), h("a", { href: "/guide", target: "_blank", rel: "noopener" }, "or read how a scene of your own is written"));
}
