/** Measured curves in the REST interface: their shapes and one function per request. */
import type { Json, JsonObject } from "../json.js";
import { get, post } from "../service/api.js";

/** What a file of a testing machine seems to hold. */
export interface AssetTable {
  asset: string;
  file: string;
  how: string;
  separator: string;
  decimal: string;
  rows: number;
  columns: { number: number; name: string; written: string; unit: string; count: number; low: number | null; high: number | null }[];
  first_rows: (number | null)[][]; /** in SI units */
  suggested: { x: number; y: number } | null;
}

type List = (number | null)[];

export interface MeasuredBand {
  x: number[];
  mean: List;
  deviation: List | null;
  low: List;
  high: List;
}

/** Curves in SI units, corrected, with the band of their scatter. */
export interface MeasuredCurves {
  x: { name: string; unit: string };
  y: { name: string; unit: string };
  scatter: number | null;
  curves: { label: string; x: List; y: List }[];
  band: MeasuredBand | null;
  band_reason: string | null;
}

export interface Measured extends MeasuredCurves {
  id: number;
  name: string;
  title: string;
}

/** How a file is to be read, where the finding is overruled. */
export interface Reading {
  separator?: string;
  decimal?: string;
  units?: string[];
}

export function getTable(asset: string, { separator, decimal, units }: Reading, signal: AbortSignal): Promise<AssetTable> {
  const asked = new URLSearchParams({ rows: "6" });
  if (separator) asked.set("separator", separator);
  if (decimal) asked.set("decimal", decimal);
  if (units?.some((unit) => unit !== "")) asked.set("units", units.join(","));
  return get(`/api/v1/assets/${encodeURIComponent(asset)}/table?${asked.toString()}`, signal);
}

export const checkMeasured = (measured: JsonObject, signal: AbortSignal): Promise<MeasuredCurves> => post("/api/v1/measured/check", measured, signal);
export const addMeasured = (measured: JsonObject): Promise<Measured> => post("/api/v1/measured", measured as Json);
export const getMeasured = (id: number): Promise<Measured> => get(`/api/v1/measured/${id}`);
export const listMeasured = async (): Promise<Pick<Measured, "id" | "name" | "title">[]> => (await get<{ measured: Measured[] }>("/api/v1/measured?limit=100")).measured;
