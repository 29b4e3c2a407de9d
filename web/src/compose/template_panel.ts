/** What the scene's bodies are made into before a run, where its method says that: the surface with its nodes, turned by dragging, its numbers, and its modes, each
 *  moved by a slider or played. */
import { makeTemplate, type Template, type TemplateShape } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { count, heading, quantity } from "../format.js";
import { isObject } from "../json.js";
import { errorText } from "../pages/messages.js";
import type { SceneDocument } from "./document.js";
import { edgeOf, movedBody, reachOf } from "./moved.js";
import { facesOf } from "./turned.js";

const UNITS: Record<string, string> = { volume: "m^3", mass: "kg", reach: "m", depth: "m", grid_spacing: "m", bytes: "B" }; /* of numbers that methods say; others are counts */
const SIZE = 300; /* pixels */
const KEY_TURN = 0.2; /* rad */
const PERIOD_MS = 1600; /* of a mode that is played */
const NODES_APART = 5; /* pixels of the screen, at least: nodes that are nearer are not drawn, as they would hide the surface */
const LARGEST = 0.25; /* of the body's reach, at the slider's end */

export class TemplatePanel {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "template-body" });
  private readonly choice = h("select", { "aria-label": english.template.specimen });
  private asked: AbortController | null = null;
  private picture: Picture | null = null;
  private readonly leave: () => void;

  /** @param makes the methods that make templates */
  constructor(
    private readonly document: SceneDocument,
    private readonly makes: ReadonlySet<string>,
  ) {
    const button = h("button", { type: "button", onclick: () => void this.make() }, english.template.show);
    this.element = h("section", { class: "card template", "aria-label": english.template.title }, h("div", { class: "card-head" }, h("h2", {}, english.template.title), this.choice, button), this.body);
    this.leave = document.onChange.add(() => this.offer());
    this.offer();
  }

  dispose(): void {
    this.leave();
    this.asked?.abort();
    this.picture?.dispose();
  }

  /** The scene's specimens to choose from. What is shown was made of a scene that is another now. */
  private offer(): void {
    const method = this.document.at("/method"), specimens = this.document.at("/specimens");
    this.element.hidden = typeof method !== "string" || !this.makes.has(method);
    const names = Array.isArray(specimens) ? specimens.flatMap((specimen) => (isObject(specimen) && typeof specimen["name"] === "string" ? [specimen["name"]] : [])) : [];
    const chosen = this.choice.value;
    this.choice.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    if (names.includes(chosen)) this.choice.value = chosen;
    this.choice.hidden = names.length < 2;
    this.body.classList.toggle("stale", this.picture !== null);
  }

  private async make(): Promise<void> {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    this.element.setAttribute("aria-busy", "true");
    try {
      const made = await makeTemplate(this.document.scene, this.choice.value, asked.signal);
      if (asked.signal.aborted) return;
      this.show(made.template, made.shape);
    } catch (error) {
      if (asked.signal.aborted) return;
      this.picture?.dispose();
      this.picture = null;
      this.body.replaceChildren(h("p", { class: "check-refused" }, errorText(error)));
    }
    this.element.removeAttribute("aria-busy");
  }

  private show(template: Template, shape: TemplateShape | null): void {
    this.picture?.dispose();
    this.picture = shape ? new Picture(template, shape) : null;
    this.body.classList.remove("stale");
    this.body.replaceChildren(this.picture?.element ?? h("p", { class: "help" }, english.template.tooLarge), factsOf(template));
  }
}

function factsOf(template: Template): HTMLElement {
  const rows: [string, string][] = [];
  for (const [name, value] of Object.entries(template)) if (typeof value === "number") rows.push([heading(name), name in UNITS ? quantity(value, UNITS[name] ?? "1") : count(value)]);
  for (const { number, frequency, mass } of template.modes ?? [])
    rows.push([english.templateModeNumber(number), `${quantity(mass, "kg")}${typeof frequency === "number" ? `, ${quantity(frequency, "Hz")}` : ""}`]);
  return h("dl", { class: "facts" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** The picture with what moves it. */
class Picture {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly slider = h("input", { type: "range", min: -100, max: 100, value: 0, "aria-label": english.template.amplitude });
  private readonly reading = h("output", {});
  private readonly play = h("button", { type: "button", class: "small", "aria-pressed": "false" }, english.template.play);
  private readonly mode = h("select", { "aria-label": english.template.mode });
  private readonly reach: number;
  private readonly nodes: boolean;
  private turn = 0.6;
  private tilt = 0.4;
  private frame = 0;
  private started = 0;

  constructor(
    private readonly template: Template,
    private readonly shape: TemplateShape,
  ) {
    const scale = Math.max(1, Math.min(2, window.devicePixelRatio));
    this.reach = reachOf(shape.vertices);
    this.nodes = ((edgeOf(shape) / this.reach) * SIZE) / (2 * (1 + LARGEST)) >= NODES_APART;
    this.canvas = h("canvas", { width: SIZE * scale, height: SIZE * scale, tabindex: 0, role: "img", "aria-label": english.templatePicture(template.specimen, shape.vertices.length / 3) });
    this.canvas.addEventListener("pointerdown", (event) => this.canvas.setPointerCapture(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.turnBy(event.movementX / 80, event.movementY / 80);
    });
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.turnBy((step[0] ?? 0) * KEY_TURN, (step[1] ?? 0) * KEY_TURN);
    });
    this.mode.replaceChildren(...(template.modes ?? []).map(({ number }) => h("option", { value: String(number - 1) }, english.templateModeNumber(number))));
    this.mode.addEventListener("change", () => this.draw());
    this.slider.addEventListener("input", () => {
      this.stop();
      this.draw();
    });
    this.play.addEventListener("click", () => (this.frame === 0 ? this.start() : this.stop()));
    const moving = h("div", { class: "template-modes", hidden: (template.modes ?? []).length === 0 }, this.mode, this.slider, this.play, this.reading);
    this.element = h("div", { class: "template-picture" }, this.canvas, moving);
    this.draw();
  }

  dispose(): void {
    this.stop();
  }

  private turnBy(right: number, up: number): void {
    this.turn += right;
    this.tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.tilt + up));
    if (this.frame === 0) this.draw();
  }

  private start(): void {
    this.play.setAttribute("aria-pressed", "true");
    this.play.textContent = english.template.stop;
    this.started = performance.now();
    const next = (now: number): void => {
      if (!this.canvas.isConnected) return this.stop();
      this.slider.value = String(Math.round(100 * Math.sin((2 * Math.PI * (now - this.started)) / PERIOD_MS)));
      this.draw();
      this.frame = requestAnimationFrame(next);
    };
    this.frame = requestAnimationFrame(next);
  }

  private stop(): void {
    if (this.frame !== 0) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.play.setAttribute("aria-pressed", "false");
    this.play.textContent = english.template.play;
  }

  /** m: the slider's end moves the place that moves most by a quarter of the body's reach. */
  private amplitude(mode: number): number {
    const most = this.template.modes?.[mode]?.largest_displacement ?? 0;
    return most > 0 ? ((Number(this.slider.value) / 100) * LARGEST * this.reach) / most : 0;
  }

  private draw(): void {
    const mode = Number(this.mode.value) || 0;
    const amplitude = this.amplitude(mode);
    this.reading.textContent = quantity(amplitude, "m");
    drawBody(this.canvas, movedBody(this.shape, mode, amplitude, this.reach * (1 + LARGEST)), this.turn, this.tilt, this.nodes);
  }
}

function drawBody(canvas: HTMLCanvasElement, body: ReturnType<typeof movedBody>, turn: number, tilt: number, nodes: boolean): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const half = canvas.width / 2, dot = (1.6 * canvas.width) / SIZE;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const face of facesOf(body, turn, tilt)) {
    const at = face.at.map((value, k) => half * (1 + (k % 2 ? -0.95 : 0.95) * value));
    pen.fillStyle = pen.strokeStyle = `hsl(205 35% ${Math.round(20 + 60 * face.light)}%)`;
    pen.beginPath();
    pen.moveTo(at[0] ?? 0, at[1] ?? 0);
    pen.lineTo(at[2] ?? 0, at[3] ?? 0);
    pen.lineTo(at[4] ?? 0, at[5] ?? 0);
    pen.closePath();
    pen.fill();
    pen.stroke(); /* closes the seams between neighbours */
    if (!nodes) continue;
    pen.fillStyle = "hsl(28 90% 50%)";
    for (let k = 0; k < 6; k += 2) pen.fillRect((at[k] ?? 0) - dot / 2, (at[k + 1] ?? 0) - dot / 2, dot, dot);
  }
}
