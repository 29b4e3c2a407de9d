/** Runs side by side: in what their scenes differ, what came out of each, and any result over any parameter. */
import { getJob, getScene, type Job } from "../service/api.js";
import { h, svg } from "../dom.js";
import * as english from "../english/pages.js";
import { heading, headlineText, quantity, unitText } from "../format.js";
import type { Json } from "../json.js";
import { differencesOf, differenceValue, type Difference } from "../plot/differences.js";
import { tickLabels, type Layout } from "../plot/layout.js";
import { makeAxis, shareOf } from "../plot/scale.js";
import { comparingAddress, jobAddress } from "../router.js";
import { stateBadge } from "./job_state.js";
import { errorBox } from "./messages.js";
import type { CompareViews } from "./compare_views.js";
import type { Page, Surroundings } from "./page.js";

const MOST = 100;
const COLUMNS_MOST = 12; /* of differences */
const CURVES_MOST = 7;

interface Compared {
  job: Job;
  scene: Json | null;
}

/** A number of each run, by name. */
interface Quantity {
  name: string;
  unit: string;
  values: (number | null)[];
}

const last = (pointer: string): string => pointer.split("/").reverse().find((key) => key !== "" && !/^\d+$/.test(key)) ?? pointer;

/** What differs and is a number in every scene. */
export function parametersOf(differences: Difference[]): Quantity[] {
  return differences
    .map(({ pointer, values }) => ({ name: heading(last(pointer)), unit: "1", values: values.map((value) => (value !== "" && Number.isFinite(Number(value)) ? Number(value) : null)) }))
    .filter(({ values }) => values.some((value) => value !== null));
}

/** Headlines of the runs, and how long each took. */
export function resultsOf(jobs: Job[]): Quantity[] {
  const names = [...new Map(jobs.flatMap((job) => (job.progress?.headlines ?? []).map((one): [string, { label: string; unit: string }] => [one.name, one]))).entries()];
  const results = names.map(([name, { label, unit }]) => ({ name: label, unit, values: jobs.map((job) => job.progress?.headlines.find((one) => one.name === name)?.value ?? null) }));
  return [...results, { name: english.compare.runTime, unit: "s", values: jobs.map((job) => job.progress?.run_seconds ?? null) }];
}

const loadViews = (): Promise<typeof import("./compare_views.js")> => import("./compare_views.js"); /* brings three.js along */

export function comparePage(around: Surroundings, ids: number[]): Page {
  const body = h("div", { class: "loading" }, english.compare.loading);
  const wanted = ids.slice(0, MOST);
  let views: CompareViews | null = null;
  let gone = false;
  Promise.all(wanted.map(async (id): Promise<Compared> => ({ job: await getJob(id), scene: await getScene(id).catch(() => null) })))
    .then((runs) => {
      body.className = "";
      body.replaceChildren(...lay(runs));
      void loadViews().then(({ CompareViews: Views }) => {
        if (gone) return;
        views = new Views(around.stream, runs.map(({ job }) => job), (shown) => runs.length > CURVES_MOST && aim(shown.map(({ id }) => id)));
        body.firstElementChild?.after(views.element);
      });
    })
    .catch((error: unknown) => body.replaceChildren(errorBox(error)));
  const curves = wanted.length === 0 ? null : h("a", { class: "button" }, english.compare.curves);
  const aim = ([first, ...others]: number[]): void => {
    if (!curves || first === undefined) return;
    curves.href = comparingAddress(first, others);
    curves.title = wanted.length > CURVES_MOST ? english.compareCurvesTitle(others.length + 1) : "";
  };
  aim(wanted.slice(0, CURVES_MOST));
  const dispose = (): void => {
    gone = true;
    views?.dispose();
  };
  return { title: english.compare.title, element: h("div", { class: "page compare-page" }, h("div", { class: "page-head" }, h("h1", {}, english.compareHeading(wanted.length)), curves), body), dispose };
}

function lay(runs: Compared[]): HTMLElement[] {
  const differences = differencesOf(runs.map(({ scene }) => scene));
  const shown = differences.slice(0, COLUMNS_MOST);
  const results = resultsOf(runs.map(({ job }) => job));
  const head = h("tr", {}, h("th", { scope: "col" }, english.compare.run), ...shown.map(({ pointer }) => h("th", { scope: "col", title: pointer }, heading(last(pointer)))), ...results.map(({ name }) => h("th", { scope: "col", class: "result" }, name)));
  const rows = runs.map(({ job }, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: jobAddress(job.id) }, `#${job.id} ${job.title || job.name}`), " ", stateBadge(job)),
      ...shown.map(({ values }) => h("td", {}, differenceValue(values[i] ?? ""))),
      ...results.map(({ unit, values }) => h("td", { class: "result" }, headlineText({ unit, value: values[i] ?? null }))),
    ),
  );
  const rest = differences.length > shown.length ? h("p", { class: "soft" }, english.compareMore(differences.length - shown.length)) : null;
  const none = differences.length === 0 ? h("p", { class: "soft" }, english.compare.same) : null;
  const table = h("section", { class: "card compare-table", "aria-label": english.compare.table, tabindex: 0 }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)), rest, none);
  return [table, scatter(runs.map(({ job }) => job), [...parametersOf(differences), ...results], Math.max(0, parametersOf(differences).length))];
}

/** Any number over any other. @param result place of the first result among the quantities */
function scatter(jobs: Job[], quantities: Quantity[], result: number): HTMLElement {
  const options = (): HTMLElement[] => quantities.map(({ name }, i) => h("option", { value: i }, name));
  const [x, y] = [h("select", { "aria-label": english.compare.horizontal }, ...options()), h("select", { "aria-label": english.compare.vertical }, ...options())];
  y.value = String(Math.min(result, quantities.length - 1));
  const place = h("div", { class: "scatter" });
  const draw = (): void => {
    const [xs, ys] = [quantities[Number(x.value)], quantities[Number(y.value)]];
    if (xs && ys) place.replaceChildren(scatterPicture(jobs, xs, ys));
  };
  for (const select of [x, y]) select.addEventListener("change", draw);
  draw();
  return h("section", { class: "card", "aria-label": english.compare.scatter }, h("div", { class: "plot-settings" }, h("label", {}, english.compare.y, " ", y), h("label", {}, english.compare.x, " ", x)), place);
}

function scatterPicture(jobs: Job[], xs: Quantity, ys: Quantity): SVGElement {
  const [width, height, left, bottom] = [720, 320, 90, 270];
  const points = jobs.flatMap((job, i) => (xs.values[i] !== null && ys.values[i] !== null ? [{ job, x: xs.values[i] as number, y: ys.values[i] as number }] : []));
  const range = (values: number[]): [number, number] => (values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1]);
  const [ax, ay] = [makeAxis(...range(points.map((p) => p.x)), 6, true), makeAxis(...range(points.map((p) => p.y)), 5, true)];
  const px = (value: number): number => left + shareOf(ax, value) * (width - left - 20);
  const py = (value: number): number => bottom - shareOf(ay, value) * (bottom - 16);
  const title = ({ name, unit }: Quantity): string => (unit === "1" ? name : `${name} (${unitText(unit)})`);
  const texts = (axis: Layout["x"]): string[] => (Math.max(Math.abs(axis.low), Math.abs(axis.high)) >= 1e5 || Math.max(Math.abs(axis.low), Math.abs(axis.high)) < 1e-2 ? axis.ticks.map((tick) => quantity(tick, "1")) : tickLabels(axis));
  const [xTexts, yTexts] = [texts(ax), texts(ay)];
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": english.compareScatterLabel(title(ys), title(xs), points.length) },
    ...ax.ticks.flatMap((tick, i) => [svg("line", { class: "scatter-grid", x1: px(tick), x2: px(tick), y1: 16, y2: bottom }), svg("text", { x: px(tick), y: bottom + 17, "text-anchor": "middle" }, xTexts[i] ?? "")]),
    ...ay.ticks.flatMap((tick, i) => [svg("line", { class: "scatter-grid", x1: left, x2: width - 20, y1: py(tick), y2: py(tick) }), svg("text", { x: left - 8, y: py(tick) + 4, "text-anchor": "end" }, yTexts[i] ?? "")]),
    svg("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, title(xs)),
    svg("text", { transform: `translate(14 ${bottom / 2}) rotate(-90)`, "text-anchor": "middle" }, title(ys)),
    ...points.map(({ job, x, y }) => svg("circle", { class: "scatter-point", cx: px(x), cy: py(y), r: 5 }, svg("title", {}, `#${job.id}: ${quantity(x, xs.unit, 4)}, ${quantity(y, ys.unit, 4)}`))),
  );
}
