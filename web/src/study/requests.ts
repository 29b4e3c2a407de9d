/** Studies in the REST interface: their shapes and one function per request. */
import type { Json, JsonObject } from "../json.js";
import { asUser } from "../service/user.js";
import { get, post, send, type SceneProblem } from "../service/api.js";

export type StudyState = "running" | "stopped" | "finished" | "deleting";
export type RowState = "waiting" | "running" | "succeeded" | "failed" | "cancelled" | "refused";

export interface Study {
  id: number;
  name: string;
  title: string;
  state: StudyState;
  reason: string | null;
  created: string;
  ended: string | null;
  version: number;
  rows: { total: number } & Record<RowState, number>;
  record_bytes: number;
}

export type Cell = number | string | boolean | null | JsonObject | Json[];

export interface StudyRow {
  number: number;
  state: RowState;
  job: number | null;
  taken_over: boolean;
  version: number;
  factors: Record<string, Cell>;
  results: Record<string, number | string | null> | null;
  reasons: Record<string, string>;
  reason: string | null;
}

/** What the page reads of a study's document. */
export interface StudyDocument {
  name: string;
  title?: string;
  description?: string;
  scenes?: JsonObject;
  factors?: Record<string, { unit?: string }>;
  design?: { kind?: string; runs?: number };
  results?: Record<string, string | { expression: string; unit?: string }>;
}

export interface StudyPlan {
  rows: number;
  checked: number;
  refused: number;
  run_seconds: number | null;
  record_bytes: number | null;
  memory_bytes: number;
  refusals: SceneProblem[];
  warnings: SceneProblem[];
}

export interface GalleryStudy {
  name: string;
  title: string;
  description: string;
  study: JsonObject;
}

interface RowPage {
  rows: StudyRow[];
  version: number;
  next: { after: number; changed?: number } | null;
}

export const studyPath = (id: number): string => `/api/v1/studies/${id}`;
export const listStudies = (before?: number): Promise<{ studies: Study[]; next_before: number | null }> => get(`/api/v1/studies?limit=50${before === undefined ? "" : `&before=${before}`}`);
export const getStudy = (id: number): Promise<Study> => get(studyPath(id));
export const getDocument = (id: number): Promise<StudyDocument & JsonObject> => get(`${studyPath(id)}/document`);
export const galleryStudies = async (): Promise<GalleryStudy[]> => (await get<{ studies: GalleryStudy[] }>("/api/v1/gallery/studies")).studies;
export const checkStudy = (study: Json, signal?: AbortSignal): Promise<StudyPlan> => post("/api/v1/studies/check", study, signal);
export const submitStudy = (study: Json, key: string): Promise<Study> => post(asUser("/api/v1/studies"), study, undefined, { "Idempotency-Key": key });
export const steerStudy = (id: number, action: "stop" | "resume" | "retry"): Promise<Study> => post(`${studyPath(id)}/${action}`);

export async function deleteStudy(id: number, runs: boolean): Promise<void> {
  await send(`${studyPath(id)}?runs=${runs ? "delete" : "keep"}`, { method: "DELETE" });
}

/** Hands on all rows that changed after a version, page by page; returns the version to ask from next. 0: all rows. */
export async function readRows(id: number, changed: number, take: (rows: StudyRow[]) => void, signal: AbortSignal): Promise<number> {
  let query = `limit=1000${changed > 0 ? `&changed=${changed}` : ""}`;
  let version: number | null = null; /* of the study before the first page: what changes while further ones are read comes again */
  for (;;) {
    const page: RowPage = await get(`${studyPath(id)}/rows?${query}`, signal);
    version ??= page.version;
    take(page.rows);
    if (page.next === null) return version;
    query = `limit=1000&after=${page.next.after}${page.next.changed === undefined ? "" : `&changed=${page.next.changed}`}`;
  }
}

/** Curves of repeated runs on a common axis; null where none reaches. */
/** Of each group, with the units of both curves where they are known. */
export interface Bands {
  groups: Band[];
  x_unit?: string;
  y_unit?: string;
}

export interface Band {
  label: string;
  rows: number;
  x: number[];
  low: (number | null)[];
  median: (number | null)[];
  high: (number | null)[];
  curves: { x: (number | null)[]; y: (number | null)[] }[];
}

/** A result of repeated runs; null what it is too few for. */
export interface Strength {
  label: string;
  rows: number;
  mean: number | null;
  deviation: number | null;
  weibull: {
    modulus: number | null;
    modulus_low: number | null;
    modulus_high: number | null;
    scale: number | null;
    scale_low: number | null;
    scale_high: number | null;
    rows_for_half_the_width: number | null;
    plot: { value: number[]; y: number[] };
  } | null;
}

const query = (given: Record<string, string>): string => new URLSearchParams(Object.entries(given).filter(([, value]) => value !== "")).toString();
export const getBands = async (id: number, x: string, y: string, by: string): Promise<Bands> => get<Bands>(`${studyPath(id)}/bands?${query({ x, y, by })}`);
export const getStrength = async (id: number, result: string, by: string): Promise<Strength[]> => (await get<{ groups: Strength[] }>(`${studyPath(id)}/strength?${query({ result, by })}`)).groups;

/** What the factors do to a result: shares of its variance, null where rows are too few for them. */
export interface StudyEffects {
  result: string;
  unit: string;
  rows: number;
  mean: number | null;
  deviation: number | null;
  method: "grid" | "fit";
  factors: { name: string; unit: string; share: number | null; correlation: number | null; levels: { value: Cell; mean: number | null; rows: number }[] }[];
  pairs: { factors: [string, string]; share: number | null }[];
  rest: number;
  predicted: number | null; /** of a fit: the share of the variance of rows left out that it predicts */
}
export const getEffects = (id: number, result: string): Promise<StudyEffects> => get(`${studyPath(id)}/effects?${query({ result })}`);

/** A point that a calibration asked for. */
export interface CalibrationPoint {
  point: number;
  rows: [number, number];
  ended: boolean;
  value: number | null; /** sum of weight times distance squared */
  unknowns: Record<string, number>;
  distances: Record<string, number | null>;
}

/** How far a calibration has come, and what is known. */
export interface Calibration {
  state: StudyState;
  ended: boolean;
  why: string;
  points: { known: number; failed: number; out: number; limit: number };
  unknowns: { name: string; unit: string; low: number; high: number; scale: "linear" | "logarithmic" }[];
  best: CalibrationPoint | null;
  estimate: { level: number; parameters: { name: string; unit: string; best: number | null; low: number | null; high: number | null; undetermined: boolean; at_bound: boolean }[]; words: string } | null;
  estimate_reason: string | null;
  history: CalibrationPoint[];
}

type List = (number | null)[];

/** Measured, best and band of each target. */
export interface Overlay {
  level: number;
  targets: {
    target: string;
    scene: string;
    kind: "curve" | "number";
    x: string;
    y: string;
    measured: { name?: string; x?: List; y?: List; value?: number; deviation?: List | number | null };
    best: ({ x: List; y: List } | number | null)[];
    band: { runs: number; low: List | number | null; high: List | number | null } | null;
  }[];
}

export const getCalibration = (id: number): Promise<Calibration> => get(`${studyPath(id)}/calibration`);
export const getOverlay = (id: number): Promise<Overlay> => get(`${studyPath(id)}/overlay`);
