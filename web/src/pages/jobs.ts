/** The list of jobs: those that run first, then the newest, kept up to date by the stream's `watch`; or those that fit a question. */
import { cancelJob, deleteJob, ended, getGallery, listJobs, submissionKey, submitScene, type GalleryScene, type Job, type JobList, type JobQuery } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { composeAddress, jobAddress } from "../router.js";
import { JobRow, type RowActs } from "./job_row.js";
import { cancelQuestion } from "./job_state.js";
import { FoundJobs } from "./jobs_found.js";
import { isAsked, JobsFilter, queryIn } from "./jobs_filter.js";
import { PickedJobs } from "./jobs_picked.js";
import { errorBox, errorText } from "./messages.js";
import type { Page, Surroundings } from "./page.js";

const FIRST_SCENE = "hollow-sphere-crush"; /** what a newcomer is offered */

export function jobsPage(around: Surroundings): Page {
  const rows = new Map<number, JobRow>();
  const list = h("ol", { class: "job-list", "aria-label": english.jobs.title });
  const body = h("div", {});
  const older = h("button", { type: "button", hidden: true }, english.jobs.older);
  let before: number | undefined;
  let queued = -1; /* how many wait in all */
  let loaded = false;
  let found: FoundJobs | null = null;
  const picked = new PickedJobs(around, (job) => put(job), (id) => drop(id), () => allRows().forEach((row) => (row.pick.checked = false)));
  const filter = new JobsFilter(queryIn(location.hash), (query) => ask(query));
  const allRows = (): JobRow[] => [...rows.values(), ...(found?.rows.values() ?? [])];

  const act = (job: Job): void => {
    if (!confirm(ended(job.state) ? english.deleteQuestion(job.id) : cancelQuestion(job))) return;
    const moment = around.stream.moment;
    const request = ended(job.state) ? deleteJob(job.id).then(() => drop(job.id)) : cancelJob(job.id).then((answer) => putAnswers([answer], moment));
    request.catch((error: unknown) => around.say(errorText(error), true));
  };
  const acts: RowActs = { end: act, picked: (row) => picked.put(row.job, row.pick.checked), changed: (job) => put(job), tag: (key, value) => filter.askTag(key, value) };
  /** Those that run stand first, then the newest. */
  const comesBefore = (a: JobRow, b: JobRow): boolean => (a.active === b.active ? a.job.id > b.job.id : a.active);
  const place = (row: JobRow): void => {
    const next = [...rows.values()].filter((other) => other !== row && comesBefore(row, other)).reduce<JobRow | null>((first, other) => (first && comesBefore(first, other) ? first : other), null);
    list.insertBefore(row.element, next ? next.element : null);
  };
  const put = (job: Job): void => {
    found?.update(job);
    const row = rows.get(job.id);
    if (row) {
      const [active, queued] = [row.active, row.job.state === "queued"];
      row.update(job);
      if (active !== row.active) place(row);
      if (queued || job.state === "queued") number();
      return;
    }
    const fresh = new JobRow(job, acts);
    rows.set(job.id, fresh);
    place(fresh);
    if (job.state === "queued") number();
    lay();
  };
  /** Tells those that wait their places, as far as all that wait are known. */
  const number = (): void => {
    const waiting = [...rows.values()].filter(({ job }) => job.state === "queued").sort((a, b) => (b.job.priority ?? 0) - (a.job.priority ?? 0) || a.job.id - b.job.id);
    for (const row of rows.values()) if (row.job.state !== "queued") row.setPlace(0);
    waiting.forEach((row, i) => row.setPlace(waiting.length === queued ? i + 1 : 0));
  };
  /** Jobs that a request begun at a moment answered: those the stream has told of since are known better. */
  const putAnswers = (jobs: Job[], moment: number): void => jobs.filter((job) => !around.stream.toldSince(job.id, moment)).forEach(put);
  const drop = (id: number): void => {
    found?.drop(id);
    const known = rows.get(id);
    if (known) picked.put(known.job, false);
    known?.element.remove();
    rows.delete(id);
    lay();
  };
  const ask = (query: JobQuery): void => {
    found?.dispose();
    found = isAsked(query) ? new FoundJobs(query, acts) : null;
    lay();
  };
  const lay = (): void => {
    if (found) {
      body.dataset["shows"] = "found";
      if (body.firstChild !== found.element) body.replaceChildren(found.element);
      return;
    }
    if (!loaded) return;
    filter.element.hidden = rows.size === 0;
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
      queued = answer.totals.queued;
      next = answer.next_before;
    } while (next !== null && next > shown);
    loaded = true;
    const lowest = next ?? 0; /* all jobs from this number on were read; older ones may have been asked for meanwhile, and stay */
    for (const id of [...rows.keys()]) if (id >= lowest && !known.has(id) && !around.stream.toldSince(id, moment)) drop(id); /* deleted while nobody told */
    if (![...rows.keys()].some((id) => id < lowest)) showOlderFrom(next);
    body.querySelector(".notice")?.remove();
    number();
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
        if (!loaded && !found) body.replaceChildren(errorBox(error, () => void load()));
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
  ask(queryIn(location.hash));
  const unwatch = around.stream.watch((news) => {
    if ("job" in news) put(news.job);
    else if ("deleted" in news) drop(news.deleted);
    else void load(); /* what happened before the server watched for us, or while it could not tell */
  });
  const clock = setInterval(() => allRows().forEach((row) => row.tick()), 15000);
  return {
    title: english.jobs.title,
    element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, english.jobs.title), h("a", { class: "button primary", href: "#/new" }, english.shared.newRun)), filter.element, picked.element, body),
    dispose: () => {
      unwatch();
      filter.dispose();
      found?.dispose();
      clearInterval(clock);
    },
  };
}

/** What a newcomer sees: what this is, and one thing to press. */
function emptyState(around: Surroundings): HTMLElement {
  const box = h("div", { class: "card empty" }, h("h2", {}, english.jobs.empty));
  box.append(h("p", {}, english.jobs.emptyIntroduction));
  getGallery()
    .then(({ scenes }) => {
      const first = scenes.find((scene) => scene.name === FIRST_SCENE) ?? scenes[0];
      if (first) box.append(firstButtons(first, around));
      else box.append(h("p", {}, english.jobs.emptyGallery));
    })
    .catch((error: unknown) => box.append(errorBox(error)));
  return box;
}

function firstButtons(scene: GalleryScene, around: Surroundings): HTMLElement {
  const key = submissionKey();
  const start = h("button", { type: "button", class: "primary big" }, english.jobsRunFirst(scene.title));
  start.addEventListener("click", () => {
    start.disabled = true;
    submitScene(scene.scene, key)
      .then((job) => (location.hash = jobAddress(job.id)))
      .catch((error: unknown) => {
        start.disabled = false;
        around.say(errorText(error), true);
      });
  });
  return h("div", { class: "empty-actions" }, start, h("a", { href: composeAddress(scene.name) }, english.jobs.setUpFirst), h("a", { href: "/guide", target: "_blank", rel: "noopener" }, english.jobs.readGuide));
}
