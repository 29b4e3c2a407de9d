/** Handles over the picture of a scene: arrows that move what is selected and knobs that size it, by a hand or by the keyboard. */
import { h, setText, svg } from "../../dom.js";
import * as english from "../../english/compose.js";
import { quantity } from "../../format.js";
import { parentPointer, valueAt, type Json } from "../../json.js";
import type { Bounds, Vector } from "../../recording/topology.js";
import type { Steering } from "../../view/steering.js";
import { inOwnUnit } from "../units.js";
import { changeBy, type Handle } from "./handle_list.js";
import { lengthLike, roundStep } from "./step.js";

const STEP_PX = 2; /* a step is what so many pixels show */
const FINE = 0.1; /* with Shift: of a step, and of the hand's way */
const FAR = 10; /* steps of Page Up and Page Down */
const BEYOND_PX = 46; /* an arrow's end beyond the body */
const SHORTEST_PX = 14; /* a handle that moves less than this of BEYOND_PX points at the viewer: it can't be dragged */
const MARGIN_PX = 12; /* ends of arrows stay so far inside of the picture */

/** A change of the scene. */
export interface Made {
  pointer: string;
  value: Json;
  structure: boolean;
}

interface Shown {
  handle: Handle;
  knob: HTMLElement;
  line: SVGLineElement;
}

/** What is under way: the number as the hand has it, before it is rounded. */
interface Drag {
  shown: Shown;
  at: number; /** m along the handle's line, where the hand was last */
  value: number; /** m */
  made: Made | null;
}

export class HandleLayer {
  readonly element: HTMLElement;
  private readonly lines = svg("svg", { "aria-hidden": "true" });
  private readonly said = h("span", { class: "handle-value", hidden: true });
  private shown: Shown[] = [];
  private body: Bounds | null = null;
  private scene: Json = null;
  private steering: Steering | null = null;
  private drag: Drag | null = null;

  /** @param preview shows what a change would make, null what is   @param change makes it */
  constructor(
    private readonly preview: (made: Made | null) => void,
    private readonly change: (made: Made, what: string, byKeys: boolean) => void,
  ) {
    this.element = h("div", { class: "handles", role: "group", "aria-label": english.handle.group }, this.said);
    this.element.prepend(this.lines);
  }

  /** Shows the handles of a body.   @param body the box around it in the picture */
  show(scene: Json, handles: Handle[], body: Bounds | null): void {
    this.scene = scene;
    this.body = body;
    if (this.drag && !handles.some(({ pointer }) => pointer === this.drag?.shown.handle.pointer)) this.drag = null;
    const before = new Map(this.shown.map((one) => [one.handle.key, one]));
    this.shown = handles.map((handle) => {
      const known = before.get(handle.key);
      before.delete(handle.key);
      const shown = known ?? this.add(handle.kind);
      shown.handle = handle;
      this.say(shown, handle.value, valueAt(scene, handle.pointer) ?? 0);
      return shown;
    });
    for (const { knob, line } of before.values()) {
      knob.remove();
      line.remove();
    }
    if (this.shown.length === 0) this.said.hidden = true;
    this.place();
  }

  /** Takes the picture that the handles are laid over; null: there is none until one is laid out. */
  setSteering(steering: Steering | null): void {
    this.steering = steering;
    this.place();
  }

  /** Puts every handle where its body is seen; those that point at the viewer are hidden. */
  place(): void {
    const { steering } = this;
    if (!steering) return;
    for (const shown of this.shown) {
      const { handle, knob, line } = shown;
      const moved = this.drag?.shown === shown ? (this.drag.value - handle.value) / handle.scale : 0;
      const pixel = steering.metresPerPixel(handle.origin);
      const foot = handle.kind === "move" ? moved : handle.reach + moved;
      const reach = handle.kind === "move" ? this.arrowReach(handle, pixel, steering) + moved : foot;
      const [from, to] = [steering.project(along(handle, handle.kind === "move" ? moved : 0)), steering.project(along(handle, reach))];
      const [a, b] = [steering.project(along(handle, foot)), steering.project(along(handle, foot + BEYOND_PX * pixel))];
      knob.hidden = Math.hypot(b[0] - a[0], b[1] - a[1]) < SHORTEST_PX;
      line.toggleAttribute("hidden", knob.hidden || handle.kind === "size");
      knob.style.left = `${to[0].toFixed(1)}px`;
      knob.style.top = `${to[1].toFixed(1)}px`;
      for (const [name, value] of Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] })) line.setAttribute(name, value.toFixed(1));
      if (knob === document.activeElement || this.drag?.shown === shown) {
        this.said.style.left = knob.style.left;
        this.said.style.top = knob.style.top;
      }
    }
  }

  /** From the origin to beyond the body, as far as that is in the picture. */
  private arrowReach({ origin, direction }: Handle, pixel: number, steering: Steering): number {
    const axis = direction.findIndex((part) => part === 1);
    const least = BEYOND_PX * pixel;
    let reach = Math.max(0, (this.body?.maximum[axis] ?? origin[axis] ?? 0) - (origin[axis] ?? 0)) + least;
    const seen = (at: number): boolean => steering.inside(along({ origin, direction }, at), MARGIN_PX);
    for (let k = 0; k < 24 && reach > least && !seen(reach); k++) reach = Math.max(least, 0.85 * reach);
    return reach;
  }

  private add(kind: Handle["kind"]): Shown {
    const line = svg("line");
    const knob = h("div", { class: `handle handle-${kind}`, role: "slider", tabindex: 0, "aria-orientation": "horizontal" }, h("span", { "aria-hidden": "true" }));
    const shown: Shown = { handle: null as unknown as Handle, knob, line };
    knob.addEventListener("pointerdown", (event) => this.begin(shown, event));
    knob.addEventListener("pointermove", (event) => this.follow(shown, event));
    knob.addEventListener("pointerup", () => this.end(shown));
    knob.addEventListener("pointercancel", () => this.cancel());
    knob.addEventListener("lostpointercapture", () => this.end(shown));
    knob.addEventListener("keydown", (event) => this.key(shown, event));
    knob.addEventListener("focus", () => ((this.said.hidden = false), setText(this.said, knob.getAttribute("aria-valuetext") ?? ""), this.place()));
    knob.addEventListener("blur", () => (this.cancel(), (this.said.hidden = true)));
    this.lines.append(line);
    this.element.insertBefore(knob, this.said);
    return shown;
  }

  private say({ handle, knob }: Shown, value: number, given: Json): void {
    const text = typeof given === "string" ? given : quantity(value, "m");
    const [mark] = knob.children;
    if (mark) setText(mark, handle.mark);
    knob.title = english.handleTitle(handle.label);
    for (const [name, said] of Object.entries({ "aria-label": handle.label, "aria-valuenow": String(Number(value.toPrecision(12))), "aria-valuetext": text })) knob.setAttribute(name, said);
    knob.dataset["handle"] = handle.key;
    if (knob === document.activeElement) setText(this.said, text);
  }

  private step(handle: Handle): number {
    return roundStep(STEP_PX * (this.steering?.metresPerPixel(handle.origin) ?? 1e-3));
  }

  private begin(shown: Shown, event: PointerEvent): void {
    if (event.button !== 0 || !this.steering) return;
    event.preventDefault();
    shown.knob.focus();
    shown.knob.setPointerCapture(event.pointerId);
    const { handle } = shown;
    this.drag = { shown, at: this.steering.alongLine(handle.origin, handle.direction, event.clientX, event.clientY), value: handle.value, made: null };
  }

  private follow(shown: Shown, event: PointerEvent): void {
    const { drag, steering } = this;
    if (!drag || drag.shown !== shown || !steering) return;
    const { handle } = shown;
    const at = steering.alongLine(handle.origin, handle.direction, event.clientX, event.clientY);
    if (!Number.isFinite(at)) return;
    drag.value += (at - drag.at) * handle.scale * (event.shiftKey ? FINE : 1);
    drag.at = at;
    const step = this.step(handle) * (event.shiftKey ? FINE : 1);
    drag.made = this.made(handle, drag.value, step);
    this.preview(drag.made);
    this.place();
  }

  private made(handle: Handle, length: number, step: number): Made {
    const rounded = handle.positive ? Math.max(step, length) : length;
    const beside = valueAt(this.scene, parentPointer(handle.pointer));
    const value = lengthLike(valueAt(this.scene, handle.pointer), Array.isArray(beside) ? beside : [], rounded, step);
    const shown = this.shown.find((one) => one.handle === handle);
    if (shown) this.say(shown, inOwnUnit(value, "m"), value);
    return changeBy(this.scene, handle, value);
  }

  private end(shown: Shown): void {
    const { drag } = this;
    if (!drag || drag.shown !== shown) return;
    this.drag = null;
    if (drag.made) this.change(drag.made, shown.handle.label, false);
    this.place();
  }

  /** Leaves everything as it was before the hand took the handle. */
  cancel(): void {
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    const { handle } = drag.shown;
    this.say(drag.shown, handle.value, valueAt(this.scene, handle.pointer) ?? 0);
    this.preview(null);
    this.place();
  }

  private key(shown: Shown, event: KeyboardEvent): void {
    if (event.key === "Escape" && this.drag) {
      event.preventDefault();
      return this.cancel();
    }
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: FAR, PageDown: -FAR }[event.key];
    if (steps === undefined || this.drag || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { handle } = shown;
    const step = this.step(handle) * (event.shiftKey ? FINE : 1);
    this.change(this.made(handle, handle.value + steps * step, step), handle.label, true);
  }
}

const along = ({ origin, direction }: { origin: Vector; direction: Vector }, by: number): Vector => origin.map((x, axis) => x + by * (direction[axis] ?? 0)) as Vector;
