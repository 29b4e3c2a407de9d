/** A study's table as columns: values, order, and what they say of each other. No elements here. */
import * as english from "../english/study.js";
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
    { name: english.page.rowColumn, unit: "1", kind: "row", of: (row) => row.number },
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

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const squares = (values: number[], around: number): number => values.reduce((sum, value) => sum + (value - around) ** 2, 0);

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
