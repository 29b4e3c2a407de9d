/** One study, live: what it varies, how far it is, its table, a scatter of two columns, effects, parallel coordinates and repeated runs. */
import { h, saveFile, setText } from "../dom.js";
import * as english from "../english/study.js";
import { bytes } from "../format.js";
import { errorBox, errorText } from "../pages/messages.js";
import type { Page, Surroundings } from "../pages/page.js";
import { againAddress } from "../router.js";
import { columnsOf } from "./columns.js";
import { CalibrationView } from "./figures/calibration_view.js";
import { Effects } from "./figures/effects.js";
import { Ensemble } from "./figures/ensemble.js";
import { Parallel } from "./figures/parallel.js";
import { Scatter } from "./figures/scatter.js";
import { deleteStudy, getDocument, getStudy, readRows, steerStudy, studyPath, type Study, type StudyDocument, type StudyRow } from "./requests.js";
import { studyStateName } from "./state_names.js";
import { progressText } from "./studies_page.js";
import { TableView } from "./table_view.js";

const LOOK_MS = 1000; /* while it runs */
const REST_MS = 10000; /* else */

function designText(document: StudyDocument): string {
  const factors = [...(document.scenes ? [english.page.scenes] : []), ...Object.keys(document.factors ?? {})];
  const names: Record<string, string> = { grid: english.page.grid, rows: english.page.rows, latin_hypercube: english.page.latin, sobol: english.page.sobol, calibrate: english.page.calibrate };
  return `${names[document.design?.kind ?? "grid"] ?? english.page.other} ${factors.join(", ")}`;
}

class LiveStudy {
  readonly element: HTMLElement;
  private readonly rows: StudyRow[] = [];
  private readonly at = new Map<number, number>(); /* a row's place in `rows` */
  private readonly progress = h("progress", { max: 1, value: 0, "aria-label": english.page.progress });
  private readonly about = h("p", { role: "status" });
  private readonly reason = h("p", { class: "error", hidden: true });
  private readonly actions = h("div", { class: "study-actions" });
  private readonly table: TableView;
  private readonly scatter: Scatter;
  private readonly effects: Effects;
  private readonly parallel: Parallel;
  private readonly ensemble: Ensemble;
  private readonly calibration: CalibrationView | null;
  private readonly ending = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private version = 0;

  constructor(
    private readonly around: Surroundings,
    private study: Study,
    document: StudyDocument,
  ) {
    const columns = columnsOf(document);
    this.table = new TableView(columns, () => this.rows);
    this.effects = new Effects(study.id);
    const name = (): string => this.study.name;
    this.scatter = new Scatter(columns.slice(1), () => this.rows, name, () => this.showEffects());
    this.parallel = new Parallel(columns.slice(1), () => this.rows, name);
    this.ensemble = new Ensemble(study.id, document, columns, name);
    this.calibration = document.design?.kind === "calibrate" ? new CalibrationView(study.id, name) : null;
    this.element = h(
      "div",
      { class: "study" },
      document.description ? h("p", { class: "lead" }, document.description) : null,
      h("p", { class: "soft" }, `${designText(document)}.`),
      h("section", { class: "card study-head" }, this.progress, this.about, this.reason, this.actions),
      this.calibration?.element,
      columns.length > 2 ? h("div", { class: "study-figures" }, this.scatter.element, this.effects.element) : null,
      this.table.element,
      columns.length > 2 ? this.parallel.element : null,
      this.ensemble.element,
    );
    this.showHead();
    void this.look();
  }

  dispose(): void {
    this.ending.abort();
    clearTimeout(this.timer);
    this.scatter.dispose();
    this.effects.dispose();
    this.parallel.dispose();
    this.ensemble.dispose();
    this.calibration?.dispose();
  }

  private async look(): Promise<void> {
    try {
      this.study = await getStudy(this.study.id);
      let changed = false;
      if (this.version === 0 || this.study.version > this.version) {
        this.version = await readRows(this.study.id, this.version, (rows) => (this.take(rows), (changed = changed || rows.length > 0)), this.ending.signal);
      }
      if (this.ending.signal.aborted) return;
      this.showHead();
      if (changed) {
        this.table.update();
        this.scatter.draw();
        this.parallel.draw();
        void this.calibration?.update();
        this.showEffects();
      }
    } catch (error) {
      if (this.ending.signal.aborted) return;
      setText(this.about, errorText(error));
    }
    this.timer = setTimeout(() => void this.look(), this.study.state === "running" || this.study.state === "deleting" ? LOOK_MS : REST_MS);
  }

  private take(rows: StudyRow[]): void {
    for (const row of rows) {
      const place = this.at.get(row.number);
      if (place !== undefined) this.rows[place] = row;
      else {
        this.at.set(row.number, this.rows.length);
        this.rows.push(row);
      }
    }
    if (rows.some((row, k) => k > 0 && row.number < (rows[k - 1]?.number ?? 0))) this.order();
  }

  /** Rows by number: those that are new come in the order in which they changed. */
  private order(): void {
    this.rows.sort((a, b) => a.number - b.number);
    this.rows.forEach((row, k) => this.at.set(row.number, k));
  }

  private showEffects(): void {
    this.effects.show(this.scatter.result, this.study.rows.succeeded);
  }

  private showHead(): void {
    const { rows, state } = this.study;
    this.progress.max = Math.max(1, rows.total);
    this.progress.value = rows.total - rows.waiting - rows.running;
    setText(this.about, `${studyStateName(state)}: ${progressText(this.study)}${rows.running > 0 ? `, ${english.pageRunning(rows.running)}` : ""} · ${english.pageRecordings(bytes(this.study.record_bytes))}`);
    this.reason.hidden = this.study.reason === null;
    setText(this.reason, this.study.reason ?? "");
    const wanted = [state === "running" ? "stop" : state === "stopped" ? "resume" : "", rows.failed + rows.cancelled + rows.refused > 0 ? "retry" : "", state === "running" || state === "deleting" ? "" : "delete"].join();
    if (this.actions.dataset["shown"] === wanted) return;
    this.actions.dataset["shown"] = wanted;
    this.actions.replaceChildren(
      ...(state === "running" ? [this.button(english.page.stop, "stop")] : []),
      ...(state === "stopped" ? [this.button(english.page.resume, "resume")] : []),
      ...(wanted.includes("retry") ? [this.button(english.page.retry, "retry")] : []),
      this.save(),
      h("a", { class: "button small", href: againAddress(this.study.id) }, english.page.again),
      ...(wanted.includes("delete") ? [this.remove(english.page.delete, false), this.remove(english.page.deleteRuns, true)] : []),
    );
  }

  private button(label: string, action: "stop" | "resume" | "retry"): HTMLElement {
    return h("button", { type: "button", class: "small", onclick: () => void steerStudy(this.study.id, action).then((study) => ((this.study = study), this.showHead(), this.again()), (error: unknown) => this.around.say(errorText(error), true)) }, label);
  }

  private again(): void {
    clearTimeout(this.timer);
    void this.look();
  }

  private save(): HTMLElement {
    const save = h("button", { type: "button", class: "small" }, english.page.csv);
    save.addEventListener("click", () => {
      fetch(`${studyPath(this.study.id)}/rows`, { headers: { Accept: "text/csv" } })
        .then(async (response) => saveFile(`${this.study.name}.csv`, await response.blob()))
        .catch((error: unknown) => this.around.say(errorText(error), true));
    });
    return save;
  }

  private remove(label: string, runs: boolean): HTMLElement {
    const button = h("button", { type: "button", class: "small quiet" }, label);
    button.addEventListener("click", () => {
      if (button.dataset["sure"] !== "yes") {
        button.dataset["sure"] = "yes";
        setText(button, english.pageSure(label));
        return;
      }
      deleteStudy(this.study.id, runs).then(() => (location.hash = "#/studies"), (error: unknown) => this.around.say(errorText(error), true));
    });
    return button;
  }
}

export function studyPage(around: Surroundings, id: number): Page {
  const heading = h("h1", {}, english.pageTitle(id));
  const body = h("div", { class: "loading" }, english.page.loading);
  let live: LiveStudy | null = null;
  let gone = false;
  const load = (): void => {
    Promise.all([getStudy(id), getDocument(id)]).then(
      ([study, document]) => {
        if (gone) return;
        setText(heading, study.title);
        around.setTitle(study.title);
        live = new LiveStudy(around, study, document);
        body.className = "";
        body.replaceChildren(live.element);
      },
      (error: unknown) => body.replaceChildren(errorBox(error, load)),
    );
  };
  load();
  return {
    title: english.pageTitle(id),
    element: h("div", { class: "page page-wide" }, h("div", { class: "page-head" }, heading, h("a", { href: "#/studies" }, english.page.all)), body),
    dispose: () => {
      gone = true;
      live?.dispose();
    },
  };
}
