/** The scenes that come with Scree, to start from. */
import { getGallery } from "../api.js";
import { h } from "../dom.js";
import { composeAddress } from "../router.js";
import { errorBox } from "./messages.js";
import type { Page } from "./page.js";

export function galleryPage(): Page {
  const list = h("ul", { class: "gallery" });
  const body = h("div", {}, list);
  const load = (): void => {
    getGallery()
      .then(({ scenes }) => {
        list.replaceChildren(
          ...scenes.map((scene) =>
            h(
              "li",
              { class: "card" },
              h("h2", {}, h("a", { href: composeAddress(scene.name) }, scene.title || scene.name)),
              h("p", { class: "soft" }, `${scene.method} · ${scene.name}`),
              h("p", {}, scene.description),
              h("a", { class: "button primary", href: composeAddress(scene.name), "aria-label": `Set up ${scene.title}` }, "Set up"),
            ),
          ),
        );
        body.replaceChildren(scenes.length > 0 ? list : h("div", { class: "card empty" }, h("p", {}, "The gallery is empty.")));
      })
      .catch((error: unknown) => body.replaceChildren(errorBox(error, load)));
  };
  load();
  const intro = h("p", { class: "lead" }, "Choose an experiment to start from. Every parameter can be changed before it runs.");
  return { title: "New run", element: h("div", { class: "page" }, h("div", { class: "page-head" }, h("h1", {}, "New run")), intro, body), dispose: () => undefined };
}
