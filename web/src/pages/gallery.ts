/** The scenes that come with Scree, to start from. */
import { getGallery, type GalleryScene } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { blankAddress, composeAddress, exampleAddress, galleryAddress } from "../router.js";
import { GalleryFacts } from "./gallery_facts.js";
import { PICTURED } from "./gallery_pictures.js";
import { errorBox } from "./messages.js";
import type { Page } from "./page.js";

/** The scene's picture, made from a run of it; null when there is none. */
export function pictureOf(scene: GalleryScene): HTMLElement | null {
  if (!PICTURED.has(scene.name)) return null;
  return h("img", { src: `/assets/gallery/${encodeURIComponent(scene.name)}.webp`, width: 480, height: 300, loading: "lazy", alt: english.galleryPicture(scene.title) });
}

export function galleryPage(method: string): Page {
  const body = h("div", { class: "loading" }, english.gallery.loading);
  const facts = new GalleryFacts();
  const load = (): void => {
    getGallery()
      .then(({ scenes }) => {
        body.className = "";
        body.replaceChildren(filter(scenes, method), h("ul", { class: "gallery" }, ...scenes.filter((scene) => method === "" || scene.method === method).map((scene) => card(scene, facts)), blank()));
      })
      .catch((error: unknown) => body.replaceChildren(errorBox(error, load)));
  };
  load();
  const intro = h("p", { class: "lead" }, english.gallery.introduction);
  return { title: english.shared.newRun, element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, english.shared.newRun)), intro, body), dispose: () => facts.dispose() };
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

function card(scene: GalleryScene, facts: GalleryFacts): HTMLElement {
  const picture = pictureOf(scene);
  const title = scene.title || scene.name;
  return h(
    "li",
    { class: "card" },
    ...(picture ? [h("a", { class: "gallery-picture", href: exampleAddress(scene.name), tabindex: -1, "aria-hidden": "true" }, picture)] : []),
    h("h2", {}, h("a", { href: exampleAddress(scene.name) }, title)),
    facts.line(scene),
    h("p", { class: "two-lines" }, scene.description),
    h("div", { class: "gallery-actions" }, h("a", { class: "button primary", href: composeAddress(scene.name), "aria-label": english.gallerySetUpLabel(title) }, english.gallery.setUp), h("a", { href: exampleAddress(scene.name), "aria-label": english.galleryMoreLabel(title) }, english.gallery.more)),
  );
}

function blank(): HTMLElement {
  return h("li", { class: "card" }, h("h2", {}, h("a", { href: blankAddress }, english.gallery.blank)), h("p", { class: "soft" }, english.gallery.blankMethod), h("p", {}, english.gallery.blankText), h("a", { class: "button", href: blankAddress }, english.gallery.startBlank));
}
