/** Top of a job's page: title, state, what can be done with it, how far it is. */
import { cancelJob, deleteJob, ended, pauseJob, listMethods, resumeJob, type Headline, type Job } from "../service/api.js";
import { h, setText } from "../dom.js";
import * as english from "../english/pages.js";
import { count, duration, heading, headlineText, moment, quantity } from "../format.js";
import { analysisAddress, methodAddress, rerunAddress, varyAddress } from "../router.js";
import type { Kernel } from "../recording/topology.js";
import type { Run } from "../run.js";
import { cancelQuestion, fractionOf, progressBar, setFraction, stateBadge, stateName, updateBadge } from "./job_state.js";
import { errorText } from "./messages.js";
import type { Surroundings } from "./page.js";

export class JobHead {
  readonly element: HTMLElement;
  private readonly title = h("h1", {});
  private readonly badge: HTMLElement;
  private readonly number = h("span", {});
  private readonly method: HTMLElement;
  private readonly place = h("span", { class: "job-place" });
  private readonly submitted = h("span", {});
  private readonly actions = h("div", { class: "actions" });
  private readonly trouble = h("p", { class: "job-error", hidden: true });
  private readonly doubts = h("section", { class: "job-doubts", "aria-label": english.head.doubts, hidden: true });
  private readonly damage = h("p", { class: "job-damage", role: "alert", hidden: true });
  private readonly analyses = h("span", { class: "analyses" });
  private shownActions = "";
  private kernels: Kernel[] = [];

  constructor(
    private readonly run: Run,
    private readonly around: Surroundings,
    job: Job,
  ) {
    this.kernels = run.topology?.kernels ?? [];
    this.badge = stateBadge(job);
    this.badge.setAttribute("role", "status");
    this.method = h("a", { href: methodAddress(job.method), target: "_blank", rel: "noopener", title: english.head.methodTitle }, job.method);
    const about = h("p", { class: "soft job-about" }, this.number, this.method, this.place, this.submitted);
    this.element = h("header", { class: "job-head" }, h("div", { class: "job-heading" }, h("div", { class: "title-line" }, this.title, this.badge), about), this.actions, this.trouble, this.damage, this.doubts);
    this.update(job);
    void this.offerAnalyses(job);
  }

  /** A link for every method that takes scenes of this job's, to find out something about them. */
  private async offerAnalyses(job: Job): Promise<void> {
    const methods = await listMethods().catch(() => []); /* the page is whole without them */
    const links = methods.filter(({ scenes_of }) => scenes_of === job.method).map(({ name, title }) => h("a", { class: "button", href: analysisAddress(job.id, name), title }, `${heading(name)} …`));
    this.analyses.replaceChildren(...links);
  }

  update(job: Job): void {
    setText(this.title, job.title || job.name);
    this.title.title = job.title || job.name; /* a long one is cut off after two lines */
    this.around.setTitle(`${stateName(job)}: ${job.title || job.name}`);
    updateBadge(this.badge, job);
    const attempt = job.attempt > 1 ? ` · ${english.headAttempt(job.attempt, job.max_attempts)}` : "";
    setText(this.number, `${english.jobTitle(job.id)} · `);
    setText(this.submitted, ` · ${english.headSubmitted(moment(job.created, Date.now()), job.user ?? "")}${attempt}`);
    setText(this.trouble, job.error ?? "");
    this.trouble.hidden = !job.error;
    this.trouble.className = `job-error ${job.state === "failed" ? "failed" : "retried"}`;
    setText(this.damage, job.damage ? english.headDamage(moment(job.damage.found, Date.now()), job.damage.message) : "");
    this.damage.hidden = !job.damage;
    this.layPlace(job);
    this.layDoubts(job);
    this.layActions(job);
  }

  /** What computed, once the recording says it. */
  setKernels(kernels: Kernel[]): void {
    this.kernels = kernels;
    if (this.run.job) this.layPlace(this.run.job);
  }

  /** On how many processes and on which device the run was made, or will be. */
  private layPlace(job: Job): void {
    const device = this.kernels.find(({ sameBitsAs }) => sameBitsAs !== "");
    const { executor = "local", executor_options: options } = job;
    const parts = job.run ? [job.run.ranks > 1 ? english.headRanks(job.run.ranks) : this.deviceText(job.run.device, device)] : [];
    if (executor !== "local") parts.push(english.headExecutor(executor, options?.partition ?? ""));
    setText(this.place, parts.map((part) => ` · ${part}`).join(""));
    this.place.title = this.kernels.map(({ what, variant, sameBitsAs }) => (sameBitsAs === "" ? english.headKernel(what, variant) : english.headKernelAs(what, variant, sameBitsAs))).join("\n");
  }

  private deviceText(asked: string, used: Kernel | undefined): string {
    if (asked === "cpu") return english.head.onProcessor;
    if (this.kernels.length === 0) return asked === "auto" ? english.head.onGpuOrProcessor : english.headDevice(asked);
    if (!used) return asked === "auto" ? english.head.onProcessorForGpu : english.head.onProcessor;
    return english.headDeviceBy(asked === "auto" ? english.head.gpu : asked, used.variant);
  }

  private layDoubts(job: Job): void {
    const doubts = job.doubts ?? [];
    const text = doubts.map((doubt) => doubt.message).join("\n");
    this.doubts.hidden = doubts.length === 0;
    if (text === this.doubts.dataset["text"]) return;
    this.doubts.dataset["text"] = text;
    const heading = ended(job.state) ? english.head.doubtsEnded : english.head.doubtsSoFar;
    this.doubts.replaceChildren(h("p", {}, heading), h("ul", {}, ...doubts.map((doubt) => h("li", {}, doubt.message))));
  }

  private layActions(job: Job): void {
    const key = `${job.state}${job.cancel_requested ? " cancelling" : ""}`;
    if (key === this.shownActions) return;
    this.shownActions = key;
    const act = (label: string, request: () => Promise<unknown>, kind = ""): HTMLButtonElement => {
      const button = h("button", { type: "button", class: kind }, label);
      button.addEventListener("click", () => {
        button.disabled = true;
        request()
          .catch((error: unknown) => this.around.say(errorText(error), true))
          .finally(() => (button.disabled = false));
      });
      return button;
    };
    const over = ended(job.state);
    const focused = this.actions.contains(document.activeElement);
    const buttons: HTMLElement[] = [];
    if (job.state === "paused") buttons.push(act(english.head.resume, () => this.run.ask(() => resumeJob(job.id))));
    if (job.state === "running" || job.state === "queued") buttons.push(act(english.head.pause, () => this.run.ask(() => pauseJob(job.id))));
    if (!over) buttons.push(act(english.head.cancel, () => this.cancel(job), "danger"));
    if (over) buttons.push(act(english.head.delete, () => this.remove(job), "danger"));
    if (job.cancel_requested && !over) for (const button of buttons) if (button instanceof HTMLButtonElement) button.disabled = true;
    this.actions.replaceChildren(h("a", { class: "button", href: rerunAddress(job.id) }, over ? english.head.runAgain : english.head.runVariant), h("a", { class: "button", href: varyAddress(job.id), title: english.head.varyTitle }, english.head.vary), this.analyses, ...buttons);
    if (focused) this.actions.querySelector<HTMLElement>("button, a")?.focus();
  }

  private async cancel(job: Job): Promise<void> {
    if (!confirm(cancelQuestion(job))) return;
    await this.run.ask(() => cancelJob(job.id));
  }

  private async remove(job: Job): Promise<void> {
    if (!confirm(english.deleteQuestion(job.id))) return;
    await deleteJob(job.id);
    location.hash = "#/";
  }
}

/** The numbers of a run. */
export class JobNumbers {
  readonly element: HTMLElement;
  private readonly bar: HTMLElement;
  private readonly values = new Map<string, HTMLElement>();
  private readonly facts = h("dl", { class: "facts big" });
  private readonly before: HTMLElement[];
  private readonly after: HTMLElement[];
  private declared = ""; /** labels that stand between `before` and `after`, a line each */
  private declaredValues: HTMLElement[] = [];
  private readonly clockName = h("dt", {}, english.numbers.timeLeft);
  private readonly skipped = h("p", { class: "soft skipped", hidden: true });

  constructor(job: Job) {
    this.bar = progressBar(english.numbers.progressBar);
    const fact = (name: string): HTMLElement => {
      const value = h("dd", {}, "–");
      this.values.set(name, value);
      return h("div", {}, name === english.numbers.timeLeft ? this.clockName : h("dt", {}, name), value);
    };
    this.before = [english.numbers.simulatedTime, english.numbers.timeLeft].map(fact);
    this.after = [english.numbers.step, english.numbers.speed].map(fact);
    this.facts.append(...this.before, ...this.after);
    this.element = h("section", { class: "card numbers", "aria-label": english.numbers.title }, this.bar, this.facts, this.skipped);
    this.update(job);
  }

  update(job: Job): void {
    const p = job.progress;
    setFraction(this.bar, fractionOf(job));
    this.bar.classList.toggle("active", job.state === "running");
    this.set(english.numbers.simulatedTime, p ? english.numbersOf(quantity(p.sim_time, "s"), quantity(p.duration, "s")) : english.numbers.notStarted);
    if (ended(job.state)) {
      const took = job.started && job.ended ? (Date.parse(job.ended) - Date.parse(job.started)) / 1000 : null;
      setText(this.clockName, english.numbers.took);
      this.set(english.numbers.timeLeft, took === null ? "–" : duration(took));
    } else if (job.state === "running") this.set(english.numbers.timeLeft, p && p.eta_seconds !== null ? duration(p.eta_seconds) : english.numbers.notKnown);
    else this.set(english.numbers.timeLeft, job.state === "paused" ? english.numbers.paused : english.numbersEstimate(duration(job.estimate.run_seconds)));
    this.showHeadlines(p?.headlines ?? [], p?.stage ?? null);
    this.set(english.numbers.step, !p ? english.numbersOf("0", count(job.estimate.step_count)) : p.step_count > 0 ? english.numbersOf(count(p.step), count(p.step_count)) : count(p.step));
    const speed = p && (ended(job.state) ? p.step / (p.run_seconds ?? NaN) : p.steps_per_second); /* of an ended run in the mean */
    this.set(english.numbers.speed, speed !== null && Number.isFinite(speed) && speed > 0 ? english.numbersStepsPerSecond(quantity(speed, "1", 3)) : "–");
  }

  setSkipped(frames: number): void {
    this.skipped.hidden = frames === 0;
    setText(this.skipped, english.numbersSkipped(frames, count(frames)));
  }

  /** What the run's method declares, which is known once it runs; and the stage it is in. */
  private showHeadlines(headlines: Headline[], stage: string | null): void {
    const shown = [...headlines.map((one) => [one.label, headlineText(one, 4)] as const), ...(stage === null ? [] : [[english.numbers.stage, stage] as const])];
    const names = shown.map(([label]) => label).join("\n");
    if (names !== this.declared) {
      this.declared = names;
      this.declaredValues = shown.map(() => h("dd", {}));
      this.facts.replaceChildren(...this.before, ...shown.map(([label], k) => h("div", {}, h("dt", {}, label), this.declaredValues[k] ?? "")), ...this.after);
    }
    this.declaredValues.forEach((value, k) => setText(value, shown[k]?.[1] ?? ""));
  }

  private set(name: string, text: string): void {
    const value = this.values.get(name);
    if (value) setText(value, text);
  }
}
