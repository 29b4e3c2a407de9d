/** Factors of a study as the page edits them: what is proposed for a number, what typed lists mean, and a factor in words. No elements here. */
import * as english from "../../english/study.js";
import { number, unitText } from "../../format.js";
import { isObject, pointerKeys, type Json, type JsonObject } from "../../json.js";

/** How a factor's values are given. */
export type FactorKind = "values" | "linear" | "logarithmic" | "uniform" | "normal" | "log_normal" | "weibull" | "seeds";

export const KINDS: [FactorKind, string][] = [
  ["values", english.factor.values],
  ["linear", english.factor.linear],
  ["logarithmic", english.factor.logarithmic],
  ["uniform", english.factor.uniform],
  ["normal", english.factor.normal],
  ["log_normal", english.factor.logNormal],
  ["weibull", english.factor.weibull],
  ["seeds", english.factor.seeds],
];

/** The two numbers of a range or a distribution: their keys and what they are called. */
export const PARAMETERS: Record<Exclude<FactorKind, "values" | "seeds">, [string, string][]> = {
  linear: [["from", english.factor.from], ["to", english.factor.to]],
  logarithmic: [["from", english.factor.from], ["to", english.factor.to]],
  uniform: [["from", english.factor.from], ["to", english.factor.to]],
  normal: [["mean", english.factor.mean], ["deviation", english.factor.deviation]],
  log_normal: [["median", english.factor.median], ["deviation", english.factor.logDeviation]],
  weibull: [["modulus", english.factor.modulus], ["scale", english.factor.scale]],
};

/** Distributions within a sentence. */
const WORDS = { uniform: english.factor.uniformWord, normal: english.factor.normalWord, log_normal: english.factor.logNormalWord, weibull: english.factor.weibullWord };

const FORMS = ["values", "range", "distribution", "seeds"] as const;
const STEPS = 5;
const SEEDS = 5;

export function kindOf(factor: JsonObject): FactorKind {
  const { range, distribution } = factor;
  if (isObject(range)) return range["scale"] === "logarithmic" ? "logarithmic" : "linear";
  const known = isObject(distribution) ? KINDS.find(([kind]) => kind === distribution["kind"]) : undefined;
  if (known) return known[0];
  return factor["seeds"] === undefined ? "values" : "seeds";
}

/** The part that holds a range's or a distribution's numbers. */
export function partOf(factor: JsonObject): JsonObject {
  const part = factor["range"] ?? factor["distribution"];
  return isObject(part) ? part : {};
}

const round = (value: number): number => Number(value.toPrecision(3));

/** What a number may be, as its form says. */
export interface Allowed {
  low: number;
  lowOpen: boolean;
  high: number;
  highOpen: boolean;
  integer: boolean;
}

/** From and to around a value, a factor of `wide` each way, within what is allowed. */
export function around(value: number, wide: number, allowed: Allowed): [number, number] {
  let [from, to] = value === 0 ? [0, Math.abs(allowed.high) < 1e5 ? allowed.high : 1] : value > 0 ? [value / wide, value * wide] : [value * wide, value / wide];
  if (from <= allowed.low) from = allowed.lowOpen ? (allowed.low + value) / 2 : allowed.low;
  if (to >= allowed.high) to = allowed.highOpen ? (allowed.high + value) / 2 : allowed.high;
  return allowed.integer ? [Math.floor(from), Math.ceil(to)] : [round(from), round(to)];
}

/** Texts around one with a unit: "2 mm" gives "1.33 mm", "2 mm", "3 mm". */
function spread(text: string): string[] {
  const found = /^\s*([-+−]?[\d.]+(?:e[-+]?\d+)?)\s*(\S.*)$/i.exec(text);
  const middle = Number(found?.[1]?.replace("−", "-"));
  if (!found || !(Math.abs(middle) > 0)) return [text];
  const [low, high] = around(middle, 1.5, ANY);
  return [`${low} ${found[2]}`, text, `${high} ${found[2]}`];
}

const ANY: Allowed = { low: -Infinity, lowOpen: false, high: Infinity, highOpen: false, integer: false };

/** A factor of a kind for a number that is `value` in the scene now. */
export function proposed(kind: FactorKind, value: Json | undefined, allowed: Allowed = ANY): JsonObject {
  const middle = typeof value === "number" && Number.isFinite(value) ? value : 1;
  const [from, to] = around(middle, kind === "logarithmic" ? 10 : 1.5, allowed);
  const positive = Math.abs(middle) || 1;
  switch (kind) {
    case "values": {
      if (typeof value === "string") return { values: spread(value) };
      const half = allowed.integer ? Math.round((from + to) / 2) : round((from + to) / 2);
      return { values: [...new Set([from, middle === 0 ? half : middle, to])] };
    }
    case "linear":
      return { range: { from, to, steps: STEPS } };
    case "logarithmic":
      return { range: { from: from > 0 ? from : round(positive / 10), to: to > 0 ? to : round(positive * 10), scale: "logarithmic", steps: STEPS } };
    case "uniform":
      return { distribution: { kind, from, to, steps: STEPS } };
    case "normal":
      return { distribution: { kind, mean: middle, deviation: round(0.1 * positive), steps: STEPS } };
    case "log_normal":
      return { distribution: { kind, median: positive, deviation: 0.1, steps: STEPS } };
    case "weibull":
      return { distribution: { kind, modulus: 10, scale: positive, steps: STEPS } };
    case "seeds":
      return { seeds: SEEDS };
  }
}

/** The factor with its values given in another way; its places and unit stay.   @param value in the scene, in the factor's unit */
export function recastFactor(factor: JsonObject, kind: FactorKind, value: Json | undefined, allowed?: Allowed): JsonObject {
  const rest = Object.fromEntries(Object.entries(factor).filter(([key]) => !FORMS.some((form) => form === key)));
  return { ...rest, ...proposed(kind, value, allowed) };
}

/** "0.3, 0.4; 1 mm" as its values: numbers where they are numbers, else texts. */
export function typedValues(text: string): Json[] {
  const parts = text.split(text.includes(";") ? ";" : ",").map((part) => part.trim().replace("−", "-"));
  return parts.filter((part) => part !== "").map((part) => {
    try {
      return JSON.parse(part) as Json; /* a number, true, or something quoted */
    } catch {
      return Number.isFinite(Number(part)) ? Number(part) : part;
    }
  });
}

export function valuesText(values: Json | undefined): string {
  const list = Array.isArray(values) ? values : [];
  return list.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(list.some((value) => typeof value === "string" && value.includes(",")) ? "; " : ", ");
}

/** A factor in words: "0.3, 0.4, 0.5", "5 from 1 to 2 m/s", "5 seeds". */
export function factorText(factor: JsonObject, grid: boolean): string {
  const kind = kindOf(factor);
  const part = partOf(factor);
  const unit = typeof factor["unit"] === "string" && factor["unit"] !== "1" ? ` ${unitText(factor["unit"])}` : "";
  const said = (key: string): string => (typeof part[key] === "number" ? number(part[key], 4) : "?");
  const many = grid && typeof part["steps"] === "number" ? `${part["steps"]} ` : "";
  switch (kind) {
    case "values":
      return `${valuesText(factor["values"])}${Array.isArray(factor["values"]) && factor["values"].every((value) => typeof value === "number") ? unit : ""}`;
    case "seeds":
      return english.factorSeedCount(String(factor["seeds"]));
    case "linear":
    case "logarithmic":
      return `${many}${english.factorFromTo(said("from"), `${said("to")}${unit}`)}${kind === "linear" ? "" : english.factor.logarithmicEnd}`;
    default:
      return `${many}${WORDS[kind]}, ${PARAMETERS[kind].map(([key, label]) => `${label} ${said(key)}`).join(", ")}${unit}`;
  }
}

/** A name for what a pointer leads to that expressions take, and that none of `taken` is. */
export function factorName(pointer: string, taken: string[]): string {
  const keys = pointerKeys(pointer);
  const plain = (key: string): string => key.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[^A-Za-z_]+/, "");
  const last = keys[keys.length - 1] ?? "";
  const words = keys.filter((key) => !/^\d+$/.test(key)).map(plain);
  const end = /^[0-3]$/.test(last) && words.length > 0 ? `${words.pop() ?? ""}_${"xyzw".charAt(Number(last))}` : (words.pop() ?? "factor");
  let name = end.slice(0, 40) || "factor";
  while (taken.includes(name) && words.length > 0) name = `${words.pop() ?? ""}_${name}`.slice(-50).replace(/^_+/, "");
  for (let k = 2, first = name; taken.includes(name); k++) name = `${first}_${k}`;
  return name;
}

/** The places of a factor in the one scene of a study. */
export function pointersOf(factor: JsonObject): string[] {
  const { pointer } = factor;
  if (typeof pointer === "string") return [pointer];
  return Array.isArray(pointer) ? pointer.filter((one) => typeof one === "string") : [];
}
