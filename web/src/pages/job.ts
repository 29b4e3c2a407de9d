/** One job: its run live or replayed, in 3D and as curves. */
import { ApiError, ended, getFiles, getTables, type Job } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { quantity } from "../format.js";
import { Player } from "../player.js";
import type { PlotBoard } from "../plot/plot_board.js";
import { Run } from "../run.js";
import type { Topology } from "../recording/topology.js";
import { DownloadPanel, type Recorded } from "./downloads.js";
import { JobHead, JobNumbers } from "./job_head.js";
import { errorBox } from "./messages.js";
import type { Page, Surroundings } from "./page.js";
import { ResultsPanel } from "./results.js";
import { listenForShortcuts } from "./shortcuts.js";
import { Timeline } from "./timeline.js";

/* The parts that need a topology, with three.js, come with the first job looked at: the list of jobs opens without them. */
const loadStage = (): Promise<typeof import("./stage.js")> => import("./stage.js");

const PLOT_SHARE = 8; /* drawing the curves takes at most one part in so many of the time */

const ROOM_PIXELS = 28; /* above and below the picture */

const WAITING = {
  queued: english.job.waitingQueued,
  running: english.job.waitingRunning,
  paused: english.job.waitingPaused,
  ended: english.job.nothingRecorded,
};

export function jobPage(around: Surroundings, id: number): Page {
  const view = new JobView(around, id);
  return { title: english.jobTitle(id), element: view.element, dispose: () => view.dispose() };
}

class JobView {
  readonly element = h("div", { class: "page job-page" }, h("p", { class: "loading" }, english.job.loading));
  private readonly run: Run;
  private readonly player: Player;
  private stage: InstanceType<typeof import("./stage.js").Stage> | null = null;
  private plot: PlotBoard | null = null;
  private head: JobHead | null = null;
  private numbers: JobNumbers | null = null;
  private timeline: Timeline | null = null;
  private downloads: DownloadPanel | null = null;
  private results: ResultsPanel | null = null;
  private listedAll = false; /* its tables and files were asked for since it ended */
  private above = new ResizeObserver(() => undefined);
  private plotRequest = 0;
  private plotTimer: ReturnType<typeof setTimeout> | null = null;
  private plotNext = 0;
  private gone = false;
  private readonly stagePlace = h("div", { class: "stage-place" });
  private readonly plotPlace = h("div", { class: "plot-place" });
  private readonly events = h("ol", { class: "events" });
  private readonly eventsCard = h("section", { class: "card", "aria-label": english.job.events, hidden: true }, h("h2", {}, english.job.events), this.events);
  private unlisten: () => void = () => undefined;

  constructor(
    private readonly around: Surroundings,
    private readonly id: number,
  ) {
    this.run = new Run(id, around.stream);
    this.player = new Player(this.run.frames, (frame, drawn) => (this.stage ? this.stage.show(frame, drawn) : drawn()), () => !this.over);
    this.player.onTrouble.add((message) => around.say(message, true));
    this.player.onChange.add(() => {
      if (this.player.shown) this.plot?.setTime(this.player.shown.time);
      this.downloads?.update();
    });
    this.run.onJob.add((job) => this.updateJob(job));
    this.run.onTrouble.add((message) => around.say(message, true));
    this.run.onGone.add(() => this.showGone());
    this.run.onEvent.add(() => {
      this.showEvents();
      this.timeline?.update();
    });
    this.run.onTopology.add((topology) => (void this.build(topology), void this.listTables(), this.head?.setKernels(topology.kernels)));
    this.run.onCurves.add(() => this.plotLater());
    this.run.onEnd.add(() => {
      if (this.player.mode === "live") this.player.live();
    });
    this.run.onFrame.add((frame, drawn) => {
      this.player.receive(frame, drawn);
      this.numbers?.setSkipped(this.over ? 0 : this.run.skipped); /* all that an ended run recorded is on the time line */
    });
    void this.open();
  }

  dispose(): void {
    this.gone = true;
    cancelAnimationFrame(this.plotRequest);
    if (this.plotTimer !== null) clearTimeout(this.plotTimer);
    this.unlisten();
    this.above.disconnect();
    this.player.close();
    this.run.close();
    this.stage?.dispose();
    this.plot?.dispose();
    this.results?.dispose();
  }

  private get over(): boolean {
    return this.run.job !== null && ended(this.run.job.state);
  }

  private async open(): Promise<void> {
    try {
      const job = await this.run.load();
      if (!this.gone && !this.head) this.lay(job);
    } catch (error) {
      if (this.gone) return;
      if (error instanceof ApiError && error.status === 404) this.showGone();
      else this.element.replaceChildren(errorBox(error, () => void this.open()));
    }
  }

  private lay(job: Job): void {
    this.head = new JobHead(this.run, this.around, job);
    this.numbers = new JobNumbers(job);
    this.timeline = new Timeline(this.player, this.run.frames, this.run.events);
    this.downloads = new DownloadPanel(this.id, this.around, () => this.recorded());
    this.results = new ResultsPanel(this.id);
    this.timeline.setRunning(!ended(job.state));
    const side = h("div", { class: "job-side" }, this.numbers.element, this.plotPlace, this.eventsCard, this.downloads.element);
    const main = h("div", { class: "job-main card" }, this.stagePlace, this.timeline.element);
    this.element.replaceChildren(this.head.element, h("div", { class: "job-grid" }, main, side), this.results.element);
    this.above.disconnect();
    this.above = new ResizeObserver(() => main.style.setProperty("--job-above", `${Math.ceil((this.head?.element.getBoundingClientRect().bottom ?? 0) + scrollY + ROOM_PIXELS)}px`));
    this.above.observe(this.head.element);
    this.showWaiting(job);
    this.unlisten = listenForShortcuts({
      " ": () => this.player.toggle(),
      ArrowLeft: () => this.player.step(-1),
      ArrowRight: () => this.player.step(1),
      Home: () => this.player.seek(0),
      End: () => this.player.seek(this.run.frames.marks.length - 1),
      l: () => !this.over && this.player.live(),
      f: () => this.stage?.fit(),
      c: () => this.stage?.toggleClip(),
      v: () => this.stage?.nextField(),
      s: () => this.stage?.toggleSurface(),
    });
  }

  private updateJob(job: Job): void {
    if (this.gone) return;
    if (!this.head) this.lay(job);
    this.head?.update(job);
    this.numbers?.update(job);
    if (this.over) this.numbers?.setSkipped(0);
    if (this.over && !this.listedAll) {
      this.listedAll = true; /* the record of the end comes before the job is told to have ended */
      void this.listTables();
    }
    this.downloads?.update();
    this.timeline?.setRunning(!ended(job.state));
    if (!this.run.topology) this.showWaiting(job);
  }

  private showWaiting(job: Job): void {
    if (this.run.topology) return;
    const state = ended(job.state) ? "ended" : (job.state as "queued" | "running" | "paused");
    this.stagePlace.replaceChildren(h("p", { class: "stage-empty" }, (state === "running" && job.progress?.stage) || WAITING[state])); /* at a batch engine the stage says why it waits */
  }

  private async build(topology: Topology): Promise<void> {
    const { Stage, PlotBoard: Board } = await loadStage();
    if (this.gone || !this.run.curves) return;
    this.plot = new Board(this.id, topology, this.run.curves, (time) => this.seekTime(time), () => english.jobCurveName(this.id, this.run.job?.title || this.run.job?.name || ""));
    this.plotPlace.replaceChildren(this.plot.element);
    this.stage = new Stage(this.id, topology, this.run.geometries, this.run.frames, (...into) => this.plot?.drawInto(...into), (cut) => {
      if (this.run.showWithin(cut)) this.player.again();
    });
    this.stagePlace.replaceChildren(this.stage.element);
    if (this.player.shown) this.stage.show(this.player.shown, () => undefined);
    if (this.player.shown) this.plot.setTime(this.player.shown.time);
    else if (this.run.frames.marks.length > 0) this.player.live();
  }

  private async listTables(): Promise<void> {
    const [tables, files] = await Promise.all([getTables(this.id).catch(() => []), getFiles(this.id).catch(() => [])]); /* the other downloads are there all the same */
    if (this.gone || !this.run.job) return;
    this.downloads?.showTables(tables);
    this.downloads?.showFiles(files);
    if (this.over) this.results?.show(this.run.job, tables, files);
  }

  private recorded(): Recorded {
    const { topology, curves } = this.run;
    return {
      frame: this.player.shown ? { seq: this.player.shown.seq, number: this.player.index } : null,
      samples: curves?.length ?? 0,
      plots: topology?.plots.length ?? 0,
      surfaces: topology?.drawables.some(({ kind, pieces }) => kind === "instances" || kind === "surface" || (kind === "points" && pieces >= 0)) ?? false,
      recording: topology !== null,
    };
  }

  private plotLater(): void {
    if (this.plotRequest !== 0 || this.plotTimer !== null) return;
    const wait = this.plotNext - performance.now();
    if (wait > 0) {
      this.plotTimer = setTimeout(() => ((this.plotTimer = null), this.plotLater()), wait);
      return;
    }
    this.plotRequest = requestAnimationFrame(() => {
      this.plotRequest = 0;
      const begun = performance.now();
      this.plot?.update();
      this.downloads?.update();
      const took = performance.now() - begun + (this.plot?.drawMs ?? 0);
      this.plotNext = begun + PLOT_SHARE * took; /* a curve of a million samples is drawn less often, so that the rest of the page stays quick */
    });
  }

  /** Shows the last frame at or before a time: clicking the curve moves the picture. */
  private seekTime(time: number): void {
    const { marks } = this.run.frames;
    let index = 0;
    while (index + 1 < marks.length && (marks[index + 1]?.time ?? Infinity) <= time * (1 + 1e-9)) index++;
    this.player.seek(index);
  }

  private showEvents(): void {
    this.eventsCard.hidden = this.run.events.length === 0;
    const items = this.run.events.map((event) =>
      h("li", { class: `event event-${event.kind.replace(/[^a-z_]/g, "")}` }, h("button", { type: "button", class: "link", title: english.job.showMoment, onclick: () => this.seekTime(event.time) }, quantity(event.time, "s", 4)), h("span", {}, event.message)),
    );
    this.events.replaceChildren(...items);
  }

  private showGone(): void {
    this.element.replaceChildren(h("div", { class: "card empty" }, h("h1", {}, english.jobNone(this.id)), h("p", {}, english.job.noneWhy), h("a", { class: "button primary", href: "#/" }, english.shared.allJobs)));
  }
}
