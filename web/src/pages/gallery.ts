/** The scenes that come with Scree, to start from. */
import { getGallery, type GalleryScene } from "../service/api.js";
import { h } from "../dom.js";
import { bytes, count, duration } from "../format.js";
import { blankAddress, composeAddress, exampleAddress, galleryAddress } from "../router.js";
import measured from "../../static/gallery/measured.json";
import { errorBox } from "./messages.js";
import type { Page } from "./page.js";

interface Measured {
  node_count: number;
  run_seconds: number;
  record_bytes: number;
}

/** What a run of the scene took on two cores, when its picture was made; undefined for scenes without a picture. */
export const measuredRun = (name: string): Measured | undefined => (measured as Record<string, Measured>)[name];

/** The scene's picture, made from a run of it; null when there is none. */
export function pictureOf(scene: GalleryScene): HTMLElement | null {
  if (!measuredRun(scene.name)) return null;
  return h("img", { src: `/assets/gallery/${encodeURIComponent(scene.name)}.webp`, width: 480, height: 300, loading: "lazy", alt: `${scene.title}, during the run` });
}

/** "bdem · 1 600 nodes · runs 5.8 s · 3.3 MB" */
export function factsOf(scene: GalleryScene): string {
  const run = measuredRun(scene.name);
  return run ? [scene.method, `${count(run.node_count)} nodes`, `runs ${duration(run.run_seconds)}`, bytes(run.record_bytes)].join(" · ") : scene.method;
}

export function galleryPage(method: string): Page {
  const body = h("div", { class: "loading" }, "Loading the gallery …");
  const load = (): void => {
    getGallery()
      .then(({ scenes }) => {
        body.className = "";
        body.replaceChildren(filter(scenes, method), h("ul", { class: "gallery" }, ...scenes.filter((scene) => method === "" || scene.method === method).map(card), blank()));
      })
      .catch((error: unknown) => body.replaceChildren(errorBox(error, load)));
  };
  load();
  const intro = h("p", { class: "lead" }, "Choose an experiment to start from. Every parameter can be changed before it runs. Times are those of two processor cores.");
  return { title: "New run", element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, "New run")), intro, body), dispose: () => undefined };
}

/** One link per method, with how many scenes it has. */
function filter(scenes: GalleryScene[], chosen: string): HTMLElement {
  const methods = [...new Set(scenes.map((scene) => scene.method))].sort();
  const link = (method: string, label: string): HTMLElement => {
    const number = scenes.filter((scene) => method === "" || scene.method === method).length;
    const made = h("a", { class: "button small", href: galleryAddress(method) }, `${label} (${number})`);
    if (method === chosen) made.setAttribute("aria-current", "true");
    return made;
  };
  return h("nav", { class: "gallery-filter", "aria-label": "Method" }, link("", "All"), ...methods.map((method) => link(method, method)));
}

function card(scene: GalleryScene): HTMLElement {
  const picture = pictureOf(scene);
  const title = scene.title || scene.name;
  return h(
    "li",
    { class: "card" },
    ...(picture ? [h("a", { class: "gallery-picture", href: exampleAddress(scene.name), tabindex: -1, "aria-hidden": "true" }, picture)] : []),
    h("h2", {}, h("a", { href: exampleAddress(scene.name) }, title)),
    h("p", { class: "soft" }, factsOf(scene)),
    h("p", { class: "two-lines" }, scene.description),
    h("div", { class: "gallery-actions" }, h("a", { class: "button primary", href: composeAddress(scene.name), "aria-label": `Set up ${title}` }, "Set up"), h("a", { href: exampleAddress(scene.name), "aria-label": `More about ${title}` }, "More")),
  );
}

function blank(): HTMLElement {
  return h("li", { class: "card" }, h("h2", {}, h("a", { href: blankAddress }, "Blank scene")), h("p", { class: "soft" }, "any method"), h("p", {}, "One small block of one material and nothing else: add a rig, specimens and a loading program of your own."), h("a", { class: "button", href: blankAddress }, "Start blank"));
}
