/** The plot on the screen: drawn on a canvas, with a read-out under the pointer, zoom by dragging, and a marker at the time
 *  the 3D view shows. x need not ascend, so that loading and unloading branches show as a loop. */
import { h, setText, styleValue } from "../dom.js";
import { quantity } from "../format.js";
import { fromPixelX, fromPixelY, layout, linePixels, tickLabels, toPixelX, toPixelY, type Layout, type PlotData, type Window } from "./figure.js";

const EMPTY: PlotData = { x: new Float64Array(0), y: new Float64Array(0), xLabel: "", yLabel: "", xUnit: "1", yUnit: "1", other: null };
const DRAG_PIXELS = 6; /* a shorter drag is a click */
const NEAR_PIXELS = 40;

export class PlotCanvas {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "img" });
  private readonly readout = h("div", { class: "plot-readout", "aria-live": "off" });
  private readonly empty = h("div", { class: "plot-empty" }, "The curve appears here with the first samples.");
  private data: PlotData = EMPTY;
  private at: Layout | null = null;
  private window: Window | null = null;
  private marker = -1; /** sample the 3D view shows */
  private hover = -1;
  private drag: { x0: number; y0: number; x1: number; y1: number } | null = null;
  private request = 0;
  private readonly resize = new ResizeObserver(() => this.invalidate());
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");

  /** @param picked is called with a sample's number when the user clicks near the curve */
  constructor(private readonly picked: (sample: number) => void) {
    this.element = h("div", { class: "plot" }, this.canvas, this.readout, this.empty);
    this.canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    this.canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    this.canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    this.canvas.addEventListener("pointerleave", () => this.setHover(-1));
    this.canvas.addEventListener("dblclick", () => this.zoom(null));
    this.dark.addEventListener("change", this.invalidate);
    this.resize.observe(this.element);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.resize.disconnect();
    this.dark.removeEventListener("change", this.invalidate);
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
    this.invalidate();
  }

  zoom(window: Window | null): void {
    this.window = window;
    this.invalidate();
  }

  picture(): Promise<Blob | null> {
    this.draw();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
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
      this.invalidate();
    } else this.setHover(this.nearest(event.offsetX, event.offsetY));
  }

  private pointerUp(event: PointerEvent): void {
    const { drag, at } = this;
    this.drag = null;
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
    this.invalidate();
  }

  /** The sample drawn nearest to a pixel, -1 when none is near. */
  private nearest(px: number, py: number): number {
    const at = this.at;
    if (!at) return -1;
    let best = NEAR_PIXELS ** 2;
    let found = -1;
    for (let i = 0; i < this.data.x.length; i++) {
      const dx = toPixelX(at, this.data.x[i] ?? NaN) - px;
      const dy = toPixelY(at, this.data.y[i] ?? NaN) - py;
      const square = dx * dx + dy * dy;
      if (square < best) {
        best = square;
        found = i;
      }
    }
    return found;
  }

  private setHover(sample: number): void {
    if (sample === this.hover) return;
    this.hover = sample;
    this.invalidate();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = this.canvas.getContext("2d");
    if (!context || width === 0 || height === 0) return;
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    this.empty.hidden = this.data.x.length > 0;
    this.at = layout(this.data, width, height, this.window);
    this.drawAxes(context, this.at);
    this.drawLine(context, this.at);
    this.drawMarks(context, this.at);
    this.describe();
  }

  private drawAxes(context: CanvasRenderingContext2D, at: Layout): void {
    context.font = `11.5px ${styleValue("--font")}`;
    context.lineWidth = 1;
    const [grid, text] = [styleValue("--plot-grid"), styleValue("--text-soft")];
    context.fillStyle = text;
    context.strokeStyle = grid;
    context.beginPath();
    context.textAlign = "center";
    const xTexts = tickLabels(at.x);
    at.x.ticks.forEach((tick, i) => {
      const px = Math.round(toPixelX(at, tick / at.xFactor)) + 0.5;
      context.moveTo(px, at.top);
      context.lineTo(px, at.bottom);
      context.fillText(xTexts[i] ?? "", px, at.bottom + 16);
    });
    context.textAlign = "right";
    const yTexts = tickLabels(at.y);
    at.y.ticks.forEach((tick, i) => {
      const py = Math.round(toPixelY(at, tick / at.yFactor)) + 0.5;
      context.moveTo(at.left, py);
      context.lineTo(at.right, py);
      context.fillText(yTexts[i] ?? "", at.left - 7, py + 4);
    });
    context.stroke();
    context.strokeStyle = text;
    context.strokeRect(at.left + 0.5, at.top + 0.5, at.right - at.left, at.bottom - at.top);
    context.textAlign = "center";
    context.fillStyle = styleValue("--text");
    context.fillText(at.xTitle, (at.left + at.right) / 2, at.height - 7, at.right - at.left);
    context.save();
    context.translate(13, (at.top + at.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(at.yTitle, 0, 0, at.bottom - at.top);
    context.restore();
  }

  private drawLine(context: CanvasRenderingContext2D, at: Layout): void {
    context.save();
    context.beginPath();
    context.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
    context.clip();
    context.lineJoin = "round";
    const stroke = (line: { x: Float64Array; y: Float64Array }): void => {
      context.beginPath();
      for (const run of linePixels(at, line))
        for (let i = 0; i < run.length; i += 2) {
          if (i === 0) context.moveTo(run[i] ?? 0, run[i + 1] ?? 0);
          else context.lineTo(run[i] ?? 0, run[i + 1] ?? 0);
        }
      context.stroke();
    };
    const { other } = this.data;
    if (other) {
      context.strokeStyle = context.fillStyle = styleValue("--plot-other");
      context.lineWidth = 1.5;
      context.setLineDash([5, 3]);
      stroke(other);
      context.setLineDash([]);
      context.textAlign = "right";
      context.fillText(`- - ${other.label}`, at.right - 8, at.top + 16, at.right - at.left - 16);
    }
    context.strokeStyle = styleValue("--plot-line");
    context.lineWidth = 1.75;
    stroke(this.data);
    context.restore();
  }

  private drawMarks(context: CanvasRenderingContext2D, at: Layout): void {
    const dot = (sample: number, fill: string, radius: number): void => {
      const px = toPixelX(at, this.data.x[sample] ?? NaN);
      const py = toPixelY(at, this.data.y[sample] ?? NaN);
      if (!(px >= at.left - 1 && px <= at.right + 1 && py >= at.top - 1 && py <= at.bottom + 1)) return;
      context.beginPath();
      context.arc(px, py, radius, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
      context.strokeStyle = styleValue("--surface");
      context.lineWidth = 2;
      context.stroke();
    };
    dot(this.marker, styleValue("--accent-strong"), 5.5);
    if (this.hover >= 0) dot(this.hover, styleValue("--text"), 4.5);
    if (this.drag && Math.abs(this.drag.x1 - this.drag.x0) + Math.abs(this.drag.y1 - this.drag.y0) > DRAG_PIXELS) {
      context.strokeStyle = styleValue("--text");
      context.setLineDash([4, 3]);
      context.strokeRect(this.drag.x0, this.drag.y0, this.drag.x1 - this.drag.x0, this.drag.y1 - this.drag.y0);
      context.setLineDash([]);
    }
  }

  private describe(): void {
    const sample = this.hover >= 0 ? this.hover : this.marker;
    const { x, y, xLabel, yLabel, xUnit, yUnit, other } = this.data;
    const known = sample >= 0 && sample < x.length;
    setText(this.readout, known ? `${quantity(x[sample], xUnit, 4)}  ·  ${quantity(y[sample], yUnit, 4)}` : "");
    this.canvas.setAttribute("aria-label", `${yLabel} against ${xLabel}, ${x.length} samples${known ? `; at the time shown ${quantity(y[sample], yUnit, 3)}` : ""}${other ? `; with ${other.label}, ${other.x.length} samples` : ""}`);
  }
}
