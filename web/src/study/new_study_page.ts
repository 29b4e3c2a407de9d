/** Setting up a study: the scene as a form whose numbers can be varied, and the study beside it. One of several scenes is its panel alone. */
import { h } from "../dom.js";
import * as english from "../english/study.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { composePage, galleryScene } from "../pages/compose.js";
import { errorBox } from "../pages/messages.js";
import type { Page, Surroundings } from "../pages/page.js";
import { studyAddress, type StudySource } from "../router.js";
import { ApiError, getScene } from "../service/api.js";
import { StudyDraft } from "./design/study_draft.js";
import { StudyPanel } from "./design/study_panel.js";
import { galleryStudies, getDocument } from "./requests.js";

const RUNS = 60; /* of a calibration, to begin with */

/** The least there can be: a block, whose sliding depends on friction. */
const FIRST: JsonObject = {
  scree_study: 1,
  name: "my-study",
  title: english.start.title,
  scene: "gallery:sliding-block",
  factors: { mu: { pointer: "/contact/friction_coefficient", values: [0.3, 0.4, 0.5] } },
  design: { kind: "grid" },
  results: { distance: { expression: "final(first.x)", unit: "m" } },
};

async function documentOf(source: StudySource): Promise<JsonObject> {
  if ("study" in source) return getDocument(source.study);
  if ("job" in source) {
    const { job, target } = source;
    const scene = await getScene(job);
    if (!target) return { scree_study: 1, scene };
    const key = target.name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^[^A-Za-z]+/, "") || "target";
    return { scree_study: 1, title: english.startCalibration(target.name), scene, design: { kind: "calibrate", targets: { [key]: { x: target.x, y: target.y, measured: target.name } }, runs: RUNS } };
  }
  if (source.gallery === "") return FIRST;
  const found = (await galleryStudies()).find(({ name }) => name === source.gallery);
  if (!found) throw new ApiError(404, english.startNone(source.gallery));
  return found.study;
}

/** A document's own scene, that of the gallery which it names, or null where it has several. */
async function sceneOf(scene: Json | undefined): Promise<JsonObject | null> {
  if (isObject(scene)) return scene;
  const name = typeof scene === "string" ? /^gallery:(.+)$/.exec(scene)?.[1] : undefined;
  return name === undefined ? null : galleryScene(name);
}

function severalScenes(document: JsonObject): Page {
  const draft = new StudyDraft(document);
  const panel = new StudyPanel(draft, () => ({}), () => undefined, () => undefined, (study) => (location.hash = studyAddress(study.id)));
  return { title: english.start.new, element: panel.element, dispose: () => panel.dispose() };
}

export function newStudyPage(around: Surroundings, source: StudySource): Page {
  const place = h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, english.start.new)), h("div", { class: "loading" }, english.start.loading));
  let inner: Page | null = null;
  let gone = false;
  const load = async (): Promise<void> => {
    const document = await documentOf(source);
    const scene = await sceneOf(document["scene"]);
    if (gone) return;
    if (scene === null) {
      inner = severalScenes(document);
      place.lastElementChild?.replaceWith(inner.element);
      return;
    }
    inner = composePage(around, Promise.resolve(scene), { study: Promise.resolve(document) });
    const guide = h("a", { href: "/guide/study", target: "_blank", rel: "noopener" }, english.start.guide);
    inner.element.querySelector(".page-head")?.after(h("p", { class: "lead" }, english.start.how, " ", guide, " ", english.start.guideSays));
    place.replaceWith(inner.element);
  };
  load().catch((error: unknown) => place.lastElementChild?.replaceWith(errorBox(error)));
  return {
    title: english.start.new,
    element: place,
    dispose: () => {
      gone = true;
      inner?.dispose();
    },
  };
}
