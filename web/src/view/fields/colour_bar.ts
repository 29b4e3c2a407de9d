/** The legend of a scale: a bar of its colours with round numbers where they belong. */
import { cssColour, MAPS, type MapName } from "../../colour.js";
import { h, setText } from "../../dom.js";
import * as english from "../../english/view.js";
import { number, powerOfTen } from "../../format.js";
import { makeAxis, tickText } from "../../plot/scale.js";
import type { Scale } from "../draw/tint.js";

const TICKS = 4;

export interface Tick {
  at: number; /** share of the bar */
  text: string;
}

/** Round numbers inside a scale. `low` and `high` in the unit that is shown. */
export function barTicks(low: number, high: number, logarithmic: boolean): Tick[] {
  if (!(high > low)) return [];
  if (!logarithmic) {
    const { ticks } = makeAxis(low, high, TICKS, false);
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
    const plain = Math.max(Math.abs(low), Math.abs(high)) < 1e5 && step >= 1e-4;
    return ticks.map((tick) => ({ at: (tick - low) / (high - low), text: tick === 0 ? "0" : plain ? tickText(tick, step) : number(tick, 3) }));
  }
  const at = (value: number): number => Math.log(value / low) / Math.log(high / low);
  const powers = Array.from({ length: 40 }, (_, i) => Math.ceil(Math.log10(low) - 1e-9) + i).filter((power) => power <= Math.log10(high) + 1e-9);
  if (powers.length >= 3) {
    const every = Math.ceil(powers.length / (TICKS + 1));
    return powers.filter((_, i) => i % every === 0).map((power) => ({ at: at(10 ** power), text: power >= -2 && power <= 4 ? number(10 ** power) : powerOfTen(power) }));
  }
  const from = Math.floor(Math.log10(low));
  return [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * 10 ** from).filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)).map((value) => ({ at: at(value), text: number(value, 3) }));
}

export class ColourBar {
  readonly element: HTMLElement;
  private readonly title = h("div", { class: "legend-title" });
  private readonly gradient = h("canvas", { class: "gradient", width: 256, height: 1, "aria-hidden": "true" });
  private readonly ticks = h("div", { class: "bar-ticks" });
  private map: MapName | null = null;

  constructor() {
    this.element = h("div", {}, this.title, this.gradient, this.ticks);
  }

  /** @param factor from the field's unit to the one that is shown   @return the numbers that it has */
  show(title: string, scale: Scale, factor: number): Tick[] {
    setText(this.title, title);
    this.paint(scale.map);
    const [low, high] = [scale.low * factor, scale.high * factor];
    const ticks = low === high ? [{ at: 0, text: english.colourEverywhere(number(low, 3)) }] : barTicks(low, high, scale.logarithmic);
    while (this.ticks.children.length > ticks.length) this.ticks.lastElementChild?.remove();
    while (this.ticks.children.length < ticks.length) this.ticks.append(h("span"));
    ticks.forEach(({ at, text }, i) => {
      const place = this.ticks.children[i] as HTMLElement;
      setText(place, text);
      place.style.left = `${(100 * at).toFixed(2)}%`;
      place.className = at < 0.06 ? "first" : at > 0.94 ? "last" : "";
    });
    return ticks;
  }

  private paint(map: MapName): void {
    if (this.map === map) return;
    this.map = map;
    const context = this.gradient.getContext("2d");
    for (let i = 0; context && i < 256; i++) {
      context.fillStyle = cssColour(MAPS[map].at(i / 255));
      context.fillRect(i, 0, 1, 1);
    }
  }
}
