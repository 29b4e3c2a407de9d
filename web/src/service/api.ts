/** The REST interface (api/openapi.yaml): its shapes and one function per request. */
import * as english from "../english/service.js";
import type { Json, JsonObject } from "../json.js";
import { asUser } from "./user.js";

export type JobState = "queued" | "running" | "paused" | "succeeded" | "failed" | "cancelled";

/** A number that the method names to tell how a run does. */
export interface Headline {
  name: string;
  label: string;
  unit: string;
  value: number | null; /** null while not known */
}

export interface Progress {
  step: number;
  step_count: number;
  sim_time: number;
  duration: number;
  fraction: number;
  headlines: Headline[];
  stage: string | null;
  run_seconds: number | null;
  steps_per_second: number | null;
  eta_seconds: number | null;
  last_seq: number;
}

/** Something that a run is made of, as its method names it. */
export interface Count {
  name: string;
  label: string;
  value: number;
}

export interface Estimate {
  node_count: number;
  counts: Count[]; /** the most telling first */
  memory_bytes: number | null;
  time_step: number | null;
  time_step_rule: string;
  step_count: number;
  frame_count: number;
  record_bytes: number | null;
  run_seconds: number | null;
}

/** An event table: rows that the job's method adds as things happen. */
export interface TableHead {
  name: string;
  label: string;
  rows: number; /** recorded so far */
  picture: boolean; /** can also be had as image/svg+xml */
}

/** Why a run that ended can't be trusted without reserve. */
export interface Doubt {
  kind: string;
  message: string;
}

/** A place where jobs run. */
export interface Executor {
  name: string;
  available: boolean;
  reason: string | null; /** why it does not answer */
  engine: string | null;
  queued: number | null;
  running: number | null;
  partitions: { name: string; default: boolean; up: boolean; idle_processors: number; processors: number; time_limit: number | null }[];
  waiting: { job: number; reason: string }[];
}

export interface Job {
  id: number;
  name: string;
  title: string;
  method: string;
  state: JobState;
  created: string;
  started: string | null;
  ended: string | null;
  attempt: number;
  max_attempts: number;
  cancel_requested: boolean;
  error: string | null;
  doubts?: Doubt[]; /** none while it runs */
  damage?: { message: string; found: string; sound: number; expected: number | null } | null; /** what is missing in its recording */
  progress: Progress | null;
  estimate: Estimate;
  tags?: Record<string, string>;
  user?: string; /** who submitted it, as they said; "": nobody said */
  notes?: string;
  priority?: number;
  threads?: number; /** of all processes together; 0: the laboratory's share */
  executor?: string; /** where it runs: "local", "slurm" */
  executor_options?: { partition?: string };
  run?: RunChoice | null; /** null: not known, of older jobs */
}

/** How a run is made, which changes none of its results. */
export interface RunChoice {
  ranks: number; /** processes that share it */
  device: string; /** "cpu", "auto", or a device's name */
}

/** A GPU or the like that runs may name. */
export interface Device {
  name: string;
  title: string;
  gpu: boolean; /** "auto" takes GPUs only */
  usable: boolean;
  reason: string; /** why it is not */
}

/** What ranks would gain. */
export interface Sharing {
  measured: string | null; /** day on which the server's machine was measured; null: by what is usual */
  gains: { ranks: number; speedup: number }[];
}

/** Which jobs are wanted, in which order; "" asks for nothing. */
export type JobQuery = Record<"q" | "state" | "method" | "tag" | "study" | "user" | "sort", string>;

/** A file that a job's method made. */
export interface MadeFile {
  name: string; /** "folder/file" */
  bytes: number;
  type: string; /** media type */
}

/** What the service says of a method. */
export interface Method {
  name: string;
  title: string;
  on_device?: boolean; /** a GPU can compute its runs */
  on_ranks?: boolean; /** processes can share its runs */
  templates?: boolean; /** what bodies of a specimen are made into can be shown before a run */
  scenes_of?: string; /** the method whose scenes it takes, to find out something about them */
  options: { name: string }[];
}

/** What a method says of what a specimen is made into. SI units. */
export interface Template {
  specimen: string;
  modes?: { number: number; mass: number; frequency?: number | null; largest_displacement: number }[];
  [key: string]: unknown; /** whatever else the method says of it, in SI units */
}

/** Its surface in its own axes, m, and how each mode moves it per metre of amplitude. */
export interface TemplateShape {
  vertices: number[];
  triangles: number[];
  fields: number[][];
}

/** An event table, whole. */
export interface Table {
  columns: { name: string; unit: string; label: string }[];
  rows: (number | string | null)[][];
}

export interface JobList {
  jobs: Job[];
  next_before: number | null;
  totals: { queued: number; running: number; paused: number; ended: number };
}

export interface FrameEntry {
  seq: number;
  time: number;
  bytes: number;
}

/** All samples of a job's curves so far, one row per sample; null where a value was not finite. */
export interface JobCurves {
  job: number;
  series: { name: string; unit: string; label: string }[];
  samples: (number | null)[][];
}

export interface GalleryScene {
  name: string;
  title: string;
  description: string;
  method: string;
  scene: JsonObject;
}

export interface SceneProblem {
  pointer: string;
  given: string;
  allowed: string;
  detail: string;
}

export interface CheckedScene {
  valid: true;
  scene: JsonObject;
  estimate: Estimate;
  warnings: SceneProblem[];
  gaps: Gap[];
  sharing: Sharing | null; /** null: the method's runs can't be shared, or there are no threads for it */
}

/** How far a part of the rig is from a specimen at the start. */
export interface Gap {
  part: string; /** "wall.z_max" */
  specimen: string;
  gap: number; /** m, > 0 */
  travel: number; /** m, that the part goes towards specimens by its program */
  from: [number, number, number]; /** m, on the part */
  to: [number, number, number]; /** m, on the specimen */
}

export function ended(state: JobState): boolean {
  return state === "succeeded" || state === "failed" || state === "cancelled";
}

/** The reasons of a refusal as one sentence: the server's own points to its list, which people don't see. */
function reasons(errors: SceneProblem[]): string {
  const first = errors[0]?.detail ?? "";
  return english.requestRefused(errors.length, first);
}

/** A refused request. `errors` lists every reason when there are several. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors: SceneProblem[] = [],
  ) {
    super(errors.length === 0 ? message : reasons(errors));
  }
}

/** The server could not be reached at all. */
export class Unreachable extends Error {
  constructor() {
    super(english.request.unreachable);
  }
}

export async function send(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  if (response.status === 401) location.replace("/"); // no cookie, or an old one: the server's page there says how to get in
  let problem: { title?: string; detail?: string; errors?: SceneProblem[] } = {};
  try {
    problem = (await response.json()) as typeof problem;
  } catch {
    /* A proxy's page, not a problem document: the status says enough. */
  }
  throw new ApiError(response.status, problem.detail || problem.title || english.requestStatus(response.status), problem.errors ?? []);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { headers: { Accept: "application/json" }, ...(signal ? { signal } : {}) });
  return (await response.json()) as T;
}

export async function post<T>(path: string, body?: Json, signal?: AbortSignal, headers: Record<string, string> = {}): Promise<T> {
  const init: RequestInit = { method: "POST", headers: { Accept: "application/json", ...headers } };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...headers, Accept: "application/json", "Content-Type": "application/json" };
  }
  if (signal) init.signal = signal;
  const response = await send(path, init);
  return (await response.json()) as T;
}

/** A file that scenes may refer to. */
export interface Asset {
  asset: string; /** what a scene says for it, "sha256:…" */
  bytes: number;
  name: string;
}

export const listDevices = (): Promise<{ devices: Device[]; notes: string[] }> => get("/api/v1/devices");
export const listExecutors = (): Promise<{ executors: Executor[] }> => get("/api/v1/executors");
export const listAssets = (): Promise<{ assets: Asset[] }> => get("/api/v1/assets?limit=1000");

/** What a file looks like as a specimen; lengths in the file's unit. */
export interface AssetPreview {
  kind: "mesh" | "image" | "points";
  grains: number;
  whole_triangles: number;
  low: number[];
  high: number[];
  volume: number | null; /** null: the mesh bounds no solid */
  vertices: number[];
  triangles: number[];
  parts: number[];
  problems: { detail: string }[];
}

export const previewAsset = (asset: string): Promise<AssetPreview> => get(`/api/v1/assets/${encodeURIComponent(asset)}/preview?triangles=4000`);

export async function uploadAsset(file: File): Promise<Asset> {
  const response = await send(`/api/v1/assets?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file, headers: { Accept: "application/json" } });
  return (await response.json()) as Asset;
}

export const jobPath = (id: number): string => `/api/v1/jobs/${id}`;

export const listJobs = (before?: number): Promise<JobList> => get(`/api/v1/jobs?limit=50${before === undefined ? "" : `&before=${before}`}`);

/** A page of the jobs that fit a question. */
export function findJobs(query: JobQuery, cursor: string | null, signal?: AbortSignal): Promise<JobList & { next: string | null }> {
  const asked = new URLSearchParams(Object.entries(query).filter(([key, value]) => value !== "" && key !== "study"));
  if (query.study !== "") asked.append("tag", `study:${query.study}`); /* which the runs of a study carry */
  asked.set("limit", "50");
  if (cursor !== null) asked.set("cursor", cursor);
  return get(`/api/v1/jobs?${asked.toString()}`, signal);
}

const FOUND_MOST = 20;
const PAGES_MOST = 10;
const WORDS_LONGEST = 60; /* characters, of at most 200 bytes that the server takes */

/** The newest jobs with words that begin as those of a text in name, title or notes, found by the server; the newest of all for "". A job of exactly
 *  that number comes first. */
export async function searchJobs(text: string, signal?: AbortSignal): Promise<Job[]> {
  const found: Job[] = [];
  const number = /^#?([1-9][0-9]{0,14})$/.exec(text);
  if (number) await getJob(Number(number[1])).then((job) => found.push(job), () => undefined);
  const words = text.slice(0, WORDS_LONGEST).trim();
  const query = words === "" ? "" : `&q=${encodeURIComponent(words)}`;
  let cursor = "";
  /* A page may end early, even empty, while there are more: the server looks at so many jobs at once and no more. */
  for (let page = 0; page < PAGES_MOST && found.length < FOUND_MOST; page++) {
    const answer: JobList & { next: string | null } = await get(`/api/v1/jobs?limit=${FOUND_MOST}${query}${cursor}`, signal);
    for (const job of answer.jobs) if (found.length < FOUND_MOST && !found.some(({ id }) => id === job.id)) found.push(job);
    if (answer.next === null) break;
    cursor = `&cursor=${encodeURIComponent(answer.next)}`;
  }
  return found;
}

export const getJob = (id: number): Promise<Job> => get(jobPath(id));
/** `key` makes a repeated request return the first job instead of a second one. */
/** What a submission may say besides its scene. */
export interface Submission {
  tags?: Record<string, string>;
  executor?: string;
  executor_options?: { partition: string };
}

export const submitScene = (scene: Json, key: string, { tags = {}, ...place }: Submission = {}): Promise<Job> => {
  const besides = { ...(Object.keys(tags).length === 0 ? {} : { tags }), ...place };
  return post(asUser("/api/v1/jobs"), Object.keys(besides).length === 0 ? scene : { scene, ...besides }, undefined, { "Idempotency-Key": key });
};
export async function changeJob(id: number, change: { name?: string; tags?: Record<string, string>; notes?: string }): Promise<Job> {
  const response = await send(jobPath(id), { method: "PATCH", headers: { Accept: "application/json", "Content-Type": "application/json" }, body: JSON.stringify(change) });
  return (await response.json()) as Job;
}
export const cancelJob = (id: number): Promise<Job> => post(`${jobPath(id)}/cancel`);
export const pauseJob = (id: number): Promise<Job> => post(`${jobPath(id)}/pause`);
export const resumeJob = (id: number): Promise<Job> => post(`${jobPath(id)}/resume`);
export const getTables = (id: number): Promise<TableHead[]> => get(`${jobPath(id)}/tables`);
export const getScene = (id: number): Promise<JsonObject> => get(`${jobPath(id)}/scene`);
export const getFrames = (id: number, signal?: AbortSignal): Promise<{ frames: FrameEntry[]; topology_seq: number | null }> =>
  get(`${jobPath(id)}/frames`, signal);
export async function getCurves(id: number, signal?: AbortSignal): Promise<JobCurves> {
  const { series, samples } = await get<Omit<JobCurves, "job">>(`${jobPath(id)}/curves`, signal);
  return { job: id, series, samples };
}
export const getGallery = (): Promise<{ scenes: GalleryScene[] }> => get("/api/v1/gallery");
export const listMethods = async (): Promise<Method[]> => (await get<{ methods: Method[] }>("/api/v1/methods")).methods;
export const getTable = (id: number, name: string): Promise<Table> => get(`${jobPath(id)}/tables/${name}`);
export const getFiles = async (id: number): Promise<MadeFile[]> => (await get<{ files: MadeFile[] }>(`${jobPath(id)}/files`)).files;
export const fileAddress = (id: number, name: string): string => `${jobPath(id)}/files/${name}`;
export const getFileJson = (id: number, name: string): Promise<Json> => get(fileAddress(id, name));
export const getSchema = (method: string): Promise<JsonObject> => get(`/api/v1/schema?method=${encodeURIComponent(method)}`);
/** @param executor where it is to run; "": the server's first */
export const checkScene = (scene: Json, executor: string, signal?: AbortSignal): Promise<CheckedScene> =>
  post(`/api/v1/scenes/check${executor === "" ? "" : `?executor=${encodeURIComponent(executor)}`}`, scene, signal);

/** The records that a recording of a scene would begin with. */
export async function pictureScene(scene: Json, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await send("/api/v1/scenes/picture", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene), signal });
  return response.arrayBuffer();
}

/** @param specimen its name; "": the first */
export const makeTemplate = (scene: Json, specimen: string, signal?: AbortSignal): Promise<{ template: Template; shape: TemplateShape | null }> =>
  post(`/api/v1/scenes/template${specimen === "" ? "" : `?specimen=${encodeURIComponent(specimen)}`}`, scene, signal);

export async function deleteJob(id: number): Promise<void> {
  await send(jobPath(id), { method: "DELETE" });
}

/** A record; of a frame about so many points of each drawable, 0 for all. */
export async function getRecord(id: number, seq: number, points: number, signal?: AbortSignal): Promise<ArrayBuffer> {
  const response = await send(`${jobPath(id)}/records/${seq}${points > 0 ? `?points=${points}` : ""}`, signal ? { signal } : {});
  return await response.arrayBuffer();
}

/** A key for one act of submitting. randomUUID needs a secure context; a plain-http lab network has none. */
export function submissionKey(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
}
