/** A job's files: links for what the server sends as it is, buttons for what is asked for by Accept. */
import { jobPath } from "../api.js";
import { h, saveFile } from "../dom.js";
import { errorText } from "./messages.js";
import type { Surroundings } from "./page.js";

async function fetchAs(path: string, accept: string): Promise<Blob> {
  const response = await fetch(path, { headers: { Accept: accept } });
  if (!response.ok) throw new Error(await reasonOf(response));
  return await response.blob();
}

/** What a problem document says, or the status alone. */
async function reasonOf(response: Response): Promise<string> {
  const document = (await response.json().catch(() => ({}))) as { detail?: unknown };
  return typeof document.detail === "string" ? document.detail : `the server answered ${response.status}`;
}

/** `frame` tells the frame that is shown, by its record and by its number from 0; null before the first. */
export function downloadPanel(job: number, around: Surroundings, frame: () => { seq: number; number: number } | null): HTMLElement {
  const save = (name: string, path: string, accept: string): void => {
    fetchAs(path, accept)
      .then((content) => saveFile(`job-${job}-${name}`, content))
      .catch((error: unknown) => around.say(`${name} could not be saved: ${errorText(error)}`, true));
  };
  const asked = (name: string, path: string, accept: string): HTMLElement =>
    h("button", { type: "button", class: "small", onclick: () => save(name, path, accept) }, name);
  const path = jobPath(job);
  const surface = (format: string): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        class: "small",
        title: `The surfaces of all fragments in the frame that is shown, as ${format.toUpperCase()}`,
        onclick: () => {
          const shown = frame();
          if (shown === null) return around.say("There is no frame to make a surface of yet.", true);
          save(`frame-${shown.number}.${format}`, `${path}/frames/${shown.seq}/surface?format=${format}`, "*/*");
        },
      },
      `surface.${format}`,
    );
  return h(
    "section",
    { class: "card downloads", "aria-label": "Download" },
    h("h2", {}, "Download"),
    h(
      "div",
      { class: "download-list" },
      asked("curves.csv", `${path}/curves`, "text/csv"),
      asked("breaks.csv", `${path}/breaks`, "text/csv"),
      asked("fragments.csv", `${path}/fragments`, "text/csv"),
      asked("fragments.svg", `${path}/fragments`, "image/svg+xml"),
      asked("plot.svg", `${path}/curves`, "image/svg+xml"),
      asked("scene.json", `${path}/scene`, "application/json"),
      surface("stl"),
      surface("ply"),
      h("a", { class: "button small", href: `${path}/recording`, download: `job-${job}-recording.scree` }, "recording.scree"),
    ),
  );
}
