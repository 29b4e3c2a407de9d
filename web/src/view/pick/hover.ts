/** The label at the pointer: which element lies there, and its values in the frame that is shown. It comes when the pointer rests, or with a tap. */
import { h } from "../../dom.js";
import * as english from "../../english/view.js";
import { count, heading, number, quantity } from "../../format.js";
import { arrayValue, type Frame, type FrameArray } from "../../recording/record.js";
import type { Drawable, Field, Topology } from "../../recording/topology.js";
import { blocksOf } from "../draw/layer.js";
import type { Noise } from "../fields/noise.js";
import type { Hit } from "./ray.js";

const REST_MS = 110;
const LINES_MOST = 14;
const TAP_PIXELS = 6;
const ELEMENT: Record<string, string> = { surface: english.hover.vertex, threads: english.hover.node };

/** A field's value of one element, as text; vectors with all their components. */
function valueText(array: FrameArray, element: number, about: Field, noise: Noise): string {
  const values = Array.from({ length: array.components }, (_, i) => noise.cleanOf(array, arrayValue(array, element, i), i, about.unit));
  if (array.components === 1) return about.encoding === "uint32" ? count(values[0]) : quantity(values[0], about.unit, 4);
  const unit = about.unit === "1" ? "" : ` ${about.unit}`;
  return `${values.map((value) => number(value, 3)).join(", ")}${unit}`;
}

/** What is to be said of a hit: a title, then name and value of each of its fields. Empty when the frame has no such element. */
export function describe(frame: Frame, drawable: Drawable | undefined, hit: Hit, name: string, noise: Noise): { title: string; lines: [string, string][] } | null {
  const block = blocksOf(frame, hit.drawable)[hit.block];
  if (!drawable || !block || hit.element >= block.elementCount) return null;
  const place = hit.of ?? `${ELEMENT[drawable.kind] ?? english.hover.element} ${count(hit.element)}`;
  const lines = block.arrays.flatMap((array): [string, string][] => {
    const about = drawable.fields[array.field];
    return about ? [[heading(about.name), valueText(array, hit.element, about, noise)]] : [];
  });
  return { title: `${heading(drawable.name) || heading(drawable.kind)}, ${name === "" ? place : name}`, lines: lines.slice(0, LINES_MOST) };
}

export class Hover {
  readonly element = h("div", { class: "hover-label", hidden: true, "aria-live": "polite" });
  private timer: ReturnType<typeof setTimeout> | null = null;
  private found: { hit: Hit; name: string } | null = null;
  private frame: Frame | null = null;
  private pressed: [number, number] | null = null;
  private readonly abort = new AbortController();

  /** @param pick what is at a place, by shares of the canvas' width and height from its top left */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly topology: Topology,
    private readonly noise: Noise,
    private readonly pick: (x: number, y: number) => { hit: Hit; name: string } | null,
  ) {
    const { signal } = this.abort;
    canvas.addEventListener("pointermove", (event) => this.moved(event), { signal });
    canvas.addEventListener("pointerdown", (event) => this.down(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.up(event), { signal });
    canvas.addEventListener("pointerleave", () => this.hide(), { signal });
    canvas.addEventListener("wheel", () => this.hide(), { signal, passive: true });
  }

  dispose(): void {
    this.hide();
    this.abort.abort();
  }

  /** Another frame is shown: the same element has other values in it. */
  show(frame: Frame): void {
    const count = (of: Frame | null): number => (of && this.found ? (blocksOf(of, this.found.hit.drawable)[this.found.hit.block]?.elementCount ?? 0) : 0);
    const same = count(frame) === count(this.frame); /* where elements come and go, numbers change hands */
    this.frame = frame;
    if (this.found && same) this.lay();
    else this.hide();
  }

  private moved(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    this.hide();
    if (event.buttons !== 0) return;
    this.timer = setTimeout(() => this.look(event), REST_MS);
  }

  private down(event: PointerEvent): void {
    this.hide();
    this.pressed = [event.clientX, event.clientY];
  }

  private up(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    if (event.pointerType === "touch" && from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < TAP_PIXELS) this.look(event);
  }

  private hide(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.found = null;
    this.element.hidden = true;
  }

  private look(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return;
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    this.found = this.pick(x, y);
    this.lay();
    if (this.element.hidden) return;
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.left = `${Math.max(4, Math.min(x * box.width + 14, box.width - offsetWidth - 4))}px`;
    this.element.style.top = `${Math.max(4, y * box.height + 16 + offsetHeight > box.height ? y * box.height - offsetHeight - 10 : y * box.height + 16)}px`;
  }

  private lay(): void {
    const about = this.found && this.frame ? describe(this.frame, this.topology.drawables.find(({ id }) => id === this.found?.hit.drawable), this.found.hit, this.found.name, this.noise) : null;
    this.element.hidden = about === null;
    if (!about) return;
    const lines = about.lines.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
    this.element.replaceChildren(h("p", {}, about.title), h("dl", {}, ...lines));
  }
}
