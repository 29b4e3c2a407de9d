/** A figure of a study on the page, drawn anew when it or the page's colours or width change, with what saves it: SVG, PNG, CSV. */
import { h, saveFile, svg } from "../../dom.js";
import * as english from "../../english/study.js";
import { PAPER, type Theme } from "../../plot/figure.js";
import { screenTheme } from "../../plot/screen_theme.js";
import { onTheme } from "../../theme.js";
import { CanvasPen, SvgPen, type Pen } from "./pen.js";

export interface Drawn {
  /** Draws the figure; false where there is nothing to draw. */
  draw(pen: Pen, width: number, height: number, theme: Theme): boolean;
  /** What is drawn, as comma-separated values. */
  csv(): string;
  label(): string;
}

const PAPER_SIZE: [number, number] = [720, 430];

/** A line of comma-separated values. */
export const csvLine = (cells: (string | number | null | undefined)[]): string => cells.map((cell) => (typeof cell === "string" && /[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : typeof cell === "number" && !Number.isFinite(cell) ? "" : String(cell ?? ""))).join(",");

export class FigureView {
  readonly element: HTMLElement;
  private readonly place = h("div", { class: "figure-place" });
  private readonly saving: HTMLElement;
  private readonly watcher = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));
  private readonly unlisten = onTheme.add(() => this.draw());
  private readonly canvas: HTMLCanvasElement | null;
  private width = 0;

  /** @param many as pixels on the screen, for thousands of marks; else as elements */
  constructor(
    private readonly figure: Drawn,
    private readonly name: () => string,
    private readonly height: number,
    many: boolean,
  ) {
    this.canvas = many ? h("canvas", { role: "img", class: "figure-canvas" }) : null;
    const save = (kind: string, act: () => void): HTMLElement => h("button", { type: "button", class: "small", onclick: act }, kind);
    this.saving = h("div", { class: "exports", role: "group", "aria-label": english.figure.saveLabel, hidden: true }, h("span", {}, english.figure.save), save("SVG", () => this.saveSvg()), save("PNG", () => this.savePng()), save("CSV", () => saveFile(`${this.name()}.csv`, new Blob([this.figure.csv()], { type: "text/csv" }))));
    this.element = h("div", { class: "figure-view" }, this.place, this.saving);
    if (this.canvas) this.place.append(this.canvas);
    this.watcher.observe(this.place);
  }

  dispose(): void {
    this.watcher.disconnect();
    this.unlisten();
  }

  get surface(): HTMLCanvasElement | null {
    return this.canvas;
  }

  /** Something else is to be drawn. */
  update(): void {
    this.width = 0;
    this.draw();
  }

  private draw(): void {
    const width = Math.floor(this.place.clientWidth);
    if (width < 100) return;
    const theme = screenTheme();
    let drawn: boolean;
    if (this.canvas) {
      const context = this.canvas.getContext("2d");
      if (!context) return;
      const ratio = devicePixelRatio || 1;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawn = this.figure.draw(new CanvasPen(context, theme.font), width, this.height, theme);
      this.canvas.setAttribute("aria-label", this.figure.label());
    } else {
      if (width === this.width && this.place.dataset["theme"] === theme.ground) return;
      const root = svg("svg", { viewBox: `0 0 ${width} ${this.height}`, width, height: this.height, class: "study-plot", role: "img", "aria-label": this.figure.label() });
      drawn = this.figure.draw(new SvgPen(root), width, this.height, theme);
      this.place.replaceChildren(...(drawn ? [root] : []));
      this.place.dataset["theme"] = theme.ground;
      this.width = width;
    }
    this.saving.hidden = !drawn;
  }

  private saveSvg(): void {
    const [width, height] = PAPER_SIZE;
    const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" }, svg("title", {}, this.figure.label()), svg("rect", { width, height, fill: PAPER.ground }));
    this.figure.draw(new SvgPen(root), width, height, PAPER);
    saveFile(`${this.name()}.svg`, new Blob([root.outerHTML], { type: "image/svg+xml" }));
  }

  private savePng(): void {
    const [width, height] = PAPER_SIZE;
    const canvas = h("canvas", { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = PAPER.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(2, 2);
    this.figure.draw(new CanvasPen(context, PAPER.font), width, height, PAPER);
    canvas.toBlob((picture) => picture && saveFile(`${this.name()}.png`, picture), "image/png");
  }
}
