/** A job's files: links for what the server sends as it is, buttons for what is asked for by Accept. */
import { jobPath } from "../api.js";
import { h, saveFile } from "../dom.js";
import { errorText } from "./messages.js";
import type { Surroundings } from "./page.js";

async function fetchAs(path: string, accept: string): Promise<Blob> {
  const response = await fetch(path, { headers: { Accept: accept } });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return await response.blob();
}

export function downloadPanel(job: number, around: Surroundings): HTMLElement {
  const asked = (name: string, path: string, accept: string): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        class: "small",
        onclick: () => {
          fetchAs(path, accept)
            .then((content) => saveFile(`job-${job}-${name}`, content))
            .catch((error: unknown) => around.say(`${name} could not be saved: ${errorText(error)}`, true));
        },
      },
      name,
    );
  const path = jobPath(job);
  return h(
    "section",
    { class: "card downloads", "aria-label": "Download" },
    h("h2", {}, "Download"),
    h(
      "div",
      { class: "download-list" },
      asked("curves.csv", `${path}/curves`, "text/csv"),
      asked("plot.svg", `${path}/curves`, "image/svg+xml"),
      asked("scene.json", `${path}/scene`, "application/json"),
      h("a", { class: "button small", href: `${path}/recording`, download: `job-${job}-recording.scree` }, "recording.scree"),
    ),
  );
}
