/** State and progress of a job as small pieces that several pages use. */
import { ended, type Job, type JobState } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";

const NAMES: Record<JobState, string> = { queued: english.state.queued, running: english.state.running, paused: english.state.paused, succeeded: english.state.succeeded, failed: english.state.failed, cancelled: english.state.cancelled };

export function stateName(job: Job): string {
  if (job.cancel_requested && !ended(job.state)) return english.state.cancelling;
  if (job.damage) return english.stateDamaged(NAMES[job.state] ?? job.state);
  if (doubtful(job)) return english.state.doubtful;
  return NAMES[job.state] ?? job.state;
}

/** Whether it succeeded and yet can't be trusted without reserve. */
export function doubtful(job: Job): boolean {
  return job.state === "succeeded" && (job.doubts?.length ?? 0) > 0;
}

export function stateBadge(job: Job): HTMLElement {
  return updateBadge(h("span", {}), job);
}

export function updateBadge(badge: HTMLElement, job: Job): HTMLElement {
  badge.className = `badge state-${job.damage ? "damaged" : doubtful(job) ? "doubtful" : job.state}`;
  if (job.damage) badge.title = english.stateDamage(job.damage.message);
  else if (doubtful(job)) badge.title = (job.doubts ?? []).map((doubt) => doubt.message).join("\n");
  else badge.removeAttribute("title");
  setText(badge, stateName(job));
  return badge;
}

/** A progress bar; set its value with setFraction. */
export function progressBar(label: string): HTMLElement {
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, h("div", { class: "bar-fill" }));
  setFraction(bar, 0);
  return bar;
}

export function setFraction(bar: HTMLElement, fraction: number): void {
  const percent = 100 * Math.min(1, Math.max(0, fraction));
  const fill = bar.firstElementChild;
  if (fill instanceof HTMLElement) fill.style.width = `${percent.toFixed(1)}%`;
  bar.setAttribute("aria-valuenow", percent.toFixed(0));
}

/** How far a job is, 0 ... 1. A run that a stop rule ended early is complete all the same. */
export function fractionOf(job: Job): number {
  return job.state === "succeeded" ? 1 : (job.progress?.fraction ?? 0);
}

/** What is asked before a run is cancelled, as there is no way back. */
export function cancelQuestion(job: Job): string {
  return english.cancelQuestion(job.id, job.title || job.name, job.state !== "queued");
}
