/** The 3D view with its controls and legend. Loaded on demand, as it brings three.js along. */
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { quantity } from "../format.js";
import type { Geometries } from "../recording/geometries.js";
import type { Frame } from "../recording/record.js";
import type { Topology } from "../recording/topology.js";
import { ColourPanel } from "../view/fields/colour_panel.js";
import { PartsPanel } from "../view/parts_panel.js";
import { lookPanel } from "../view/look_panel.js";
import { SavePanel, type DrawCurve, type Frames } from "../view/save_panel.js";
import { ViewToolbar } from "../view/toolbar.js";
import { View3d } from "../view/view3d.js";

export { PlotBoard } from "../plot/plot_board.js";

export class Stage {
  readonly element: HTMLElement;
  private readonly view: View3d | null;
  private readonly colours: ColourPanel | null = null;
  private readonly toolbar: ViewToolbar | null = null;
  private readonly save: SavePanel | null = null;
  private readonly parts: PartsPanel | null = null;
  private frame: Frame | null = null; /* that is shown */

  private readonly changing: Set<number>; /* drawables whose elements are no bodies of their own */

  /** @param curve draws the curve into pictures and films    @param onClip is told when the view is cut open and when it is whole again */
  constructor(job: number, topology: Topology, geometries: Geometries, frames: Frames, curve: DrawCurve, onClip: (cut: boolean) => void) {
    this.changing = new Set(topology.drawables.filter((drawable) => drawable.changing).map((drawable) => drawable.id));
    this.view = tryView(topology, geometries);
    if (!this.view) {
      this.element = h("p", { class: "stage-empty", role: "alert" }, english.stage.noWebGL);
      return;
    }
    const view = this.view;
    this.colours = new ColourPanel(topology, view.noise, (drawable, colouring) => view.setColouring(drawable, colouring));
    this.toolbar = new ViewToolbar(view, onClip);
    if (view.hasSurfaces) this.colours.choosePieces();
    const colours = this.colours;
    this.save = new SavePanel(view, frames, { now: () => this.frame, show: (frame) => this.show(frame, () => undefined) }, () => colours.key, curve, () => `job-${job}-${quantity(this.frame?.time ?? 0, "s", 4).replace(/[^0-9a-zA-Zµ.]+/g, "-")}`);
    this.parts = new PartsPanel(view, topology.drawables, frames, (box) => this.toolbar?.setBox(box));
    const enlarge = async (factor: number): Promise<void> => {
      const [first] = frames.marks;
      if (first) view.setEnlarged(factor, await frames.load(first.seq));
    };
    const bar = h("div", { class: "stage-bar" }, this.toolbar.shapes, this.colours.controls, this.toolbar.clipControls, this.toolbar.looks, lookPanel(view, `scree-cameras:${job}`, topology.drawables, (factor) => void enlarge(factor), this.toolbar.size), this.parts.element, this.save.element, this.toolbar.fitButton);
    view.element.append(this.colours.legend, h("p", { class: "keys" }, view.hasSurfaces ? `${english.stage.keys} · ${english.stage.keySurface}` : english.stage.keys));
    this.element = h("div", { class: "stage" }, bar, view.element);
  }

  show(frame: Frame, drawn: () => void): void {
    if (!this.view) return drawn();
    this.frame = frame;
    this.colours?.update(frame);
    this.view.show(frame, drawn);
    void this.parts?.show(frame);
    const elements = frame.blocks.reduce((sum, block) => sum + (this.changing.has(block.drawable) ? 0 : block.elementCount), 0);
    this.view.canvas.setAttribute("aria-label", english.stageLabel(quantity(frame.time, "s", 4), elements));
  }

  fit(): void {
    this.view?.viewpoint.fit(true);
  }

  toggleClip(): void {
    this.toolbar?.toggleClip();
  }

  toggleSurface(): void {
    this.toolbar?.toggleSurface();
  }

  nextField(): void {
    this.colours?.next();
  }

  dispose(): void {
    this.save?.dispose();
    this.parts?.dispose();
    this.colours?.dispose();
    this.view?.dispose();
  }
}

function tryView(topology: Topology, geometries: Geometries): View3d | null {
  try {
    return new View3d(topology, geometries);
  } catch {
    return null;
  }
}
