/** Setting up a run: a scene as a form and as JSON, both in step, with its estimate beside it. */
import { ApiError, getFileJson, getGallery, getSchema, getScene, listMethods, submissionKey, submitScene, type Method, type SceneProblem } from "../service/api.js";
import { keepUserName, LONGEST, userName } from "../service/user.js";
import { CheckPanel } from "../compose/check_panel.js";
import { SceneDocument } from "../compose/document.js";
import { browserShelf, dropDraft, loadDraft, saveDraft } from "../compose/draft.js";
import { SceneForm } from "../compose/form.js";
import { JsonEditor } from "../compose/json_editor.js";
import { Press } from "../compose/press.js";
import { formModel, withMethods } from "../compose/schema.js";
import { RunPanel } from "../compose/run_panel.js";
import { ScenePicture } from "../compose/scene_picture.js";
import { TemplatePanel } from "../compose/template_panel.js";
import { asSceneOf, withChanges } from "../compose/variant.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { moment } from "../format.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import { jobAddress, studyAddress, type RerunAs } from "../router.js";
import { factorText } from "../study/design/factor.js";
import { StudyDraft } from "../study/design/study_draft.js";
import { StudyPanel } from "../study/design/study_panel.js";
import { errorBox, errorText } from "./messages.js";
import type { Page, Surroundings } from "./page.js";

/** A gallery scene to start from. */
export async function galleryScene(name: string): Promise<JsonObject> {
  const found = (await getGallery()).scenes.find((scene) => scene.name === name);
  if (!found) throw new ApiError(404, english.noSuchScene(name));
  return found.scene;
}

/** The least that runs: one small block of one material that falls in an empty space. */
export function blankScene(): JsonObject {
  return {
    scree: 1,
    name: "untitled",
    title: "",
    method: "peridem",
    materials: [{ name: "material", density: 1200, bulk_modulus: 2e9, fracture_energy: 135 }],
    specimens: [{ name: "specimen", material: "material", spacing: 2.5e-4, shape: { type: "box", size: [2e-3, 2e-3, 2e-3] }, placement: { type: "single", position: [0, 0, 0] } }],
    rig: { type: "none", gravity: [0, 0, -9.81] },
    time: { duration: 1e-5 },
    output: { frame_interval: 1e-6, sample_interval: 1e-6 },
  };
}

/** The scene of a job, to run it again with changes. */
export async function sceneOfJob(id: number, as: RerunAs): Promise<JsonObject> {
  let scene = await getScene(id);
  if (as.method !== "") {
    const method = (await listMethods()).find(({ name }) => name === as.method);
    if (!method || method.scenes_of !== scene["method"]) throw new ApiError(404, english.composeNoMethod(as.method));
    scene = asSceneOf(scene, method);
  }
  const made = /^([1-9][0-9]{0,14})\/([a-z0-9_][a-z0-9_.-]*\/[a-z0-9_][a-z0-9_.-]*)$/.exec(as.changes);
  if (made) scene = withChanges(scene, await getFileJson(Number(made[1]), made[2] ?? ""));
  return scene;
}

/** What a page sets up besides one run of a scene. */
export interface ComposeFor {
  tags?: Record<string, string>; /** that the job which is submitted from here gets */
  study?: Promise<JsonObject>; /** the page is for this study of the scene */
}

export function composePage(around: Surroundings, scene: Promise<JsonObject>, { tags = {}, study }: ComposeFor = {}): Page {
  const body = h("div", { class: "loading" }, english.shared.sceneLoading);
  const place = location.hash; /* what drafts are kept by */
  const name = study ? english.compose.newStudy : english.shared.newRun;
  const heading = h("h1", {}, name);
  let dispose = (): void => undefined;
  let gone = false;
  const start = async (): Promise<void> => {
    const original = await scene;
    const begun = study ? await study : null;
    const draft = loadDraft(browserShelf(), place);
    const restored = draft !== null && (draft.text !== null || Boolean(draft.study) || JSON.stringify(draft.scene) !== JSON.stringify(original));
    const value = restored && isObject(draft.scene) ? draft.scene : original;
    const method = typeof value["method"] === "string" ? value["method"] : "";
    const [schema, methods] = await Promise.all([getSchema(method), listMethods()]);
    if (gone) return;
    if (typeof value["title"] === "string" && value["title"] !== "") heading.textContent = study ? english.composeStudyOf(value["title"]) : value["title"];
    const known = (restored ? draft.study : null) ?? begun;
    const editor = new Editor(around, place, { scene: value, method, schema, methods, tags, study: new StudyDraft(known ?? undefined), forStudy: study !== undefined });
    dispose = () => editor.dispose();
    body.className = "";
    body.replaceChildren(editor.element);
    if (!restored) return;
    if (draft.text !== null) editor.takeText(draft.text);
    const over = h("button", { type: "button", class: "small" }, english.compose.startOver);
    const note = h("p", { class: "card draft-note", role: "status" }, english.composeRestored(moment(new Date(draft.saved).toISOString(), Date.now())), " ", over);
    over.addEventListener("click", () => {
      editor.takeScene(original, begun);
      dropDraft(browserShelf(), place);
      note.remove();
    });
    body.prepend(note);
  };
  start().catch((error: unknown) => body.replaceChildren(errorBox(error)));
  return {
    title: name,
    element: h("div", { class: "page compose" }, h("div", { class: "page-head" }, heading), body),
    dispose: () => {
      gone = true;
      dispose();
    },
  };
}

const DRAFT_MS = 400; /* after the last change */

interface Begun {
  scene: JsonObject;
  method: string;
  schema: JsonObject;
  methods: Method[];
  tags: Record<string, string>;
  study: StudyDraft;
  forStudy: boolean;
}

class Editor {
  readonly element: HTMLElement;
  private readonly document: SceneDocument;
  private readonly form: SceneForm;
  private readonly json: JsonEditor;
  private readonly check: CheckPanel;
  private readonly press = new Press();
  private readonly template: TemplatePanel;
  private readonly picture: ScenePicture;
  private readonly study: StudyDraft;
  private readonly studyPanel: StudyPanel;
  private readonly runPanel: RunPanel;
  private readonly tags: Record<string, string>;
  private method: string;
  private readonly methods: string[];
  private readonly formTab = tab(english.compose.form, "form-panel");
  private readonly jsonTab = tab(english.compose.json, "json-panel");
  private readonly formPanel: HTMLElement;
  private readonly jsonPanel: HTMLElement;
  private readonly run: HTMLButtonElement;
  private key = submissionKey();
  private draftTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly around: Surroundings,
    private readonly place: string,
    { scene, method, schema, methods, tags, study, forStudy }: Begun,
  ) {
    this.document = new SceneDocument(scene);
    this.method = method;
    this.tags = tags;
    this.study = study;
    this.methods = methods.map(({ name }) => name);
    this.run = h("button", { type: "button", class: "primary big", onclick: () => void this.submit() }, english.compose.run);
    this.form = new SceneForm(withMethods(formModel(schema), this.methods), this.document, {
      said: (pointer) => {
        const factor = study.factorAt(pointer);
        return factor ? factorText(factor.factor, study.grid) : "";
      },
      toggle: (pointer, node) => study.toggle(pointer, this.document.at(pointer) ?? node.fallback, node.unit, node),
    });
    this.json = new JsonEditor(this.document, () => this.judgeText());
    this.studyPanel = new StudyPanel(study, () => this.document.scene, (taken) => this.document.set("", taken, true), (pointer) => this.jump(pointer), (made) => this.leaveFor(studyAddress(made.id)));
    this.picture = new ScenePicture(scene, {
      point: (pointer) => this.jump(pointer),
      show: (pointer, value) => this.form.put(pointer, value),
      set: (pointer, value, structure) => {
        this.document.set(pointer, value, structure);
        this.form.put(pointer, value);
      },
      opened: ({ topology }) => this.studyPanel.setTopology(topology),
    });
    this.runPanel = new RunPanel(this.document, methods, () => {
      this.key = submissionKey(); /* the same scene elsewhere is another submission */
      this.check.again();
    });
    this.check = new CheckPanel(
      this.document,
      (problems: SceneProblem[]) => this.form.setProblems(problems),
      (pointer) => this.jump(pointer),
      () => this.json.valid,
      (sound, gaps, sharing) => {
        if (sound === null) return this.picture.stale();
        void this.picture.draw(sound, gaps);
        this.runPanel.setSharing(sharing);
      },
      () => this.form.emptyFields(),
      () => this.runPanel.submission.executor ?? "",
      () => this.press.released(),
    );
    this.press.watch(this.form.element);
    this.press.watch(this.check.element);
    this.form.element.addEventListener("focusin", ({ target }) => {
      const pointer = target instanceof Element ? (target.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"] ?? "") : "";
      this.picture.select(this.document.scene, pointer);
    });
    this.template = new TemplatePanel(this.document, new Set(methods.filter(({ templates }) => templates === true).map(({ name }) => name)));
    this.formPanel = h("div", { id: "form-panel", role: "tabpanel", "aria-labelledby": "form-panel-tab" }, this.form.element);
    this.jsonPanel = h("div", { id: "json-panel", role: "tabpanel", "aria-labelledby": "json-panel-tab" }, this.json.element);
    const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": english.compose.how }, this.formTab, this.jsonTab);
    const bar = h("div", { class: "compose-bar" }, tabs, this.form.foldButton());
    tabs.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const form = this.formTab.getAttribute("aria-selected") !== "true";
      this.select(form);
      (form ? this.formTab : this.jsonTab).focus();
    });
    this.formTab.addEventListener("click", () => this.select(true));
    this.jsonTab.addEventListener("click", () => this.select(false));
    const side = h("aside", { class: "compose-side" }, this.picture.element, this.check.element, this.runPanel.element, nameField(), forStudy ? null : this.run, this.template.element);
    const placeStudy = (): void => {
      const some = study.factors.length > 0;
      side.classList.toggle("with-study", some);
      const before = some || forStudy ? this.check.element : this.template.element;
      if (this.studyPanel.element.nextElementSibling !== before) side.insertBefore(this.studyPanel.element, before);
    };
    placeStudy();
    this.element = h("div", { class: "compose-grid" }, h("div", { class: "compose-main" }, bar, this.formPanel, this.jsonPanel), side);
    this.document.onChange.add(() => {
      this.picture.follow(this.document.scene);
      this.key = submissionKey();
      this.keepLater();
      this.studyPanel.sceneChanged();
      void this.followMethod();
    });
    study.onChange.add(() => {
      placeStudy();
      this.keepLater();
      this.form.showVaried();
    });
    this.select(true);
  }

  dispose(): void {
    if (this.draftTimer !== null) this.keep(); /* what is on its way to be kept */
    this.check.dispose();
    this.press.dispose();
    this.picture.dispose();
    this.studyPanel.dispose();
    this.template.dispose();
  }

  /** Text of a draft that was not JSON. */
  takeText(text: string): void {
    this.json.put(text);
    this.select(false);
  }

  takeScene(scene: JsonObject, study: JsonObject | null): void {
    this.document.set("", scene, true);
    this.study.take(study ?? {});
    if (this.draftTimer !== null) clearTimeout(this.draftTimer);
    this.draftTimer = null;
  }

  /** Nothing may be run, and no verdict stands, while the text is something else than the scene. */
  private judgeText(): void {
    const { valid } = this.json;
    this.run.disabled = !valid;
    this.run.title = valid ? "" : english.compose.broken;
    if (valid) return;
    this.check.showBroken();
    this.keepLater();
  }

  private keepLater(): void {
    if (this.draftTimer !== null) clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.keep(), DRAFT_MS);
  }

  private keep(): void {
    if (this.draftTimer !== null) clearTimeout(this.draftTimer);
    this.draftTimer = null;
    const scene: Json = this.document.scene;
    const { scene: _, ...study } = this.study.document(scene);
    saveDraft(browserShelf(), this.place, { scene, text: this.json.valid ? null : this.json.text, study: this.study.factors.length > 0 ? study : null, saved: Date.now() });
  }

  /** Lays the form out anew when the scene's method became another one. */
  private async followMethod(): Promise<void> {
    const method = this.document.at("/method");
    if (typeof method !== "string" || method === this.method || !this.methods.includes(method)) return;
    this.method = method;
    try {
      const schema = await getSchema(method);
      if (this.method === method) this.form.setModel(withMethods(formModel(schema), this.methods));
    } catch (error) {
      this.around.say(errorText(error), true);
    }
  }

  private select(form: boolean): void {
    if (form) this.form.show();
    for (const [button, panel, on] of [[this.formTab, this.formPanel, form], [this.jsonTab, this.jsonPanel, !form]] as const) {
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      panel.hidden = !on;
    }
  }

  private jump(pointer: string): void {
    this.select(true);
    this.form.focus(pointer);
  }

  /** What was set up runs: there is no draft of it any more. */
  private leaveFor(address: string): void {
    if (this.draftTimer !== null) clearTimeout(this.draftTimer);
    this.draftTimer = null;
    dropDraft(browserShelf(), this.place);
    location.hash = address;
  }

  private async submit(): Promise<void> {
    if (!this.json.valid) return;
    this.run.disabled = true;
    try {
      if (!isObject(this.document.scene)) throw new ApiError(422, english.compose.noObject);
      const job = await submitScene(this.document.scene, this.key, { tags: this.tags, ...this.runPanel.submission });
      this.leaveFor(jobAddress(job.id));
    } catch (error) {
      this.around.say(errorText(error), true);
      const problems = error instanceof ApiError ? error.errors : [];
      const [first] = problems;
      if (first) {
        this.check.showProblems(problems);
        this.jump(first.pointer);
      }
    }
    this.run.disabled = !this.json.valid;
  }
}

/** Who submits what is set up here; kept in this browser. */
function nameField(): HTMLElement {
  const input = h("input", { type: "text", id: "user-name", value: userName(), maxlength: LONGEST, autocomplete: "off", "aria-describedby": "user-name-help" });
  input.addEventListener("change", () => keepUserName(input.value));
  return h("div", { class: "field user-name" }, h("label", { for: "user-name" }, english.compose.yourName), input, h("p", { class: "help", id: "user-name-help" }, english.compose.yourNameHelp));
}

function tab(name: string, panel: string): HTMLButtonElement {
  return h("button", { type: "button", role: "tab", id: `${panel}-tab`, "aria-controls": panel }, name);
}
