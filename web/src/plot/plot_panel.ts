/** The plot with its choices: which plot the scene declared, or any series against any other; exports. */
import { movingAverage, sampleAt, type Curves } from "../recording/curves.js";
import { h, saveFile } from "../dom.js";
import * as english from "../english/plot.js";
import type { PlotDeclaration, Topology } from "../recording/topology.js";
import { quantity } from "../format.js";
import type { Comparison } from "./comparison.js";
import { drawFigureInto, PAPER, svgFile, type Box } from "./figure.js";
import type { Line, PlotData } from "./layout.js";
import { PlotCanvas } from "./plot.js";
import { firstContact, productUnit, quotientUnit, readoutsOf, scaledUnit } from "./readouts.js";
import type { MeasuredBoard } from "../measured/measured_board.js";
import { loadPlot } from "./load_plot.js";
import { screenTheme } from "./screen_theme.js";
import { seriesGroups } from "./series_groups.js";

export class PlotPanel {
  readonly element: HTMLElement;
  private readonly canvas: PlotCanvas;
  private readonly plots: HTMLSelectElement;
  private readonly x: HTMLSelectElement;
  private readonly y: HTMLSelectElement;
  private readonly smoothing = h("input", { type: "number", min: 1, max: 100000, step: 1, value: 1, "aria-label": english.panel.averageLabel });
  private readonly title = h("h2", {});
  private readonly logX = h("input", { type: "checkbox" });
  private readonly logY = h("input", { type: "checkbox" });
  private readonly aligned = h("input", { type: "checkbox" });
  private readonly numbers = h("dl", { class: "plot-numbers" });
  private readonly read = h("details", { class: "plot-read" }, h("summary", { title: english.panel.readTitle }, english.panel.read), this.numbers);
  private readonly declared: PlotDeclaration[];
  private scale = 1;
  private unit = ""; /* of y times scale; "": not said */
  private time = 0;
  measured: MeasuredBoard | null = null; /** whose curves are drawn with the job's, where they are in the units of the axes */

  constructor(
    private readonly job: number,
    private readonly comparison: Comparison,
    private readonly topology: Topology,
    private readonly curves: Curves,
    seek: (time: number) => void,
    /** What this job is called in the legend. */
    private readonly label: () => string,
    /** Which of the plots to begin with. */
    first = 0,
  ) {
    const load = loadPlot(topology);
    this.declared = load ? [load, ...topology.plots] : topology.plots;
    this.canvas = new PlotCanvas((sample) => seek(this.curves.column(0)[sample] ?? 0));
    this.canvas.onZoom = () => this.readOff();
    for (const input of [this.logX, this.logY, this.aligned]) input.addEventListener("change", () => (this.canvas.zoom(null), this.update()));
    this.read.addEventListener("toggle", () => this.readOff());
    const options = (): HTMLElement[] =>
      seriesGroups(topology.series).flatMap(({ title, members }) => {
        const entries = members.map(({ index, label }) => h("option", { value: index }, label));
        return title === "" ? entries : [h("optgroup", { label: title }, ...entries)];
      });
    this.x = h("select", { "aria-label": english.panel.horizontal, onchange: () => this.chooseOwn() }, ...options());
    this.y = h("select", { "aria-label": english.panel.vertical, onchange: () => this.chooseOwn() }, ...options());
    this.plots = h("select", { "aria-label": english.panel.which, onchange: () => this.choosePlot() }, ...this.declared.map((plot, i) => h("option", { value: i }, this.plotTitle(plot))), h("option", { value: -1 }, english.panel.own));
    this.smoothing.addEventListener("input", () => this.update());
    this.element = h("section", { class: "card plot-card", "aria-label": english.panel.curves }, this.title, this.canvas.element, this.settings(), this.read, this.exports());
    this.plots.value = this.declared.length > first ? String(first) : "-1";
    this.choosePlot();
  }

  dispose(): void {
    this.canvas.dispose();
  }

  /** The names of the curves that are plotted, and what y is multiplied by. */
  get axes(): { x: string; y: string; scale: number } {
    return { x: this.topology.series[Number(this.x.value)]?.name ?? "", y: this.topology.series[Number(this.y.value)]?.name ?? "", scale: this.scale };
  }

  /** What drawing the curves took last. */
  get drawMs(): number {
    return this.canvas.drawMs;
  }

  /** New samples came. */
  update(): void {
    const data = this.data();
    this.canvas.show(data);
    this.setTime(this.time);
    this.readOff(data);
  }

  /** Marks the sample at the time the 3D view shows. */
  setTime(time: number): void {
    this.time = time;
    /* A frame and its sample may differ in the last bits of their times. */
    this.canvas.setMarker(sampleAt(this.curves.column(0), time * (1 + 1e-9)));
  }

  /** Draws the plot whole into a picture, with a dot at a time, s. */
  drawInto(context: CanvasRenderingContext2D, box: Box, time: number, dark: boolean): void {
    drawFigureInto(context, box, this.data(), dark ? screenTheme() : PAPER, sampleAt(this.curves.column(0), time * (1 + 1e-9)));
  }

  private settings(): HTMLElement {
    return h(
      "div",
      { class: "plot-settings" },
      h("label", {}, english.panel.plot, " ", this.plots),
      h("label", { class: "axis" }, english.panel.y, " ", this.y),
      h("label", { class: "axis" }, english.panel.x, " ", this.x),
      h("label", {}, english.panel.average, " ", this.smoothing),
      h("label", {}, this.logX, " ", english.panel.logX),
      h("label", {}, this.logY, " ", english.panel.logY),
      h("label", { title: english.panel.contactTitle }, this.aligned, " ", english.panel.contact),
    );
  }

  private exports(): HTMLElement {
    const name = `job-${this.job}`;
    const reset = h("button", { type: "button", class: "small whole", title: english.panel.wholeTitle, onclick: () => this.canvas.zoom(null) }, english.panel.whole);
    return h(
      "div",
      { class: "exports", role: "group", "aria-label": english.panel.saveLabel },
      h("span", {}, english.panel.save),
      h("button", { type: "button", class: "small", onclick: () => saveFile(`${name}-plot.svg`, new Blob([svgFile(this.data(), this.title.textContent ?? "", this.canvas.zoomed)], { type: "image/svg+xml" })) }, "SVG"),
      h("button", { type: "button", class: "small", onclick: () => void this.canvas.picture().then((picture) => picture && saveFile(`${name}-plot.png`, picture)) }, "PNG"),
      h("button", { type: "button", class: "small", onclick: () => saveFile(`${name}-plot.csv`, new Blob([this.csv()], { type: "text/csv" })) }, "CSV"),
      reset,
    );
  }

  private plotTitle(plot: PlotDeclaration): string {
    if (plot.title !== "") return plot.title;
    const label = (name: string): string => this.topology.series.find((s) => s.name === name)?.label ?? name;
    return `${label(plot.y)} / ${label(plot.x)}`;
  }

  private choosePlot(): void {
    const plot = this.declared[Number(this.plots.value)];
    const place = (name: string | undefined, otherwise: number): string => {
      const index = this.topology.series.findIndex((s) => s.name === name);
      return String(index < 0 ? otherwise : index);
    };
    if (plot || this.x.value === this.y.value) {
      this.x.value = place(plot?.x, 0);
      const energy = this.topology.series.findIndex(({ unit }) => unit === "J");
      this.y.value = place(plot?.y, energy > 0 ? energy : Math.min(1, this.topology.series.length - 1));
    }
    this.scale = plot?.scale ?? 1;
    this.unit = plot?.unit ?? "";
    if (plot) this.smoothing.value = String(plot.movingAverage);
    this.update();
  }

  private chooseOwn(): void {
    this.plots.value = "-1";
    this.scale = 1;
    this.unit = "";
    this.update();
  }

  private data(): PlotData {
    const [xs, ys] = [this.topology.series[Number(this.x.value)], this.topology.series[Number(this.y.value)]];
    const window = Math.max(1, Math.floor(Number(this.smoothing.value)) || 1);
    const shown = (values: Float64Array): Float64Array => {
      const smooth = movingAverage(values, window);
      return this.scale === 1 ? smooth : smooth.map((value) => value * this.scale);
    };
    const own = { label: this.comparison.labels()[0] || this.label(), x: this.curves.column(Number(this.x.value)), y: shown(this.curves.column(Number(this.y.value))) };
    const others = this.comparison.lines(xs?.name ?? "", ys?.name ?? "").map((line) => ({ ...line, y: shown(line.y) }));
    const plot = this.declared[Number(this.plots.value)];
    const { label, unit } = scaledUnit(ys?.label ?? "", ys?.unit ?? "1", this.scale, this.unit);
    this.title.textContent = plot ? this.plotTitle(plot) : `${ys?.label ?? ""} / ${xs?.label ?? ""}`;
    const measured = this.measured?.lines(xs?.unit ?? "1", unit === "°" ? "rad" : unit, unit === "°" ? this.scale : 1) ?? [];
    const logarithmic = { x: this.logX.checked, y: this.logY.checked };
    return { ...this.placed(own), xLabel: xs?.label ?? "", yLabel: label, xUnit: xs?.unit ?? "1", yUnit: unit, others: [...others, ...measured].map((line) => this.placed(line)), logarithmic };
  }

  /** A curve moved to begin at its first contact, where that is asked for and there is one. */
  private placed(line: Line): Line {
    const from = this.aligned.checked ? firstContact(line.x, line.y) : NaN;
    return Number.isNaN(from) ? line : { ...line, x: line.x.map((value) => value - from) };
  }

  private readOff(data = this.data()): void {
    if (!this.read.open) return;
    const found = readoutsOf(data.x, data.y, this.canvas.zoomed?.x ?? null);
    const { xUnit, yUnit } = data;
    const rows: [string, string][] = found
      ? [
          [english.panel.peak, english.panelPeakAt(quantity(found.peak.y, yUnit, 4), quantity(found.peak.x, xUnit, 4))],
          [english.panel.difference, english.panelDifferenceOver(quantity(found.difference.y, yUnit, 4), quantity(found.difference.x, xUnit, 4))],
          [english.panel.slope, quantity(found.slope, quotientUnit(yUnit, xUnit), 4)],
          [productUnit(yUnit, xUnit) === "J" ? english.panel.energy : english.panel.integral, quantity(found.integral, productUnit(yUnit, xUnit), 4)],
          [english.panel.mean, quantity(found.mean, yUnit, 4)],
        ]
      : [];
    this.numbers.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }

  /** What is plotted: two columns for each curve, under their jobs' names when there are several. All curves of this job are in curves.csv. */
  private csv(): string {
    const [xs, ys] = [this.topology.series[Number(this.x.value)], this.topology.series[Number(this.y.value)]];
    const data = this.data();
    const names = [`${xs?.name ?? "x"} [${xs?.unit ?? ""}]`, `${ys?.name ?? "y"} [${ys?.unit ?? ""}]`];
    const lines = [data, ...data.others];
    const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const heads = lines.flatMap((line) => names.map((name) => (lines.length === 1 ? name : quoted(`${line.label}: ${name}`))));
    const rows = [heads.join(",")];
    const length = Math.max(...lines.map((line) => line.x.length));
    for (let i = 0; i < length; i++) rows.push(lines.map((line) => (i < line.x.length ? `${line.x[i] ?? ""},${line.y[i] ?? ""}` : ",")).join(","));
    return `${rows.join("\n")}\n`;
  }
}
