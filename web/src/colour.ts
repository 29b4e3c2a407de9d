/** Colour maps. The scalar map is computed in OKLab, where equal steps look equal; lightness rises all the way, so it
 *  reads the same in grey print and for colour-blind eyes. Source of the colour space: B. Ottosson, "A perceptual color
 *  space for image processing" (2020). */
import * as english from "./english/frame.js";

export type Rgb = [number, number, number]; /** 0 ... 1, sRGB */

function companded(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** OKLCh (hue in degrees) to linear sRGB, which may lie outside 0 ... 1. */
function linearRgb(lightness: number, chroma: number, hue_deg: number): Rgb {
  const a = chroma * Math.cos((hue_deg * Math.PI) / 180);
  const b = chroma * Math.sin((hue_deg * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** The colour of this lightness and hue with as much of the chroma as a screen can show. */
export function oklch(lightness: number, chroma: number, hue_deg: number): Rgb {
  let low = 0;
  let high = chroma;
  const fits = (c: number): boolean => linearRgb(lightness, c, hue_deg).every((v) => v >= -1e-4 && v <= 1.0001);
  if (!fits(chroma)) {
    for (let i = 0; i < 20; i++) {
      const middle = (low + high) / 2;
      if (fits(middle)) low = middle;
      else high = middle;
    }
    chroma = low;
  }
  return linearRgb(lightness, chroma, hue_deg).map((v) => companded(Math.min(1, Math.max(0, v)))) as Rgb;
}

/** Colour of t in 0 ... 1: violet-blue, teal, green, yellow, evenly lighter. */
export function scalarColour(t: number): Rgb {
  const x = Math.min(1, Math.max(0, t));
  return oklch(0.4 + 0.52 * x, 0.14 - 0.13 * x * (1 - x), 290 - 184 * x); /* least chroma in the middle, where a screen has least teal */
}

/** A colour of OKLab between two or more others, which are evenly spaced: lightness, a, b of each. */
function between(stops: Rgb[], t: number): Rgb {
  const x = Math.min(1, Math.max(0, t)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  const [l = 0, a = 0, b = 0] = (stops[i] ?? [0, 0, 0]).map((v, k) => v + (x - i) * ((stops[i + 1]?.[k] ?? v) - v));
  return oklch(l, Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI);
}

/** The maps for numbers. Their colours can be told apart by eyes that lack one of the three kinds of cones; a test holds them to it. */
export const MAPS = {
  even: { label: english.map.even, diverging: false, at: scalarColour },
  blue: { label: english.map.blue, diverging: false, at: (t: number) => between([[0.27, -0.01, -0.13], [0.58, 0, 0.005], [0.92, -0.03, 0.16]], t) },
  heat: { label: english.map.heat, diverging: false, at: (t: number) => between([[0.14, 0.01, -0.02], [0.42, 0.14, 0.03], [0.68, 0.13, 0.12], [0.96, -0.02, 0.1]], t) },
  grey: { label: english.map.grey, diverging: false, at: (t: number) => between([[0.2, 0, 0], [0.97, 0, 0]], t) },
  signs: { label: english.map.signs, diverging: true, at: (t: number) => between([[0.38, -0.03, -0.15], [0.66, -0.04, -0.1], [0.96, 0, 0], [0.72, 0.08, 0.12], [0.48, 0.1, 0.1]], t) },
} as const;

export type MapName = keyof typeof MAPS;

/** RGBA bytes of a map for numbers in `size` steps. */
export function scalarTable(size: number, map: MapName = "even"): Uint8Array {
  const table = new Uint8Array(4 * size);
  for (let i = 0; i < size; i++) table.set([...MAPS[map].at(i / (size - 1)).map((v) => Math.round(v * 255)), 255], 4 * i);
  return table;
}

export const PALETTE_SIZE = 2048; /** which every WebGL 2 can take as one row of a texture */

/** Colour of a class; class 0 is neutral. Hue, lightness and chroma go by the powers of the plastic number (the three-dimensional sequence of
 *  M. Roberts, 2018), which fills the space of colours evenly, so that no two of the 2047 others are the same and neighbouring ones lie far apart. */
export function paletteColour(index: number): Rgb {
  const i = index % PALETTE_SIZE;
  if (i === 0) return oklch(0.74, 0.035, 230);
  const part = (step: number): number => (0.5 + i * step) % 1;
  return oklch(0.5 + 0.36 * part(0.671043606703789), 0.075 + 0.1 * part(0.549700477901970), 360 * part(0.819172513396165));
}

let palette: Uint8Array | null = null;

export function paletteTable(): Uint8Array {
  if (palette) return palette;
  palette = new Uint8Array(4 * PALETTE_SIZE);
  for (let i = 0; i < PALETTE_SIZE; i++) palette.set([...paletteColour(i).map((v) => Math.round(v * 255)), 255], 4 * i);
  return palette;
}

/** Place of a whole number in the palette: 0 stays 0, others are spread over the rest. The shader of points.ts computes the same. */
export function paletteIndex(value: number): number {
  if (value === 0) return 0;
  return 1 + ((Math.imul(value, 0x9e3779b1) >>> 8) % (PALETTE_SIZE - 1));
}

export function cssColour(colour: Rgb): string {
  return `rgb(${colour.map((v) => Math.round(v * 255)).join(" ")})`;
}
