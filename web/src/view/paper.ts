/** The picture for a paper: what the view shows in any size, on white or on nothing, with the key of its colours and a scale drawn into it. */
import { cssColour, MAPS, type MapName, type Rgb } from "../colour.js";
import type { Tick } from "./fields/colour_bar.js";

/** What the legend says. */
export type ColourKey = { title: string; map: MapName; ticks: Tick[] } | { title: string; classes: { name: string; colour: Rgb }[] };

export interface PaperChoice {
  width: number; /** pixels */
  height: number;
  ground: string | null; /** a colour, null: transparent */
  dark: boolean; /** the writing is light */
}

const LETTERS = 1 / 46; /* height of the writing as a share of the picture's */

/** Draws the key into the upper right corner. */
export function drawKey(context: CanvasRenderingContext2D, key: ColourKey, { width, height, dark }: PaperChoice): void {
  const size = Math.max(9, height * LETTERS);
  const [wide, right, top] = [Math.min(0.42 * width, 14 * size), width - 1.2 * size, 1.2 * size];
  context.fillStyle = context.strokeStyle = dark ? "#f2f5f6" : "#111111";
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.font = `600 ${size}px sans-serif`;
  context.fillText(key.title, right - wide, top + size, wide);
  context.font = `${size}px sans-serif`;
  if ("map" in key) {
    const [y, thick] = [top + 1.6 * size, 0.8 * size];
    const colours = context.createLinearGradient(right - wide, 0, right, 0);
    for (let i = 0; i <= 32; i++) colours.addColorStop(i / 32, cssColour(MAPS[key.map].at(i / 32)));
    const ink = context.fillStyle;
    context.fillStyle = colours;
    context.fillRect(right - wide, y, wide, thick);
    context.fillStyle = ink;
    context.lineWidth = Math.max(1, size / 12);
    for (const { at, text } of key.ticks) {
      const x = right - wide + at * wide;
      context.beginPath();
      context.moveTo(x, y + thick);
      context.lineTo(x, y + thick + 0.35 * size);
      context.stroke();
      context.textAlign = at < 0.04 ? "left" : at > 0.96 ? "right" : "center";
      context.fillText(text, x, y + thick + 1.4 * size);
    }
  } else
    key.classes.forEach(({ name, colour }, i) => {
      const y = top + (2.1 + 1.35 * i) * size;
      const ink = context.fillStyle;
      context.fillStyle = cssColour(colour);
      context.beginPath();
      context.arc(right - wide + 0.45 * size, y, 0.42 * size, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = ink;
      context.fillText(name, right - wide + 1.3 * size, y + 0.35 * size, wide - 1.3 * size);
    });
}

/** Draws the scale into the lower left corner. @param pixels how long the bar is */
export function drawScale(context: CanvasRenderingContext2D, pixels: number, text: string, { height, dark }: PaperChoice): void {
  const size = Math.max(9, height * LETTERS);
  const [x, y] = [1.2 * size, height - 1.2 * size];
  context.fillStyle = context.strokeStyle = dark ? "#f2f5f6" : "#111111";
  context.lineWidth = Math.max(1, size / 9);
  context.beginPath();
  context.moveTo(x, y - 0.4 * size);
  context.lineTo(x, y);
  context.lineTo(x + pixels, y);
  context.lineTo(x + pixels, y - 0.4 * size);
  context.stroke();
  context.font = `${size}px sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(text, x + pixels / 2, y - 0.6 * size);
}
