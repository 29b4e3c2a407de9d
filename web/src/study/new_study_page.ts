/** Setting up a study: its document as text, checked before it starts. */
import { h, setText } from "../dom.js";
import { bytes, count, duration } from "../format.js";
import type { Json, JsonObject } from "../json.js";
import { errorBox, errorText } from "../pages/messages.js";
import type { Page, Surroundings } from "../pages/page.js";
import { studyAddress, type StudySource } from "../router.js";
import { ApiError, getScene, submissionKey, type SceneProblem } from "../service/api.js";
import { checkStudy, galleryStudies, getDocument, submitStudy, type StudyPlan } from "./requests.js";

async function documentOf(source: StudySource): Promise<JsonObject> {
  if ("study" in source) return getDocument(source.study);
  if ("job" in source) {
    const scene = await getScene(source.job);
    const name = typeof scene["name"] === "string" ? scene["name"].replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 40) : "study";
    return { scree_study: 1, name: `${name}-study`, title: "", factors: { density: { pointer: "/materials/0/density", values: [1000, 2000] } }, design: { kind: "grid" }, results: { steps: "steps" }, scene };
  }
  if (source.gallery === "") {
    return { scree_study: 1, name: "my-study", title: "How far does a block slide?", scene: "gallery:sliding-block", factors: { mu: { pointer: "/contact/friction_coefficient", values: [0.3, 0.4, 0.5] } }, design: { kind: "grid" }, results: { distance: { expression: "final(first.x)", unit: "m" } } };
  }
  const found = (await galleryStudies()).find(({ name }) => name === source.gallery);
  if (!found) throw new ApiError(404, `There is no study called "${source.gallery}" in the gallery.`);
  return found.study;
}

function problemList(problems: SceneProblem[]): HTMLElement {
  return h("ul", { class: "study-problems" }, ...problems.slice(0, 20).map((problem) => h("li", {}, h("code", {}, problem.pointer || "/"), ` ${problem.detail}`)));
}

function planText(plan: StudyPlan): string {
  const parts = [`${count(plan.rows)} runs`];
  if (plan.run_seconds !== null) parts.push(`about ${duration(plan.run_seconds)} of one processor core in all`);
  if (plan.record_bytes !== null) parts.push(`${bytes(plan.record_bytes)} on the disk`);
  parts.push(`${bytes(plan.memory_bytes)} of memory each`);
  return parts.join(", ");
}

export function newStudyPage(around: Surroundings, source: StudySource): Page {
  const body = h("div", { class: "loading" }, "Loading …");
  const text = h("textarea", { class: "study-text", spellcheck: "false", rows: 30, "aria-label": "The study as JSON" });
  const said = h("div", { class: "study-said", role: "status" });
  const check = h("button", { type: "button" }, "Check");
  const start = h("button", { type: "button", class: "primary" }, "Start");
  const key = submissionKey();
  const read = (): Json | undefined => {
    try {
      return JSON.parse(text.value) as Json;
    } catch (error) {
      said.replaceChildren(h("p", { class: "error" }, `This is not JSON: ${error instanceof Error ? error.message : ""}`));
      return undefined;
    }
  };
  const refused = (error: unknown): void => {
    const problems = error instanceof ApiError ? error.errors : [];
    said.replaceChildren(h("p", { class: "error" }, problems.length > 0 ? "This study can't run:" : errorText(error)), problemList(problems));
  };
  check.addEventListener("click", () => {
    const study = read();
    if (study === undefined) return;
    said.replaceChildren("Checking …");
    checkStudy(study).then((plan) => {
      said.replaceChildren(h("p", {}, planText(plan)));
      if (plan.refused > 0) said.append(h("p", {}, `Of ${count(plan.checked)} rows that were checked ${count(plan.refused)} can't run:`), problemList(plan.refusals));
      if (plan.warnings.length > 0) said.append(h("p", {}, "Warnings:"), problemList(plan.warnings));
    }, refused);
  });
  start.addEventListener("click", () => {
    const study = read();
    if (study === undefined) return;
    start.disabled = true;
    /* Another text is another study; the same one sent again after a lost answer is not. */
    submitStudy(study, `${key}-${hashOf(text.value)}`).then(
      (made) => (location.hash = studyAddress(made.id)),
      (error: unknown) => {
        start.disabled = false;
        refused(error);
      },
    );
  });
  documentOf(source).then(
    (document) => {
      text.value = JSON.stringify(document, null, 2);
      body.className = "study-editor";
      body.replaceChildren(text, h("div", { class: "study-actions" }, check, start), said);
    },
    (error: unknown) => body.replaceChildren(errorBox(error)),
  );
  const heading = h("h1");
  setText(heading, "New study");
  around.setTitle("New study");
  const guide = h("a", { href: "/guide/study", target: "_blank", rel: "noopener" }, "The guide");
  return { title: "New study", element: h("div", { class: "page" }, h("div", { class: "page-head" }, heading), h("p", { class: "lead" }, guide, " says what factors, designs and results can be."), body), dispose: () => undefined };
}

/** Tells texts apart (FNV-1a). */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16);
}
