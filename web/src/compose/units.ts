/** Units that a number may be given in beside its own: what a list offers, what typed text says, and conversion that keeps decimals exact. */
import type { Json } from "../json.js";

export interface UnitChoice {
  name: string; /** as the scene has it, "mm" */
  ten: number; /** 1 of it is factor x 10^ten of the base unit */
  factor: number;
}

const of = (name: string, ten: number, factor = 1): UnitChoice => ({ name, ten, factor });

const CHOICES: Record<string, UnitChoice[]> = {
  m: [of("m", 0), of("cm", -2), of("mm", -3), of("µm", -6), of("nm", -9), of("km", 3)],
  s: [of("s", 0), of("ms", -3), of("µs", -6), of("ns", -9), of("min", 0, 60), of("h", 0, 3600)],
  kg: [of("kg", 0), of("g", -3), of("mg", -6), of("t", 3)],
  N: [of("N", 0), of("mN", -3), of("kN", 3), of("MN", 6)],
  Pa: [of("Pa", 0), of("kPa", 3), of("MPa", 6), of("GPa", 9), of("bar", 5)],
  J: [of("J", 0), of("mJ", -3), of("kJ", 3)],
  Hz: [of("Hz", 0), of("kHz", 3), of("MHz", 6)],
  "kg/m^3": [of("kg/m^3", 0), of("g/cm^3", 3), of("t/m^3", 3)],
  "m/s": [of("m/s", 0), of("cm/s", -2), of("mm/s", -3), of("µm/s", -6), of("mm/min", -3, 1 / 60)],
  "m/s^2": [of("m/s^2", 0), of("mm/s^2", -3)],
  "J/m^2": [of("J/m^2", 0), of("kJ/m^2", 3)],
  "N/m": [of("N/m", 0), of("N/mm", 3), of("kN/mm", 6)],
  "N/m^3": [of("N/m^3", 0), of("kN/m^3", 3), of("MN/m^3", 6)],
  "N m": [of("N m", 0), of("mN m", -3), of("kN m", 3)],
  "Pa s": [of("Pa s", 0), of("mPa s", -3)],
  rad: [of("rad", 0), of("deg", 0, Math.PI / 180), of("mrad", -3)],
  deg: [of("deg", 0), of("rad", 0, 180 / Math.PI)],
  "rad/s": [of("rad/s", 0), of("rpm", 0, Math.PI / 30), of("deg/s", 0, Math.PI / 180)],
};

/** The units to choose from; the number's own first. One alone: there is nothing to choose. */
export const unitChoices = (unit: string): UnitChoice[] => CHOICES[unit] ?? [of(unit, 0)];

const NUMBER = /^\s*([+\-−]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*$/;

const plain = (name: string): string => name.replace(/[\u03bcu](?=[a-zA-Z])/g, "µ").replace(/°/g, "deg").replace(/²/g, "^2").replace(/³/g, "^3").replace(/[\u00a0\u202f\u2009]/g, " ");

/** A given value as a number's text and its unit: "1.5 mm" is ["1.5", "mm"], 2 is ["2", "m"]. Null: it is no such thing. */
export function splitQuantity(value: Json | undefined, unit: string): [string, string] | null {
  if (typeof value === "number") return [String(value), unit];
  const found = typeof value === "string" ? NUMBER.exec(value) : null;
  if (!found) return null;
  const named = plain(found[2] ?? "");
  const known = unitChoices(unit).find(({ name }) => plain(name) === named || name === found[2]);
  return [found[1] ?? "", named === "" ? unit : (known?.name ?? found[2] ?? "")];
}

/** A decimal text moved by so many places: exactly, as texts of numbers are. */
function shifted(text: string, places: number): number {
  const [mantissa = "0", exponent = "0"] = text.replace("−", "-").toLowerCase().split("e");
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

/** The same quantity in another unit. */
export function converted(text: string, from: UnitChoice, to: UnitChoice): number {
  const moved = shifted(text, from.ten - to.ten);
  return from.factor === to.factor ? moved : Number(((moved * from.factor) / to.factor).toPrecision(12));
}

/** A value in the unit of its place; NaN where it is no quantity of it. */
export function inOwnUnit(value: Json | undefined, unit: string): number {
  const parts = splitQuantity(value, unit);
  const choices = unitChoices(unit);
  const from = parts && choices.find(({ name }) => name === parts[1]);
  return parts && from && choices[0] ? converted(parts[0], from, choices[0]) : NaN;
}
