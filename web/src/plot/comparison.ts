/** Another job's curves, drawn with this one's: the choice of the job, its samples, and what to say when it has no such curve. */
import { getCurves, listJobs, type JobCurves } from "../api.js";
import { h, setText } from "../dom.js";

export interface ComparedCurve {
  label: string;
  x: Float64Array;
  y: Float64Array;
}

export class Comparison {
  readonly element: HTMLElement;
  private readonly choice = h("select", { "aria-label": "Compare with" }, h("option", { value: "" }, "No other job"));
  private readonly note = h("p", { class: "plot-note", role: "status" });
  private curves: JobCurves | null = null;
  private request: AbortController | null = null;

  /** @param changed is called when there is something else to draw */
  constructor(
    private readonly job: number,
    private readonly changed: () => void,
  ) {
    this.choice.addEventListener("focus", () => void this.listJobs());
    this.choice.addEventListener("change", () => void this.choose());
    this.note.hidden = true;
    this.element = h("label", {}, "Compare with ", this.choice);
  }

  /** Where the trouble is told. */
  get message(): HTMLElement {
    return this.note;
  }

  dispose(): void {
    this.request?.abort();
  }

  /** The other job's curve of these two series; null when no job is chosen or it reports no such series. */
  curve(xName: string, yName: string): ComparedCurve | null {
    const { curves } = this;
    if (!curves) return null;
    const [x, y] = [xName, yName].map((name) => curves.series.findIndex((series) => series.name === name)) as [number, number];
    if (x < 0 || y < 0) {
      this.say(`Job ${curves.job} reports no curve ${x < 0 ? xName : yName}.`);
      return null;
    }
    this.say("");
    const column = (index: number): Float64Array => Float64Array.from(curves.samples, (row) => row[index] ?? NaN);
    return { label: this.choice.selectedOptions[0]?.textContent ?? `Job ${curves.job}`, x: column(x), y: column(y) };
  }

  private say(text: string): void {
    setText(this.note, text);
    this.note.hidden = text === "";
  }

  private async listJobs(): Promise<void> {
    try {
      const { jobs } = await listJobs();
      const known = new Set([...this.choice.options].map((option) => option.value));
      for (const job of jobs) if (job.id !== this.job && job.state !== "queued" && !known.has(String(job.id))) this.choice.append(h("option", { value: job.id }, `Job ${job.id}: ${job.title || job.name} (${job.method})`));
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private async choose(): Promise<void> {
    this.request?.abort();
    this.curves = null;
    this.say("");
    this.changed();
    if (this.choice.value === "") return;
    const request = (this.request = new AbortController());
    try {
      const curves = await getCurves(Number(this.choice.value), request.signal);
      if (request.signal.aborted) return;
      this.curves = curves;
      this.changed();
    } catch (error) {
      if (!request.signal.aborted) this.say(error instanceof Error ? error.message : String(error));
    }
  }
}
