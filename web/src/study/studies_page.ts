/** The list of studies, and those that come with Scree to start from. */
import { h } from "../dom.js";
import { count, moment } from "../format.js";
import { errorBox } from "../pages/messages.js";
import type { Page } from "../pages/page.js";
import { newStudyAddress, studyAddress } from "../router.js";
import { galleryStudies, listStudies, type GalleryStudy, type Study } from "./requests.js";

const LOOK_MS = 3000; /* while one of them runs */

/** "12 of 40, 1 failed" */
export function progressText({ rows }: Study): string {
  const parts = [`${count(rows.succeeded)} of ${count(rows.total)}`];
  if (rows.failed + rows.cancelled > 0) parts.push(`${count(rows.failed + rows.cancelled)} failed`);
  if (rows.refused > 0) parts.push(`${count(rows.refused)} refused`);
  return parts.join(", ");
}

function studyRow(study: Study): HTMLElement {
  return h(
    "li",
    { class: "job-row" },
    h("div", { class: "job-name" }, h("a", { class: "job-title", href: studyAddress(study.id) }, study.title), h("span", { class: "job-about" }, `#${study.id} · ${study.name}`)),
    h("div", { class: "job-state" }, study.state, h("span", { class: "job-when" }, moment(study.created, Date.now()))),
    h("div", { class: "job-progress" }, h("progress", { max: study.rows.total, value: study.rows.total - study.rows.waiting - study.rows.running, "aria-label": "Rows that have ended" }), h("span", { class: "job-numbers" }, progressText(study))),
  );
}

function card(study: GalleryStudy): HTMLElement {
  const address = newStudyAddress(study.name);
  return h("li", { class: "card" }, h("h2", {}, h("a", { href: address }, study.title)), h("p", {}, study.description), h("a", { class: "button primary", href: address, "aria-label": `Set up ${study.title}` }, "Set up"));
}

export function studiesPage(): Page {
  const list = h("ul", { class: "job-list", "aria-label": "Studies" });
  const body = h("div", { class: "loading" }, "Loading …");
  const gallery = h("ul", { class: "gallery" });
  const older = h("button", { type: "button", hidden: true }, "Older ones");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gone = false;
  let further = 0; /* older ones were asked for: the list stays as long as it is */
  const load = async (): Promise<void> => {
    try {
      const answer = await listStudies();
      if (gone) return;
      if (further === 0) {
        list.replaceChildren(...answer.studies.map(studyRow));
        older.hidden = answer.next_before === null;
        older.value = String(answer.next_before ?? "");
      }
      body.className = "";
      body.replaceChildren(answer.studies.length === 0 ? h("p", { class: "card soft" }, "No study yet: take one of those below, or write one of your own.") : list, older);
      if (answer.studies.some(({ state }) => state === "running" || state === "deleting")) timer = setTimeout(() => void load(), LOOK_MS);
    } catch (error) {
      if (!gone) body.replaceChildren(errorBox(error, () => void load()));
    }
  };
  older.addEventListener("click", () => {
    further++;
    listStudies(Number(older.value)).then(
      (answer) => {
        list.append(...answer.studies.map(studyRow));
        older.hidden = answer.next_before === null;
        older.value = String(answer.next_before ?? "");
      },
      (error: unknown) => body.append(errorBox(error)),
    );
  });
  galleryStudies().then((studies) => gallery.replaceChildren(...studies.map(card)), (error: unknown) => gallery.replaceChildren(errorBox(error)));
  void load();
  const guide = h("a", { href: "/guide/study", target: "_blank", rel: "noopener" }, "what a study is");
  return {
    title: "Studies",
    element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, "Studies"), h("a", { class: "button primary", href: newStudyAddress("") }, "New study")), h("p", { class: "lead" }, "One scene many times: parameters varied, runs repeated, results in a table (", guide, ")."), body, h("h2", { class: "study-below" }, "To start from"), gallery),
    dispose: () => {
      gone = true;
      clearTimeout(timer);
    },
  };
}
