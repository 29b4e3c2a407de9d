/** A study's table as columns: values, order, and what they say of each other. No elements here. */
import type { Cell, StudyDocument, StudyRow } from "./requests.js";

export interface Column {
  name: string;
  unit: string; /** "1": none */
  kind: "row" | "factor" | "result";
  of(row: StudyRow): Cell;
}

const unitOf = (given: unknown): string => (typeof given === "object" && given !== null && "unit" in given && typeof given.unit === "string" && given.unit !== "" ? given.unit : "1");

/** Row number, factors in the document's order, results. */
export function columnsOf(document: StudyDocument): Column[] {
  const factors = [...(document.scenes ? ["scene"] : []), ...Object.keys(document.factors ?? {})];
  return [
    { name: "row", unit: "1", kind: "row", of: (row) => row.number },
    ...factors.map((name): Column => ({ name, unit: unitOf(document.factors?.[name]), kind: "factor", of: (row) => row.factors[name] ?? null })),
    ...Object.entries(document.results ?? {}).map(([name, given]): Column => ({ name, unit: unitOf(given), kind: "result", of: (row) => row.results?.[name] ?? null })),
  ];
}

export const numeric = (value: Cell): number => (typeof value === "number" ? value : NaN);

/** A text that tells values apart, for what is no number. */
export const labelOf = (value: Cell): string => (value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

/** Rows in the order of a column; those without a value last, equal ones by their numbers. */
export function sorted(rows: StudyRow[], column: Column, descending: boolean): StudyRow[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = column.of(a);
    const y = column.of(b);
    if (x === null || y === null) return Number(x === null) - Number(y === null) || a.number - b.number;
    const order = typeof x === "number" && typeof y === "number" ? x - y : labelOf(x).localeCompare(labelOf(y), "en", { numeric: true });
    return sign * order || a.number - b.number;
  });
}

export interface Level {
  label: string;
  mean: number;
  deviation: number; /** of single values; NaN for one */
  count: number;
}

export interface Effect {
  factor: string;
  share: number; /** of the result's variance that the means of the factor's levels explain, 0 to 1; NaN where nothing varies */
  levels: Level[];
}

const LEVELS_MOST = 12;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const squares = (values: number[], around: number): number => values.reduce((sum, value) => sum + (value - around) ** 2, 0);

/** Groups of rows with one value of the factor; of one with many values as many equal parts of its range as make a picture. */
function groupsOf(pairs: [Cell, number][]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  const add = (label: string, value: number): void => void (groups.get(label)?.push(value) ?? groups.set(label, [value]));
  const short = (level: Cell): string => (typeof level === "number" ? String(Number(level.toPrecision(6))) : labelOf(level));
  const different = new Set(pairs.map(([level]) => short(level)));
  if (different.size <= LEVELS_MOST || pairs.some(([level]) => typeof level !== "number")) {
    for (const [level, value] of pairs) add(short(level), value);
    return groups;
  }
  const ordered = [...pairs].sort((a, b) => numeric(a[0]) - numeric(b[0]));
  const parts = 5;
  for (let k = 0; k < parts; k++) {
    const part = ordered.slice(Math.floor((k * ordered.length) / parts), Math.floor(((k + 1) * ordered.length) / parts));
    for (const [, value] of part) add(`${numeric(part[0]?.[0] ?? null).toPrecision(3)} to ${numeric(part[part.length - 1]?.[0] ?? null).toPrecision(3)}`, value);
  }
  return groups;
}

/** What each factor alone does to a result: the means of its levels, and how much of the variance they explain (the correlation ratio). */
export function mainEffects(rows: StudyRow[], factors: Column[], result: Column): Effect[] {
  const fit = rows.filter((row) => Number.isFinite(numeric(result.of(row))));
  const all = fit.map((row) => numeric(result.of(row)));
  const middle = mean(all);
  const total = squares(all, middle);
  const effects = factors.map((factor): Effect => {
    const groups = groupsOf(fit.map((row): [Cell, number] => [factor.of(row), numeric(result.of(row))]));
    let between = 0;
    const levels = [...groups].map(([label, values]): Level => {
      const own = mean(values);
      between += values.length * (own - middle) ** 2;
      return { label, mean: own, deviation: values.length > 1 ? Math.sqrt(squares(values, own) / (values.length - 1)) : NaN, count: values.length };
    });
    levels.sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
    return { factor: factor.name, share: total > 0 ? between / total : NaN, levels };
  });
  return effects.sort((a, b) => (Number.isNaN(a.share) ? 1 : Number.isNaN(b.share) ? -1 : b.share - a.share));
}

/** Pearson's correlation of two columns over the rows that have both; NaN for fewer than three, or where one does not vary. */
export function correlation(rows: StudyRow[], x: Column, y: Column): number {
  const pairs = rows.map((row): [number, number] => [numeric(x.of(row)), numeric(y.of(row))]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
  if (pairs.length < 3) return NaN;
  const a = pairs.map(([value]) => value);
  const b = pairs.map(([, value]) => value);
  const am = mean(a);
  const bm = mean(b);
  const both = pairs.reduce((sum, [p, q]) => sum + (p - am) * (q - bm), 0);
  return both / Math.sqrt(squares(a, am) * squares(b, bm));
}
