/** Numbers, units and times as people read them. */
import * as english from "./english/frame.js";

const NARROW = "\u202f"; /* narrow no-break space: between a number and its unit, and between groups of three digits */
const PREFIXES = ["y", "z", "a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];
/* Units that may carry a prefix: a plain first unit. A power ("m^2") may not. Masses below a kilogram are given in grams and their parts. */
const MASS = /^kg(?![\^A-Za-z/])/;
const PREFIXABLE = /^(m|s|N|Pa|J|W|Hz|V|A|rad)(?![\^A-Za-z])/;
const SUPERSCRIPT: Record<string, string> = {
  "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹", "-": "⁻",
};

function superscript(text: string): string {
  return text.replace(/[-0-9]/g, (c) => SUPERSCRIPT[c] ?? c);
}

/** "10⁻⁶" */
export function powerOfTen(power: number): string {
  return `10${superscript(String(power))}`;
}

/** "kg/m^3" as "kg/m³"; "1" (a pure number) as "". */
export function unitText(unit: string): string {
  if (unit === "1") return "";
  return unit.replace(/\^(-?\d+)/g, (_, power: string) => superscript(power)).replace(/\*/g, "·");
}

/** Significant digits without trailing zeros; powers of ten written out beyond 1e6 and below 1e-3. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e");
    return `${trimmed(mantissa)}×10${superscript(String(Number(exponent)))}`.replace("-", "−");
  }
  return grouped(trimmed(value.toPrecision(digits).includes("e") ? value.toFixed(0) : value.toPrecision(digits)));
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function grouped(text: string): string {
  const [whole = "", fraction] = text.replace("-", "−").split(".");
  const spaced = whole.replace(/(\d)(?=(\d{3})+$)/g, `$1${NARROW}`);
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

/** A whole number with its digits in groups of three. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? "–" : grouped(Math.round(value).toFixed(0));
}

/** The power of a thousand a value is best shown in, and the unit with its prefix. */
export function scaleFor(value: number, unit: string): { factor: number; unit: string } {
  if (MASS.test(unit) && Math.abs(value) < 1) {
    const grams = scaleFor(value * 1000, "s"); /* any unit that takes prefixes */
    return { factor: 1000 * grams.factor, unit: unitText(unit).replace("kg", `${grams.unit.slice(0, -1)}g`) };
  }
  if (!PREFIXABLE.test(unit) || !Number.isFinite(value) || value === 0) return { factor: 1, unit: unitText(unit) };
  /* 1e-12 keeps 1000, computed as 999.999..., from being shown as 1000 m instead of 1 km. */
  const third = Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-12);
  const bounded = Math.min(6, Math.max(-8, third));
  return { factor: 10 ** (-3 * bounded), unit: `${PREFIXES[bounded + 8] ?? ""}${unitText(unit)}` };
}

/** A quantity with an SI prefix: 2.4e-5, "s" as "24 µs". Null and non-finite values as "–". */
export function quantity(value: number | null | undefined, unit: string, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const scale = scaleFor(Number(value.toPrecision(digits)), unit);
  const text = number(value * scale.factor, digits);
  return scale.unit === "" ? text : `${text}${NARROW}${scale.unit}`;
}

/** Bytes in powers of 1000: "4.1 MB". */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const names = ["B", "kB", "MB", "GB", "TB"];
  const power = value < 1000 ? 0 : Math.min(names.length - 1, Math.floor(Math.log10(value) / 3 + 1e-12));
  return `${number(value / 1000 ** power, 3)}${NARROW}${names[power] ?? ""}`;
}

/** Wall-clock seconds: "4.2 s", "3 min 12 s", "1 h 5 min", "2 d 3 h". */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return "–";
  if (seconds < 9.95) return `${seconds.toFixed(1)}${NARROW}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${NARROW}s`;
  const parts: [number, string][] = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n}${NARROW}${unit}`)
    .join(" ");
}

/** A moment as "just now", "5 min ago", else date and time. `now` in milliseconds. */
export function moment(iso: string | null, now: number): string {
  if (iso === null) return "–";
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "–";
  const seconds = (now - then) / 1000;
  if (seconds < 45) return english.moment.now;
  if (seconds < 3600) return english.momentMinutes(Math.max(1, Math.round(seconds / 60)));
  if (seconds < 86400) return english.momentHours(Math.round(seconds / 3600));
  return new Date(then).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** "inner_radius" as "Inner radius"; "von_mises" as "Von Mises", as he was called. */
export function heading(name: string): string {
  const words = name.replace(/_/g, " ").replace(/\bmises\b/, "Mises");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One of what a list's heading names: "Vertices" as "Vertex". */
export function singular(plural: string): string {
  const forms: [RegExp, string][] = [[/(vert|ind)ices$/i, "$1ex"], [/ies$/i, "y"], [/(s|x|z|ch|sh)es$/i, "$1"], [/ss$/i, "ss"], [/s$/i, ""]];
  const [from, to] = forms.find(([ending]) => ending.test(plural)) ?? [/$/, ""];
  return plural.replace(from, to);
}

/** The value of a headline: with its unit, or as a count when it has none and is a whole number. */
export function headlineText(headline: { unit: string; value: number | null }, digits = 3): string {
  return headline.unit === "1" && Number.isInteger(headline.value) ? count(headline.value) : quantity(headline.value, headline.unit, digits);
}
