/** The list of studies, and those that come with Scree to start from. */
import { h } from "../dom.js";
import * as english from "../english/study.js";
import { count, moment } from "../format.js";
import { errorBox } from "../pages/messages.js";
import type { Page } from "../pages/page.js";
import { newStudyAddress, studyAddress } from "../router.js";
import { galleryStudies, listStudies, type GalleryStudy, type Study } from "./requests.js";
import { studyStateName } from "./state_names.js";

const LOOK_MS = 3000; /* while one of them runs */

/** "12 of 40, 1 failed" */
export function progressText({ rows }: Study): string {
  const parts = [english.listDone(count(rows.succeeded), count(rows.total))];
  if (rows.failed + rows.cancelled > 0) parts.push(english.listFailed(count(rows.failed + rows.cancelled)));
  if (rows.refused > 0) parts.push(english.listRefused(count(rows.refused)));
  return parts.join(", ");
}

function studyRow(study: Study): HTMLElement {
  return h(
    "li",
    { class: "job-row" },
    h("div", { class: "job-name" }, h("a", { class: "job-title", href: studyAddress(study.id) }, study.title), h("span", { class: "job-about" }, `#${study.id} · ${study.name}`)),
    h("div", { class: "job-state" }, studyStateName(study.state), h("span", { class: "job-when" }, moment(study.created, Date.now()))),
    h("div", { class: "job-progress" }, h("progress", { max: study.rows.total, value: study.rows.total - study.rows.waiting - study.rows.running, "aria-label": english.list.progress }), h("span", { class: "job-numbers" }, progressText(study))),
  );
}

function card(study: GalleryStudy): HTMLElement {
  const address = newStudyAddress(study.name);
  return h("li", { class: "card" }, h("h2", {}, h("a", { href: address }, study.title)), h("p", {}, study.description), h("a", { class: "button primary", href: address, "aria-label": english.listSetUpLabel(study.title) }, english.list.setUp));
}

export function studiesPage(): Page {
  const list = h("ul", { class: "job-list", "aria-label": english.list.title });
  const body = h("div", { class: "loading" }, english.list.loading);
  const gallery = h("ul", { class: "gallery" });
  const older = h("button", { type: "button", hidden: true }, english.list.older);
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
      body.replaceChildren(answer.studies.length === 0 ? h("p", { class: "card soft" }, english.list.none) : list, older);
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
  const guide = h("a", { href: "/guide/study", target: "_blank", rel: "noopener" }, english.list.guide);
  return {
    title: english.list.title,
    element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, english.list.title), h("a", { class: "button primary", href: newStudyAddress("") }, english.list.new)), h("p", { class: "lead" }, `${english.list.about} (`, guide, ")."), body, h("h2", { class: "study-below" }, english.list.start), gallery),
    dispose: () => {
      gone = true;
      clearTimeout(timer);
    },
  };
}
