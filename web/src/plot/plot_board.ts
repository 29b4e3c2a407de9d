/** The plots of a job: one to begin with, as many as wanted, each of its own choice, all with the same jobs for comparison. */
import type { Curves } from "../recording/curves.js";
import { h } from "../dom.js";
import * as english from "../english/plot.js";
import type { Topology } from "../recording/topology.js";
import { calibrationAddress, comparedIn, comparingAddress, measuredIn } from "../router.js";
import { MeasuredBoard } from "../measured/measured_board.js";
import { quoted } from "./expression_name.js";
import { Comparison } from "./comparison.js";
import type { Box } from "./figure.js";
import { PlotPanel } from "./plot_panel.js";

const MOST = 8;

export class PlotBoard {
  readonly element: HTMLElement;
  private readonly panels: PlotPanel[] = [];
  private readonly list = h("div", { class: "plot-list" });
  private readonly comparison: Comparison;
  private readonly measured: MeasuredBoard;
  private readonly add: HTMLButtonElement;
  private others: number[] = comparedIn(location.hash);
  private laid: number[] = measuredIn(location.hash);
  private time = 0;

  constructor(
    private readonly job: number,
    private readonly topology: Topology,
    private readonly curves: Curves,
    private readonly seek: (time: number) => void,
    private readonly label: () => string,
  ) {
    this.comparison = new Comparison(job, this.others, () => this.update(), (ids) => ((this.others = ids), this.keep()));
    this.measured = new MeasuredBoard(
      this.laid,
      (ids) => {
        this.laid = ids;
        this.keep();
        this.update();
      },
      ({ name }) => this.calibrate(name),
    );
    this.add = h("button", { type: "button", class: "small", onclick: () => this.open() }, english.board.add);
    this.element = h("div", { class: "plot-board" }, this.list, h("div", { class: "card plot-common" }, this.comparison.element, this.comparison.message, this.measured.element, this.add));
    this.open();
  }

  dispose(): void {
    this.comparison.dispose();
    for (const panel of this.panels) panel.dispose();
  }

  /** What is laid over the curves stands in the address. */
  private keep(): void {
    history.replaceState(null, "", comparingAddress(this.job, this.others, this.laid));
  }

  /** A calibration of this job's scene to measured curves, with the axes of the first plot. */
  private calibrate(name: string): void {
    const { x, y, scale } = this.panels[0]?.axes ?? { x: "time", y: "", scale: 1 };
    location.hash = calibrationAddress(this.job, { name, x: quoted(x), y: scale === 1 ? quoted(y) : `${scale} * ${quoted(y)}` });
  }

  get drawMs(): number {
    return this.panels.reduce((sum, panel) => sum + panel.drawMs, 0);
  }

  update(): void {
    for (const panel of this.panels) panel.update();
  }

  setTime(time: number): void {
    this.time = time;
    for (const panel of this.panels) panel.setTime(time);
  }

  /** Draws the first plot into a picture, with a dot at a time, s. */
  drawInto(context: CanvasRenderingContext2D, box: Box, time: number, dark: boolean): void {
    this.panels[0]?.drawInto(context, box, time, dark);
  }

  private open(): void {
    const panel = new PlotPanel(this.job, this.comparison, this.topology, this.curves, this.seek, this.label, this.panels.length);
    this.panels.push(panel);
    panel.measured = this.measured;
    panel.update();
    this.measured.listen(panel.element);
    if (this.panels.length > 1) panel.element.prepend(this.handles(panel));
    this.list.append(panel.element);
    this.add.disabled = this.panels.length >= MOST;
    panel.setTime(this.time);
  }

  /** What a plot is dragged by: it changes places with the one whose middle the hand passes. Keys have the button beside it. */
  private grip(panel: PlotPanel): HTMLElement {
    const grip = h("span", { class: "plot-grip", title: english.board.drag, "aria-hidden": "true" }, "⠿");
    grip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      const held = new AbortController();
      const { signal } = held;
      panel.element.classList.add("dragged");
      const end = (): void => (held.abort(), panel.element.classList.remove("dragged"));
      window.addEventListener("pointermove", ({ clientY }) => this.place(panel.element, clientY), { signal });
      for (const name of ["pointerup", "pointercancel"] as const) window.addEventListener(name, end, { signal });
    });
    return grip;
  }

  private place(card: HTMLElement, y: number): void {
    const middle = (element: Element): number => element.getBoundingClientRect().top + 0.5 * element.getBoundingClientRect().height;
    const [before, after] = [card.previousElementSibling, card.nextElementSibling];
    if (before && y < middle(before)) this.list.insertBefore(card, before);
    else if (after && y > middle(after)) this.list.insertBefore(after, card);
  }

  private handles(panel: PlotPanel): HTMLElement {
    const move = h("button", { type: "button", class: "small quiet", title: english.board.up, "aria-label": english.board.up }, "↑");
    const close = h("button", { type: "button", class: "small quiet", "aria-label": english.board.remove }, "×");
    move.addEventListener("click", () => {
      const before = panel.element.previousElementSibling;
      if (before) this.list.insertBefore(panel.element, before);
      move.focus();
    });
    close.addEventListener("click", () => {
      this.panels.splice(this.panels.indexOf(panel), 1);
      panel.dispose();
      panel.element.remove();
      this.add.disabled = false;
      this.add.focus();
    });
    return h("div", { class: "plot-handles" }, this.grip(panel), move, close);
  }
}
