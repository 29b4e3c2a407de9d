/** What of a run's table can be drawn: distributions of sizes, and directions. */
import type { Table } from "../service/api.js";

export interface Bin {
  from: number;
  to: number;
  rows: number;
}

/** Three columns that together are a direction, such as a contact's normal. */
export interface DirectionColumns {
  name: string;
  columns: [number, number, number];
}

const SIZES = new Set(["m", "m^2", "m^3", "kg", "N", "J", "Pa", "m/s"]); /* units of what a distribution is asked for */
const LAST_LEAST = 5; /* rows of one moment; with fewer a table lists what happened one after the other, and all of it counts */
const DECADES_WIDE = 100; /* largest over least: beyond it classes grow by a factor */
const CLASSES_MOST = 30;

/** Columns of sizes. */
export function sizeColumns({ columns }: Table): number[] {
  const part = new Set(directionColumns({ columns, rows: [] }).flatMap((one) => one.columns));
  return columns.flatMap(({ name, unit }, i) => (SIZES.has(unit) && !part.has(i) && !/^(x|y|z|from|to)$/.test(name) ? [i] : []));
}

/** Columns NAME_x, NAME_y, NAME_z without a unit, or of forces. */
export function directionColumns({ columns }: Table): DirectionColumns[] {
  return columns.flatMap(({ name, unit }, i) => {
    const stem = /^(.+)_x$/.exec(name)?.[1];
    const [y, z] = [columns.findIndex((one) => one.name === `${stem}_y`), columns.findIndex((one) => one.name === `${stem}_z`)];
    return stem !== undefined && y >= 0 && z >= 0 && (unit === "1" || unit === "N") ? [{ name: stem, columns: [i, y, z] as [number, number, number] }] : [];
  });
}

/** The rows of the newest moment, where a table has many at each; else all. */
export function newestRows({ columns, rows }: Table): Table["rows"] {
  const time = columns.findIndex(({ name }) => name === "time");
  const last = rows[rows.length - 1]?.[time];
  const newest = time < 0 ? rows : rows.filter((row) => row[time] === last);
  return newest.length >= LAST_LEAST ? newest : rows;
}

/** Classes over the values, equally wide, or by equal factors where they span more than two decades and are all above zero. */
export function histogram(values: number[]): Bin[] {
  const known = values.filter(Number.isFinite);
  let [low, high] = [Infinity, -Infinity];
  for (const value of known) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (known.length === 0) return [];
  if (low === high) return [{ from: low, to: high, rows: known.length }];
  const count = Math.min(CLASSES_MOST, Math.max(4, Math.ceil(2 * Math.cbrt(known.length)))); /* Rice's rule */
  const logarithmic = low > 0 && high / low > DECADES_WIDE;
  const edge = (k: number): number => (logarithmic ? low * (high / low) ** (k / count) : low + ((high - low) * k) / count);
  const bins = Array.from({ length: count }, (_, k) => ({ from: edge(k), to: edge(k + 1), rows: 0 }));
  for (const value of known) {
    const share = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    const bin = bins[Math.min(count - 1, Math.floor(share * count))];
    if (bin) bin.rows++;
  }
  return bins;
}

/** How many directions lie in each sector of a plane, the first about the plane's first axis. A direction without a sense counts at both its ends.
 *  @param pairs components in the plane, one after the other   @param bothEnds whether a direction and its opposite are the same */
export function sectors(pairs: [number, number][], count: number, bothEnds: boolean): number[] {
  const rows = Array<number>(count).fill(0);
  for (const [a, b] of pairs) {
    if (!(Math.hypot(a, b) > 0)) continue;
    for (const turn of bothEnds ? [0, Math.PI] : [0]) {
      const share = (Math.atan2(b, a) + turn) / (2 * Math.PI);
      const place = ((Math.round(share * count) % count) + count) % count;
      rows[place] = (rows[place] ?? 0) + 1;
    }
  }
  return rows;
}
