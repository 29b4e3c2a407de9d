/** One scene of the gallery: what it shows, its picture, what a run takes, and two ways on. */
import { ApiError, getGallery, submissionKey, submitScene, type GalleryScene } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { composeAddress, galleryAddress, jobAddress } from "../router.js";
import { pictureOf } from "./gallery.js";
import { GalleryFacts } from "./gallery_facts.js";
import { errorBox, errorText } from "./messages.js";
import type { Page, Surroundings } from "./page.js";

export function examplePage(around: Surroundings, name: string): Page {
  const heading = h("h1", {}, name);
  const body = h("div", { class: "loading" }, english.shared.sceneLoading);
  const facts = new GalleryFacts();
  getGallery()
    .then(({ scenes }) => {
      const scene = scenes.find((one) => one.name === name);
      if (!scene) throw new ApiError(404, english.noSuchScene(name));
      heading.textContent = scene.title || scene.name;
      around.setTitle(heading.textContent);
      body.className = "example";
      body.replaceChildren(...content(around, scene, facts.line(scene)));
    })
    .catch((error: unknown) => body.replaceChildren(errorBox(error)));
  return { title: name, element: h("div", { class: "page" }, h("div", { class: "page-head" }, heading), body), dispose: () => facts.dispose() };
}

function content(around: Surroundings, scene: GalleryScene, facts: HTMLElement): HTMLElement[] {
  const key = submissionKey();
  const picture = pictureOf(scene);
  const run = h("button", { type: "button", class: "primary big" }, english.example.run);
  run.addEventListener("click", () => {
    run.disabled = true;
    submitScene(scene.scene, key)
      .then((job) => (location.hash = jobAddress(job.id)))
      .catch((error: unknown) => {
        run.disabled = false;
        around.say(errorText(error), true);
      });
  });
  return [
    ...(picture ? [picture] : []),
    facts,
    h("p", { class: "soft" }, english.exampleName(scene.name)),
    h("p", { class: "example-text" }, scene.description),
    h("div", { class: "gallery-actions" }, run, h("a", { class: "button big", href: composeAddress(scene.name) }, english.gallery.setUp), h("a", { href: galleryAddress("") }, english.example.allScenes)),
    h("details", {}, h("summary", {}, english.example.json), h("pre", { class: "scene-text", tabindex: 0 }, JSON.stringify(scene.scene, null, 2))),
  ];
}
