/** What each factor alone does to the result that is looked at: how much of its variance the factor explains, and the means of its levels. */
import { h } from "../dom.js";
import { count, number, quantity } from "../format.js";
import { mainEffects, type Column } from "./columns.js";
import type { StudyRow } from "./requests.js";

export class Effects {
  readonly element = h("section", { class: "card study-effects" });

  constructor(private readonly factors: Column[]) {}

  show(rows: StudyRow[], result: Column | undefined): void {
    const heading = h("h2", {}, "Main effects");
    const done = rows.filter((row) => row.state === "succeeded");
    const effects = result && result.kind === "result" ? mainEffects(done, this.factors, result) : [];
    if (!result || effects.length === 0 || done.length < 2)
      return this.element.replaceChildren(heading, h("p", { class: "soft" }, "Choose a result to be drawn upwards; two rows at least must have it."));
    this.element.replaceChildren(
      heading,
      h("p", { class: "soft" }, `Share of the variance of ${result.name} between the levels of each factor, and their means.`),
      ...effects.map((effect) =>
        h(
          "details",
          {},
          h("summary", {}, h("span", { class: "study-factor" }, effect.factor), h("meter", { class: "study-share", min: 0, max: 1, value: Number.isNaN(effect.share) ? 0 : effect.share }), h("span", { class: "number" }, Number.isNaN(effect.share) ? "–" : `${number(100 * effect.share, 3)} %`)),
          h(
            "table",
            { class: "study-levels" },
            h("thead", {}, h("tr", {}, h("th", {}, effect.factor), h("th", {}, "mean"), h("th", {}, "deviation"), h("th", {}, "rows"))),
            h("tbody", {}, ...effect.levels.map((level) => h("tr", {}, h("td", {}, level.label), h("td", { class: "number" }, quantity(level.mean, result.unit)), h("td", { class: "number" }, quantity(level.deviation, result.unit)), h("td", { class: "number" }, count(level.count))))),
          ),
        ),
      ),
    );
  }
}
