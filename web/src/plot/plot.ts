/** The plot on the screen: drawn on a canvas when there is something new, with a read-out under the pointer, zoom by dragging, and a marker at the
 *  time the 3D view shows, which lie above it: moving the pointer draws no curve anew. x need not ascend, so that loading and unloading branches
 *  show as a loop. */
import { h, setText, svg } from "../dom.js";
import * as english from "../english/plot.js";
import { onTheme } from "../theme.js";
import { quantity } from "../format.js";
import { drawFigure, figureOf, paperPicture, type Figure } from "./figure.js";
import { screenTheme } from "./screen_theme.js";
import { fromPixelX, fromPixelY, toPixelX, toPixelY, type PlotData, type Window } from "./layout.js";
import { nearestSample } from "./trace.js";

const EMPTY: PlotData = { label: "", x: new Float64Array(0), y: new Float64Array(0), xLabel: "", yLabel: "", xUnit: "1", yUnit: "1", others: [] };
const DRAG_PIXELS = 6; /* a shorter drag is a click */
const NEAR_PIXELS = 40;

export class PlotCanvas {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img" });
  private readonly markerDot = svg("circle", { class: "plot-marker", r: 5.5 });
  private readonly hoverDot = svg("circle", { class: "plot-hover", r: 4.5 });
  private readonly frame = svg("rect", { class: "plot-drag" });
  private readonly marks = svg("svg", { class: "plot-marks", "aria-hidden": "true" }, this.frame, this.markerDot, this.hoverDot);
  private readonly readout = h("div", { class: "plot-readout", "aria-live": "off" });
  private readonly empty = h("div", { class: "plot-empty" }, english.curve.empty);
  private data: PlotData = EMPTY;
  private figure: Figure | null = null;
  private window: Window | null = null;
  private marker = -1; /** sample the 3D view shows */
  private hover = -1;
  private drag: { x0: number; y0: number; x1: number; y1: number } | null = null;
  private request = 0;
  private readonly resize = new ResizeObserver(() => this.invalidate());
  private unlistenTheme: () => void = () => undefined;
  drawings = 0; /** how often the curves were drawn */
  drawMs = 0; /** what that took last */
  onZoom: () => void = () => undefined; /** is called when another part is shown */

  /** @param picked is called with a sample's number when the user clicks near the curve */
  constructor(private readonly picked: (sample: number) => void) {
    this.element = h("div", { class: "plot" }, this.canvas, this.marks, this.readout, this.empty);
    this.canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    this.canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    this.canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    this.canvas.addEventListener("pointercancel", () => ((this.drag = null), this.mark()));
    this.canvas.addEventListener("pointerleave", () => this.setHover(-1));
    this.canvas.addEventListener("dblclick", () => this.zoom(null));
    this.unlistenTheme = onTheme.add(this.invalidate);
    this.resize.observe(this.element);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.resize.disconnect();
    this.unlistenTheme();
  }

  get zoomed(): Window | null {
    return this.window;
  }

  show(data: PlotData): void {
    if (data.xLabel !== this.data.xLabel || data.yLabel !== this.data.yLabel) this.window = null;
    this.data = data;
    this.invalidate();
  }

  setMarker(sample: number): void {
    if (sample === this.marker) return;
    this.marker = sample;
    this.mark();
  }

  zoom(window: Window | null): void {
    this.window = window;
    this.invalidate();
    this.onZoom();
  }

  /** As on paper, whatever the screen's size and colours. */
  picture(): Promise<Blob | null> {
    return paperPicture(this.data, this.window);
  }

  private readonly invalidate = (): void => {
    if (this.request !== 0) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      this.draw();
    });
  };

  private pointerDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.drag = { x0: event.offsetX, y0: event.offsetY, x1: event.offsetX, y1: event.offsetY };
    this.canvas.setPointerCapture(event.pointerId);
  }

  private pointerMoved(event: PointerEvent): void {
    if (this.drag) {
      this.drag.x1 = event.offsetX;
      this.drag.y1 = event.offsetY;
      this.mark();
    } else this.setHover(this.nearest(event.offsetX, event.offsetY));
  }

  private pointerUp(event: PointerEvent): void {
    const { drag } = this;
    const at = this.figure?.at;
    this.drag = null;
    this.mark();
    if (!drag || !at) return;
    const wide = Math.abs(drag.x1 - drag.x0) > DRAG_PIXELS && Math.abs(drag.y1 - drag.y0) > DRAG_PIXELS;
    if (wide) {
      const xs = [fromPixelX(at, drag.x0), fromPixelX(at, drag.x1)].sort((a, b) => a - b) as [number, number];
      const ys = [fromPixelY(at, drag.y0), fromPixelY(at, drag.y1)].sort((a, b) => a - b) as [number, number];
      this.zoom({ x: xs, y: ys });
      return;
    }
    const sample = this.nearest(event.offsetX, event.offsetY);
    if (sample >= 0) this.picked(sample);
  }

  private nearest(px: number, py: number): number {
    return this.figure ? nearestSample(this.figure.own, px, py, NEAR_PIXELS) : -1;
  }

  private setHover(sample: number): void {
    if (sample === this.hover) return;
    this.hover = sample;
    this.mark();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = this.canvas.getContext("2d");
    if (!context || width === 0 || height === 0) return;
    const begun = performance.now();
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    this.empty.hidden = this.data.x.length > 0;
    this.figure = figureOf(this.data, width, height, this.window);
    drawFigure(context, this.figure, this.data, screenTheme());
    this.drawMs = performance.now() - begun;
    this.element.dataset["drawings"] = String(++this.drawings);
    this.mark();
  }

  /** What lies above the curves. */
  private mark(): void {
    this.put(this.markerDot, this.marker);
    this.put(this.hoverDot, this.hover);
    const { drag } = this;
    const shown = drag && Math.abs(drag.x1 - drag.x0) + Math.abs(drag.y1 - drag.y0) > DRAG_PIXELS;
    this.frame.setAttribute("visibility", shown ? "visible" : "hidden");
    if (drag && shown) {
      this.frame.setAttribute("x", String(Math.min(drag.x0, drag.x1)));
      this.frame.setAttribute("y", String(Math.min(drag.y0, drag.y1)));
      this.frame.setAttribute("width", String(Math.abs(drag.x1 - drag.x0)));
      this.frame.setAttribute("height", String(Math.abs(drag.y1 - drag.y0)));
    }
    this.describe();
  }

  private put(dot: SVGElement, sample: number): void {
    const at = this.figure?.at;
    const px = at ? toPixelX(at, this.data.x[sample] ?? NaN) : NaN;
    const py = at ? toPixelY(at, this.data.y[sample] ?? NaN) : NaN;
    const inside = at && px >= at.left - 1 && px <= at.right + 1 && py >= at.top - 1 && py <= at.bottom + 1;
    dot.setAttribute("visibility", inside ? "visible" : "hidden");
    if (!inside) return;
    dot.setAttribute("cx", px.toFixed(1));
    dot.setAttribute("cy", py.toFixed(1));
  }

  private describe(): void {
    const sample = this.hover >= 0 ? this.hover : this.marker;
    const { x, y, xLabel, yLabel, xUnit, yUnit, others } = this.data;
    const known = sample >= 0 && sample < x.length;
    setText(this.readout, known ? `${quantity(x[sample], xUnit, 4)}  ·  ${quantity(y[sample], yUnit, 4)}` : "");
    const compared = others.map((line) => english.curveWith(line.label, line.x.length)).join("");
    this.canvas.setAttribute("aria-label", english.curveLabel(yLabel, xLabel, x.length) + (known ? english.curveNow(quantity(y[sample], yUnit, 3)) : "") + compared);
  }
}
