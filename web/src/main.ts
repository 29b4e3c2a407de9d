/** The frame around all pages: header, connection, messages, and the page that the address names. */
import { ConnectionBadge } from "./service/connection_badge.js";
import { h, setText, svg } from "./dom.js";
import * as english from "./english/frame.js";
import { SCENE_OF } from "./compose/variant.js";
import { comparePage } from "./pages/compare.js";
import { blankScene, composePage, galleryScene, sceneOfJob } from "./pages/compose.js";
import { examplePage } from "./pages/example.js";
import { galleryPage } from "./pages/gallery.js";
import { jobPage } from "./pages/job.js";
import { jobsPage } from "./pages/jobs.js";
import type { Page, Surroundings } from "./pages/page.js";
import { parseRoute, type Route } from "./router.js";
import { startTheme, themeSwitch } from "./theme.js";
import { LiveStream, streamUrl } from "./service/stream.js";
import { newStudyPage } from "./study/new_study_page.js";
import { studiesPage } from "./study/studies_page.js";
import { studyPage } from "./study/study_page.js";

const MESSAGE_MS = 12000;

startTheme();

const stream = new LiveStream(streamUrl(location));
const main = h("main", { id: "main", tabindex: -1 });
const message = h("div", { class: "toast", hidden: true }, h("span", { role: "alert" }), h("button", { type: "button", class: "small quiet", onclick: () => (message.hidden = true) }, english.frame.close));
const quiet = h("div", { class: "visually-hidden", "aria-live": "polite" });
let messageTimer: ReturnType<typeof setTimeout> | undefined;

const around: Surroundings = {
  stream,
  say: (text, error = false) => {
    if (!error) return setText(quiet, text);
    const place = message.firstElementChild;
    if (place && (message.hidden || place.textContent !== text)) setText(place, text); /* what stands there already is not said again */
    message.hidden = false;
    clearTimeout(messageTimer);
    messageTimer = setTimeout(() => (message.hidden = true), MESSAGE_MS);
  },
  setTitle: (title) => {
    const full = english.frameTitle(title);
    if (document.title !== full) document.title = full;
  },
};

function lostPage(): Page {
  return { title: english.frame.lost, element: h("div", { class: "page" }, h("div", { class: "card empty" }, h("h1", {}, english.frame.lostWhy), h("a", { class: "button primary", href: "#/" }, english.frame.allJobs))), dispose: () => undefined };
}

function pageOf(route: Route): Page {
  switch (route.page) {
    case "jobs":
      return jobsPage(around);
    case "gallery":
      return galleryPage(route.method);
    case "example":
      return examplePage(around, route.gallery);
    case "blank":
      return composePage(around, Promise.resolve(blankScene()));
    case "compose":
      return composePage(around, galleryScene(route.gallery));
    case "rerun":
      return composePage(around, sceneOfJob(route.id, route.as), route.as.method === "" ? {} : { tags: { [SCENE_OF]: String(route.id) } });
    case "job":
      return jobPage(around, route.id);
    case "compare":
      return comparePage(around, route.ids);
    case "studies":
      return studiesPage();
    case "study":
      return studyPage(around, route.id);
    case "new-study":
      return newStudyPage(around, route.from);
    case "lost":
      return lostPage();
  }
}

/** Which heading of the navigation a page belongs to, where it is not "new". */
const NAVIGATION: Partial<Record<Route["page"], string>> = { jobs: "jobs", job: "jobs", compare: "jobs", studies: "studies", study: "studies", "new-study": "studies" };

let page: Page | null = null;

function open(): void {
  page?.dispose();
  message.hidden = true;
  const route = parseRoute(location.hash);
  const first = page === null;
  page = pageOf(route);
  around.setTitle(page.title);
  main.replaceChildren(page.element);
  for (const link of document.querySelectorAll(".nav a")) {
    const here = link.getAttribute("data-page") === (NAVIGATION[route.page] ?? "new");
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!first) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

function mark(): SVGElement {
  const circle = (cx: number, cy: number, r: number, name: string): SVGElement => svg("circle", { cx, cy, r, class: name });
  return svg("svg", { viewBox: "0 0 32 32", class: "mark", "aria-hidden": "true" }, circle(11, 21, 7, "mark-a"), circle(23, 23, 5, "mark-b"), circle(18, 9.5, 5.5, "mark-c"));
}

document.body.append(
  h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), main.focus()) }, english.frame.skip),
  h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "#/", "aria-label": english.frame.home }, mark(), english.frame.name),
    h("nav", { class: "nav", "aria-label": english.frame.main }, h("a", { href: "#/", "data-page": "jobs" }, english.frame.jobs), h("a", { href: "#/new", "data-page": "new" }, english.frame.newRun), h("a", { href: "#/studies", "data-page": "studies" }, english.frame.studies), h("a", { href: "/guide", target: "_blank", rel: "noopener", title: english.frame.guideTitle }, english.frame.guide)),
    themeSwitch(),
    new ConnectionBadge(stream).element,
  ),
  main,
  message,
  quiet,
);
addEventListener("hashchange", open);
open();
