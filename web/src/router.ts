/** Addresses of the pages. They live behind the #, so a reload in mid-run comes back to the same place. */
export type Route =
  | { page: "jobs" }
  | { page: "gallery"; method: string } /** of one method, or of all: "" */
  | { page: "example"; gallery: string } /** a gallery scene, to be read about */
  | { page: "blank" } /** a scene with as little in it as can run */
  | { page: "compose"; gallery: string } /** a gallery scene, to be edited and run */
  | { page: "job"; id: number }
  | { page: "compare"; ids: number[] }
  | { page: "rerun"; id: number; as: RerunAs } /** a job's scene, to be edited and run again */
  | { page: "studies" }
  | { page: "study"; id: number }
  | { page: "new-study"; from: StudySource }
  | { page: "lost" };

/** What a study is made from: one of the gallery ("": the least there can be), another study, a job's scene. */
export type StudySource = { gallery: string } | { study: number } | { job: number; target?: Target };

/** Measured curves that a calibration is to come near to: their name, and what of a run is compared with them. */
export interface Target {
  name: string;
  x: string; /** expressions */
  y: string;
}

/** How a job's scene is changed before it is edited. */
export interface RerunAs {
  method: string; /** to this method, which takes scenes of the job's; "": it stays */
  changes: string; /** by a JSON Patch that another job made, "9/folder/file"; "": not */
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const parts = path.split("/").filter((part) => part !== "");
  const [first, second, third] = parts;
  if (first === undefined) return { page: "jobs" };
  if (first === "new" && parts.length === 1) return { page: "gallery", method: new URLSearchParams(query).get("method") ?? "" };
  if (first === "blank" && parts.length === 1) return { page: "blank" };
  if ((first === "new" || first === "gallery") && second !== undefined && parts.length === 2) {
    try {
      return { page: first === "new" ? "compose" : "example", gallery: decodeURIComponent(second) };
    } catch {
      return { page: "lost" };
    }
  }
  if (first === "compare" && parts.length === 1) return { page: "compare", ids: idsIn(hash, "jobs") };
  if (first === "jobs" && parts.length === 1) return { page: "jobs" };
  if (first === "jobs" && second !== undefined && /^[1-9][0-9]{0,14}$/.test(second)) {
    if (parts.length === 2) return { page: "job", id: Number(second) };
    if (third === "edit" && parts.length === 3) {
      const asked = new URLSearchParams(query);
      return { page: "rerun", id: Number(second), as: { method: asked.get("method") ?? "", changes: asked.get("changes") ?? "" } };
    }
  }
  if (first === "studies") return studyRoute(parts.slice(1), new URLSearchParams(query));
  return { page: "lost" };
}

/** The page that explains a method, outside of the dashboard. */
export const methodAddress = (method: string): string => `/guide/methods/${encodeURIComponent(method)}`;

const NUMBER = /^[1-9][0-9]{0,14}$/;

/** "#/studies", "#/studies/3", "#/studies/new", with "?gallery=NAME", "?study=3" or "?job=5" what it is made from. */
function studyRoute([first, second]: string[], asked: URLSearchParams): Route {
  if (first === undefined) return { page: "studies" };
  if (second !== undefined) return { page: "lost" };
  if (NUMBER.test(first)) return { page: "study", id: Number(first) };
  if (first !== "new") return { page: "lost" };
  const study = asked.get("study") ?? "";
  const job = asked.get("job") ?? "";
  return { page: "new-study", from: NUMBER.test(study) ? { study: Number(study) } : NUMBER.test(job) ? { job: Number(job), ...targetIn(asked) } : { gallery: asked.get("gallery") ?? "" } };
}

function targetIn(asked: URLSearchParams): { target?: Target } {
  const name = asked.get("measured");
  return name === null ? {} : { target: { name, x: asked.get("x") ?? "time", y: asked.get("y") ?? "" } };
}

export const calibrationAddress = (job: number, { name, x, y }: Target): string => `${varyAddress(job)}&${new URLSearchParams({ measured: name, x, y }).toString()}`;

/** The measured curves an address of a job wants on its plots: "#/jobs/5?measured=2". */
export const measuredIn = (hash: string): number[] => idsIn(hash, "measured");

/** The jobs an address of a job wants to be compared with: "#/jobs/5?with=3,4". */
export const comparedIn = (hash: string): number[] => idsIn(hash, "with");

function idsIn(hash: string, key: string): number[] {
  const given = new URLSearchParams(hash.split("?")[1] ?? "").get(key) ?? "";
  return given.split(",").filter((id) => /^[1-9][0-9]{0,14}$/.test(id)).map(Number);
}

/** The same, written: for the address bar. */
export function comparingAddress(id: number, others: number[], measured: number[] = []): string {
  const parts = [...(others.length === 0 ? [] : [`with=${others.join(",")}`]), ...(measured.length === 0 ? [] : [`measured=${measured.join(",")}`])];
  return parts.length === 0 ? jobAddress(id) : `${jobAddress(id)}?${parts.join("&")}`;
}

/** Runs side by side, as a page. */
export const compareAddress = (ids: number[]): string => `#/compare?jobs=${ids.join(",")}`;

export const jobAddress = (id: number): string => `#/jobs/${id}`;
export const rerunAddress = (id: number): string => `#/jobs/${id}/edit`;
/** The job's scene as one of a method that takes scenes of its method. */
export const analysisAddress = (id: number, method: string): string => `${rerunAddress(id)}?method=${encodeURIComponent(method)}`;
/** The job's scene with the changes that a file of another job, "folder/file", says. */
export const changedAddress = (id: number, from: number, file: string): string => `${rerunAddress(id)}?changes=${encodeURIComponent(`${from}/${file}`)}`;
export const composeAddress = (gallery: string): string => `#/new/${encodeURIComponent(gallery)}`;
export const exampleAddress = (gallery: string): string => `#/gallery/${encodeURIComponent(gallery)}`;
export const galleryAddress = (method: string): string => (method === "" ? "#/new" : `#/new?method=${encodeURIComponent(method)}`);
export const blankAddress = "#/blank";
export const studyAddress = (id: number): string => `#/studies/${id}`;
/** A new study: from one of the gallery, or "": the least there can be. */
export const newStudyAddress = (gallery: string): string => (gallery === "" ? "#/studies/new" : `#/studies/new?gallery=${encodeURIComponent(gallery)}`);
/** A new study from one that there is, or from a job's scene. */
export const againAddress = (study: number): string => `#/studies/new?study=${study}`;
export const varyAddress = (job: number): string => `#/studies/new?job=${job}`;
