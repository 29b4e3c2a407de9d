/** The scenes that come with Scree, to start from. */
import { getGallery, type GalleryScene } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
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
  return h("img", { src: `/assets/gallery/${encodeURIComponent(scene.name)}.webp`, width: 480, height: 300, loading: "lazy", alt: english.galleryPicture(scene.title) });
}

/** "bdem · 1 600 nodes · runs 5.8 s · 3.3 MB" */
export function factsOf(scene: GalleryScene): string {
  const run = measuredRun(scene.name);
  return run ? [scene.method, english.galleryNodes(count(run.node_count)), english.galleryRuns(duration(run.run_seconds)), bytes(run.record_bytes)].join(" · ") : scene.method;
}

export function galleryPage(method: string): Page {
  const body = h("div", { class: "loading" }, english.gallery.loading);
  const load = (): void => {
    getGallery()
      .then(({ scenes }) => {
        body.className = "";
        body.replaceChildren(filter(scenes, method), h("ul", { class: "gallery" }, ...scenes.filter((scene) => method === "" || scene.method === method).map(card), blank()));
      })
      .catch((error: unknown) => body.replaceChildren(errorBox(error, load)));
  };
  load();
  const intro = h("p", { class: "lead" }, english.gallery.introduction);
  return { title: english.shared.newRun, element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, english.shared.newRun)), intro, body), dispose: () => undefined };
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
  return h("nav", { class: "gallery-filter", "aria-label": english.gallery.method }, link("", english.gallery.all), ...methods.map((method) => link(method, method)));
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
    h("div", { class: "gallery-actions" }, h("a", { class: "button primary", href: composeAddress(scene.name), "aria-label": english.gallerySetUpLabel(title) }, english.gallery.setUp), h("a", { href: exampleAddress(scene.name), "aria-label": english.galleryMoreLabel(title) }, english.gallery.more)),
  );
}

function blank(): HTMLElement {
  return h("li", { class: "card" }, h("h2", {}, h("a", { href: blankAddress }, english.gallery.blank)), h("p", { class: "soft" }, english.gallery.blankMethod), h("p", {}, english.gallery.blankText), h("a", { class: "button", href: blankAddress }, english.gallery.startBlank));
}
