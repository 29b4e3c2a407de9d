/** Drawing a figure once for the screen, for a picture and for an SVG file: the same strokes on a canvas or as elements. */
import { svg } from "../../dom.js";
import { numeric, labelOf, type Column } from "../columns.js";
import { scaleFor, unitText } from "../../format.js";
import type { Theme } from "../../plot/figure.js";
import { extent, makeAxis, roundStep, tickText } from "../../plot/scale.js";
import type { Cell } from "../requests.js";

export interface Style {
  stroke?: string;
  fill?: string;
  width?: number;
  opacity?: number;
  name?: string; /** class of the element, where there is one */
}

export interface Pen {
  /** Lines between points, apart where one is no number; closed where it is filled. */
  path(points: [number, number][], style: Style): void;
  dot(x: number, y: number, radius: number, style: Style): void;
  text(x: number, y: number, text: string, style: { anchor: "start" | "middle" | "end"; turned?: boolean; colour: string }): void;
}

const SIZE = 12; /* of writing, pixels */

export class CanvasPen implements Pen {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    font: string,
  ) {
    context.font = `${SIZE}px ${font}`;
    context.lineJoin = "round";
  }

  path(points: [number, number][], { stroke, fill, width = 1, opacity = 1 }: Style): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.beginPath();
    let pen = false;
    for (const [x, y] of points) {
      if (!Number.isFinite(x + y)) pen = false;
      else if (pen) context.lineTo(x, y);
      else context.moveTo(x, y), (pen = true);
    }
    if (fill !== undefined) context.closePath(), (context.fillStyle = fill), context.fill();
    if (stroke !== undefined) (context.strokeStyle = stroke), (context.lineWidth = width), context.stroke();
    context.globalAlpha = 1;
  }

  dot(x: number, y: number, radius: number, { fill = "#000", opacity = 1 }: Style): void {
    const { context } = this;
    context.globalAlpha = opacity;
    context.fillStyle = fill;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }

  text(x: number, y: number, text: string, { anchor, turned = false, colour }: { anchor: "start" | "middle" | "end"; turned?: boolean; colour: string }): void {
    const { context } = this;
    context.fillStyle = colour;
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.save();
    context.translate(x, y);
    if (turned) context.rotate(-Math.PI / 2);
    context.fillText(text, 0, 0);
    context.restore();
  }
}

export class SvgPen implements Pen {
  constructor(private readonly root: Element) {}

  path(points: [number, number][], { stroke = "none", fill = "none", width = 1, opacity, name }: Style): void {
    let text = "";
    let pen = false;
    for (const [x, y] of points) {
      if (!Number.isFinite(x + y)) pen = false;
      else {
        text += `${pen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
        pen = true;
      }
    }
    if (text !== "") this.root.append(svg("path", { d: fill === "none" ? text : `${text}Z`, stroke, fill, "stroke-width": width, "stroke-linejoin": "round", opacity, class: name }));
  }

  dot(x: number, y: number, radius: number, { fill = "#000", opacity }: Style): void {
    this.root.append(svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, fill, opacity }));
  }

  text(x: number, y: number, text: string, { anchor, turned = false, colour }: { anchor: "start" | "middle" | "end"; turned?: boolean; colour: string }): void {
    this.root.append(svg("text", { ...(turned ? { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(-90)` } : { x: x.toFixed(1), y: y.toFixed(1) }), "text-anchor": anchor, fill: colour, "font-size": SIZE }, text));
  }
}

/** Values along one axis: numbers, or names that get places 1, 2, ... */
export interface Values {
  values: number[];
  names: string[]; /** none: numbers */
}

export function placed(cells: Cell[]): Values {
  if (cells.every((cell) => cell === null || typeof cell === "number")) return { values: cells.map(numeric), names: [] };
  const names = [...new Set(cells.filter((cell) => cell !== null).map(labelOf))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { values: cells.map((cell) => (cell === null ? NaN : names.indexOf(labelOf(cell)) + 1)), names };
}

/** One axis between two pixels: where values go, and what is written. */
export interface Scale {
  at(value: number): number;
  back(pixel: number): number;
  ticks: { value: number; text: string }[];
  title: string;
}

/** @param wanted about so many ticks   @param pad share of the range that is left free at both ends */
export function scaleOf({ values, names }: Values, { name, unit }: Pick<Column, "name" | "unit">, [from, to]: [number, number], wanted: number, pad = 0.04): Scale | null {
  const range = names.length > 0 ? ([0.5, names.length + 0.5] as [number, number]) : extent(values);
  if (range === null) return null;
  const shown = names.length > 0 ? { factor: 1, unit: "" } : scaleFor(Math.max(Math.abs(range[0]), Math.abs(range[1])), unit);
  const free = names.length > 0 ? 0 : pad * (range[1] - range[0]);
  const axis = makeAxis((range[0] - free) * shown.factor, (range[1] + free) * shown.factor, wanted, false);
  const step = roundStep(axis.high - axis.low, wanted);
  const written = shown.unit || unitText(unit);
  return {
    at: (value) => from + ((value * shown.factor - axis.low) / (axis.high - axis.low)) * (to - from),
    back: (pixel) => (axis.low + ((pixel - from) / (to - from)) * (axis.high - axis.low)) / shown.factor,
    ticks: names.length > 0 ? names.map((text, k) => ({ value: k + 1, text })) : axis.ticks.map((tick) => ({ value: tick / shown.factor, text: tickText(tick, step) })),
    title: written === "" ? name : `${name} (${written})`,
  };
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A box with grid lines, numbers and titles on its left and below. */
export function drawBox(pen: Pen, box: Box, x: Scale, y: Scale, theme: Theme): void {
  const { left, right, top, bottom } = box;
  for (const { value, text } of x.ticks) {
    const px = x.at(value);
    pen.path([[px, top], [px, bottom]], { stroke: theme.grid });
    pen.text(px, bottom + 16, text, { anchor: "middle", colour: theme.soft });
  }
  for (const { value, text } of y.ticks) {
    const py = y.at(value);
    pen.path([[left, py], [right, py]], { stroke: theme.grid });
    pen.text(left - 6, py + 4, text, { anchor: "end", colour: theme.soft });
  }
  pen.text((left + right) / 2, bottom + 34, x.title, { anchor: "middle", colour: theme.text });
  pen.text(14, (top + bottom) / 2, y.title, { anchor: "middle", turned: true, colour: theme.text });
}
