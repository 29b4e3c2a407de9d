/** Choice of the field that colours one of the drawables, and the legend that explains the colours. */
import { cssColour, paletteColour, paletteIndex } from "../../colour.js";
import { h } from "../../dom.js";
import * as english from "../../english/view.js";
import { count, heading, quantity, scaleFor, unitText } from "../../format.js";
import type { Frame, FrameArray } from "../../recording/record.js";
import type { Drawable, Field, Topology } from "../../recording/topology.js";
import { ClassCounter, type ClassCounts } from "./class_counter.js";
import { arrayRange, FieldRange, runRange, type Range, type RangeMode } from "./field_range.js";
import type { ColourKey } from "../paper.js";
import { ColourBar } from "./colour_bar.js";
import { FieldTable } from "./field_table.js";
import { MapChoice } from "./map_choice.js";
import { Noise } from "./noise.js";
import type { Colouring, Scale } from "../draw/tint.js";

interface Choice {
  drawable: Drawable;
  field: number;
  about: Field;
  range: FieldRange;
}

const RANGE_NAMES: Record<RangeMode, string> = { run: english.colour.run, frame: english.colour.frame, fixed: english.colour.fixed };
const CLASSES_SHOWN = 6;
const COUNT_EVERY_MS = 250; /* counting a million numbers at every frame would cost the frame rate */
const COLOURED = new Set(["points", "instances", "surface", "threads", "grid"]);
const FORM = new Set(["id", "cell", "shape", "scale", "radius", "amplitudes"]); /* fields that the format gives a meaning: they say how things are drawn, and colour them only when asked to */

export class ColourPanel {
  readonly controls: HTMLElement;
  readonly legend: HTMLElement;
  private readonly choices: Choice[] = [];
  private chosen: Choice | null = null;
  private byUser = false; /* the user has chosen a field: keep it */
  private frame: Frame | null = null;
  private counted = 0;
  private readonly counter = new ClassCounter();
  private readonly several: boolean; /* drawables with fields */
  private readonly table: FieldTable;
  private readonly scale: MapChoice;
  private readonly bar = new ColourBar();
  private told: ColourKey | null = null;
  private readonly select: HTMLSelectElement;
  private readonly modes: HTMLSelectElement;
  private readonly low = h("input", { type: "text", inputmode: "decimal", "aria-label": english.colour.low, size: 7 });
  private readonly high = h("input", { type: "text", inputmode: "decimal", "aria-label": english.colour.high, size: 7 });
  private readonly modeLabel: HTMLElement;
  private readonly fixed = h("span", { class: "fixed-range", hidden: true }, this.low, "…", this.high);

  constructor(
    topology: Topology,
    private readonly noise: Noise,
    private readonly apply: (drawable: number, colouring: Colouring) => void,
  ) {
    for (const drawable of topology.drawables.filter(({ kind }) => COLOURED.has(kind)))
      drawable.fields.forEach((about, field) => {
        if ((field > 0 || drawable.kind === "grid") && about.components === 1) this.choices.push({ drawable, field, about, range: new FieldRange() });
      });
    this.several = new Set(this.choices.map((c) => c.drawable.id)).size > 1;
    this.select = h("select", { onchange: () => this.pick(Number(this.select.value)) }, ...this.options(), h("option", { value: -1 }, english.colour.nothing));
    this.table = new FieldTable(
      this.choices.map(({ drawable, about, range }) => ({ drawable, about, range: () => (about.encoding === "uint32" || !range.known ? null : this.cleaned(range.known, about.unit)) })),
      (index) => this.pick(index),
    );
    this.table.element.addEventListener("toggle", () => this.table.update(this.frame, this.choices.indexOf(this.chosen as Choice)));
    this.modes = h("select", { onchange: () => this.setMode(this.modes.value as RangeMode) }, ...Object.entries(RANGE_NAMES).map(([mode, name]) => h("option", { value: mode }, name)));
    for (const input of [this.low, this.high]) input.addEventListener("change", () => this.setFixed());
    this.modeLabel = h("label", {}, english.colour.range, " ", this.modes);
    this.scale = new MapChoice(() => this.recolour(true), [this.modeLabel, this.fixed]);
    this.controls = h("div", { class: "control-group" }, h("label", {}, english.colour.by, " ", this.select), this.scale.element, this.table.element);
    this.legend = h("div", { class: "legend", "aria-live": "off" });
    this.choose(this.first);
  }

  /** The fields by drawable, which is named where there are several. */
  private options(): HTMLElement[] {
    const made = this.choices.map(({ drawable, about }, i) => ({ drawable, option: h("option", { value: i }, heading(about.name)) }));
    if (!this.several) return made.map(({ option }) => option);
    const drawables = [...new Set(made.map(({ drawable }) => drawable))];
    return drawables.map((drawable) => h("optgroup", { label: heading(drawable.name) || heading(drawable.kind) }, ...made.filter((one) => one.drawable === drawable).map(({ option }) => option)));
  }

  /** The first field that is not about form, -1 when there is none. */
  private get first(): number {
    return this.choices.findIndex(({ about }) => !FORM.has(about.name));
  }

  dispose(): void {
    this.counter.dispose();
  }

  /** Takes the values of a new frame into account. */
  update(frame: Frame): void {
    this.frame = frame;
    for (const choice of this.choices) {
      const array = this.arrayOf(choice);
      if (!array || array.data instanceof Uint32Array) continue;
      choice.range.observe(arrayRange(array), runRange(array));
      const { known } = choice.range;
      if (known) this.noise.observe(choice.about.unit, known.low, known.high);
    }
    if (!this.byUser) this.chooseTelling();
    this.recolour(false);
    this.table.update(frame, this.choices.indexOf(this.chosen as Choice));
  }

  /** Names of the fields, as colourBy takes them: with the drawable's where there are several. */
  get names(): string[] {
    return this.choices.map(({ drawable, about }) => (this.several ? `${drawable.name}.${about.name}` : about.name));
  }

  /** Colours by the field of that name, with or without its drawable's, or by nothing ("none"). @returns whether there is one */
  colourBy(name: string): boolean {
    const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, " ").trim();
    const whole = this.names.findIndex((one) => plain(one) === plain(name));
    const index = whole >= 0 ? whole : this.choices.findIndex(({ about }) => plain(about.name) === plain(name));
    if (index < 0 && name !== "none") return false;
    this.pick(index);
    return true;
  }

  /** The ends of the colours stay as they are now. */
  holdRange(): void {
    this.setMode("fixed");
  }

  /** The ends of the colours, in the field's unit. */
  fixRange(low: number, high: number): void {
    this.setMode("fixed");
    if (this.chosen) this.chosen.range.fixed = { low, high };
    this.recolour(true);
  }

  /** The next field, round and round: for the keyboard. */
  next(): void {
    const index = (Number(this.select.value) + 1) % this.choices.length;
    if (this.choices.length > 0) this.pick(index);
  }

  private pick(index: number): void {
    this.byUser = true;
    this.choose(index);
  }

  /** A body of one colour tells nothing: until the user chooses, it is the first field, or while that one is the same everywhere the last of the same
   *  drawable that is not. */
  private chooseTelling(): void {
    const first = this.choices[this.first];
    const tells = ({ drawable, about, range }: Choice): boolean => drawable === first?.drawable && about.encoding !== "uint32" && !FORM.has(about.name) && range.known !== null && !range.flat;
    const telling = this.choices.reduce((last, choice, i) => (tells(choice) ? i : last), -1);
    const index = first?.range.flat && telling >= 0 ? telling : this.first;
    if (index >= 0 && this.chosen !== this.choices[index]) this.choose(index);
  }

  /** Colours by piece, as long as the user chooses nothing else: what tells most of what broke. */
  choosePieces(): void {
    const fits = ({ drawable, field }: Choice): boolean => field === drawable.pieces;
    const index = this.choices.findIndex(fits);
    if (index >= 0 && this.chosen && !fits(this.chosen)) this.pick(index);
  }

  private arrayOf(choice: Choice): FrameArray | undefined {
    return this.frame?.blocks.filter((b) => b.drawable === choice.drawable.id).flatMap((b) => b.arrays).find((array) => array.field === choice.field);
  }

  private choose(index: number): void {
    for (const { drawable } of this.choices) this.apply(drawable.id, { kind: "plain" });
    this.chosen = this.choices[index] ?? null;
    this.select.value = String(index);
    const scalar = this.chosen !== null && this.chosen.about.encoding !== "uint32";
    this.scale.element.hidden = !scalar;
    this.fixed.hidden = !scalar || this.chosen?.range.mode !== "fixed";
    if (this.chosen) this.modes.value = this.chosen.range.mode;
    this.recolour(true);
    this.table.update(this.frame, index);
  }

  private setMode(mode: RangeMode): void {
    const range = this.chosen?.range;
    if (!range) return;
    if (mode === "fixed") {
      range.fixed = { ...range.current };
      this.low.value = String(Number(range.fixed.low.toPrecision(4)));
      this.high.value = String(Number(range.fixed.high.toPrecision(4)));
    }
    range.mode = mode;
    this.fixed.hidden = mode !== "fixed";
    this.recolour(true);
  }

  private setFixed(): void {
    const [low, high] = [Number(this.low.value), Number(this.high.value)];
    const valid = this.low.value.trim() !== "" && this.high.value.trim() !== "" && Number.isFinite(low) && Number.isFinite(high) && low < high;
    for (const input of [this.low, this.high]) input.setAttribute("aria-invalid", String(!valid));
    if (!valid || !this.chosen) return;
    this.chosen.range.fixed = { low, high };
    this.recolour(true);
  }

  private recolour(now: boolean): void {
    const choice = this.chosen;
    if (!choice) {
      this.told = null;
      return this.legend.replaceChildren();
    }
    if (choice.about.encoding === "uint32") {
      this.apply(choice.drawable.id, { kind: "class", field: choice.field });
      this.showClasses(choice, now);
    } else {
      const scale = { ...choice.range.scale(this.scale.map, this.scale.logarithmic), map: this.scale.map, only: this.scale.only };
      this.apply(choice.drawable.id, { kind: "scalar", field: choice.field, ...scale });
      this.showScale(choice, { ...scale, ...this.cleaned(scale, choice.about.unit) });
    }
  }

  /** A range without its rounding noise. */
  private cleaned({ low, high }: Range, unit: string): Range {
    return { low: this.noise.clean(low, unit), high: this.noise.clean(high, unit) };
  }

  private showScale(choice: Choice, scale: Scale): void {
    const { factor, unit } = scaleFor(Math.max(Math.abs(scale.low), Math.abs(scale.high)), choice.about.unit);
    if (this.legend.firstChild !== this.bar.element) this.legend.replaceChildren(this.bar.element);
    const title = unit === "" ? this.nameOf(choice) : `${this.nameOf(choice)}, ${unit}`;
    this.told = { title, map: scale.map, ticks: this.bar.show(title, scale, factor) };
  }

  /** What the legend says now, for pictures that are taken away. */
  get key(): ColourKey | null {
    return this.told;
  }

  /** Whether a field colours. */
  get coloured(): boolean {
    return this.chosen !== null;
  }

  /** A field's name, with that of its drawable where there are several. */
  private nameOf({ drawable, about }: Choice): string {
    return this.several && drawable.name !== "" ? `${heading(drawable.name)}: ${heading(about.name)}` : heading(about.name);
  }

  private showClasses(choice: Choice, now: boolean): void {
    const array = this.arrayOf(choice);
    if (!array || (!now && performance.now() - this.counted < COUNT_EVERY_MS)) return;
    this.counted = performance.now();
    if (!(array.data instanceof Uint32Array)) return;
    this.counter.count(array.data, CLASSES_SHOWN, (counts) => {
      if (this.chosen === choice) this.layClasses(choice, counts, array.data.length);
    });
  }

  private layClasses(choice: Choice, { classes, total }: ClassCounts, elements: number): void {
    this.told = { title: this.nameOf(choice), classes: classes.map(({ value }) => ({ name: String(value), colour: paletteColour(paletteIndex(value)) })) };
    const rows = classes.map(({ value, count: many }) => {
      const swatch = h("span", { class: "swatch" });
      swatch.style.backgroundColor = cssColour(paletteColour(paletteIndex(value)));
      return h("li", {}, swatch, h("span", { class: "class-name" }, String(value)), h("span", { class: "class-count" }, `${quantity((100 * many) / elements, "1", 3)} %`));
    });
    const more = total > classes.length ? h("li", { class: "more" }, english.colourMore(count(total - classes.length))) : null;
    this.legend.replaceChildren(
      h("div", { class: "legend-title" }, english.colourClasses(`${this.nameOf(choice)}${choice.about.unit === "1" ? "" : `, ${unitText(choice.about.unit)}`}`, count(total))),
      h("ul", { class: "classes" }, ...rows, more),
    );
  }
}
