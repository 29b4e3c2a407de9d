/** A job's files: links for what the server sends as it is, buttons for what is asked for by Accept. */
import { fileAddress, jobPath, type MadeFile, type TableHead } from "../service/api.js";
import { h, saveFile } from "../dom.js";
import * as english from "../english/pages.js";
import { bytes as byteText } from "../format.js";
import { errorText } from "./messages.js";
import type { Surroundings } from "./page.js";

const FILES_MOST = 12;

async function fetchAs(path: string, accept: string): Promise<Blob> {
  const response = await fetch(path, { headers: { Accept: accept } });
  if (!response.ok) throw new Error(await reasonOf(response));
  return await response.blob();
}

/** What a problem document says, or the status alone. */
async function reasonOf(response: Response): Promise<string> {
  const document = (await response.json().catch(() => ({}))) as { detail?: unknown };
  return typeof document.detail === "string" ? document.detail : english.downloadAnswer(response.status);
}

/** What there is to be saved. */
export interface Recorded {
  frame: { seq: number; number: number } | null; /** the frame that is shown, by its record and by its number from 0; null before the first */
  samples: number;
  plots: number; /** declared by the scene */
  surfaces: boolean; /** something in the frames has a surface, or pieces that are given one */
  recording: boolean;
}

/** The links and buttons, each off with a reason while there is nothing to be had. Call `update` when something came. */
export class DownloadPanel {
  readonly element: HTMLElement;
  private readonly tables = h("div", { class: "download-tables" });
  private readonly made = h("div", { class: "download-tables" });
  private readonly offers: { element: HTMLElement; title: string; lacks: (now: Recorded) => string }[] = [];

  constructor(
    private readonly job: number,
    private readonly around: Surroundings,
    private readonly recorded: () => Recorded,
  ) {
    const path = jobPath(job);
    const noSample = (now: Recorded): string => (now.samples > 0 ? "" : english.download.noSample);
    const recording = h("a", { class: "button small", href: `${path}/recording`, download: `job-${job}-recording.scree` }, "recording.scree");
    recording.addEventListener("click", (event) => recording.getAttribute("aria-disabled") === "true" && event.preventDefault());
    this.offer(recording, english.download.recording, (now) => (now.recording ? "" : english.download.noRecording));
    const list = [
      this.asked("curves.csv", `${path}/curves`, "text/csv", noSample),
      this.asked("plot.svg", `${path}/curves`, "image/svg+xml", (now) => (now.plots === 0 ? english.download.noPlot : noSample(now))),
      this.asked("scene.json", `${path}/scene`, "application/json", () => ""),
      this.surface("stl"),
      this.surface("ply"),
      recording,
    ];
    this.element = h("section", { class: "card downloads", "aria-label": english.download.title }, h("h2", {}, english.download.title), h("div", { class: "download-list" }, ...list, this.tables, this.made));
    this.update();
  }

  /** The tables that the run declares, each with the number of rows there were when it was asked. */
  showTables(tables: TableHead[]): void {
    const path = (table: TableHead): string => `${jobPath(this.job)}/tables/${table.name}`;
    this.tables.replaceChildren(
      ...tables.flatMap((table) => [
        this.asked(`${table.name}.csv`, path(table), "text/csv", () => "", table.label),
        ...(table.picture ? [this.asked(`${table.name}.svg`, path(table), "image/svg+xml", () => "", english.downloadPicture(table.label))] : []),
      ]),
    );
    this.update();
  }

  /** The files that the method made, a link each as far as there is room. */
  showFiles(files: MadeFile[]): void {
    const links = files.slice(0, FILES_MOST).map(({ name, bytes }) => h("a", { class: "button small", href: fileAddress(this.job, name), download: `job-${this.job}-${name.replace("/", "-")}`, title: byteText(bytes) }, name.split("/")[1] ?? name));
    const rest = files.length - links.length;
    this.made.replaceChildren(...links, ...(rest > 0 ? [h("span", {}, english.downloadMore(rest, this.job))] : []));
  }

  update(): void {
    const now = this.recorded();
    for (const { element, title, lacks } of this.offers) {
      const reason = lacks(now);
      element.title = reason || title;
      if (element instanceof HTMLButtonElement) element.disabled = reason !== "";
      else if (reason === "") element.removeAttribute("aria-disabled");
      else element.setAttribute("aria-disabled", "true");
    }
  }

  private offer(element: HTMLElement, title: string, lacks: (now: Recorded) => string): HTMLElement {
    this.offers.push({ element, title, lacks });
    return element;
  }

  private asked(name: string, path: string, accept: string, lacks: (now: Recorded) => string, title = ""): HTMLElement {
    return this.offer(h("button", { type: "button", class: "small", onclick: () => this.save(name, path, accept) }, name), title, lacks);
  }

  private surface(format: string): HTMLElement {
    const button = h("button", { type: "button", class: "small" }, `surface.${format}`);
    button.addEventListener("click", () => {
      const { frame } = this.recorded();
      if (frame) this.save(`frame-${frame.number}.${format}`, `${jobPath(this.job)}/frames/${frame.seq}/surface?format=${format}`, "*/*");
    });
    const lacks = (now: Recorded): string => (!now.surfaces ? english.download.noSurface : now.frame === null ? english.download.noFrame : "");
    return this.offer(button, english.downloadSurface(format.toUpperCase()), lacks);
  }

  private save(name: string, path: string, accept: string): void {
    fetchAs(path, accept)
      .then((content) => saveFile(`job-${this.job}-${name}`, content))
      .catch((error: unknown) => this.around.say(english.downloadFailed(name, errorText(error)), true));
  }
}
