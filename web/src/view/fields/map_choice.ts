/** Which colours numbers get, and whether their scale is logarithmic: folded away beside the choice of the field. */
import { MAPS, type MapName } from "../../colour.js";
import { h } from "../../dom.js";
import * as english from "../../english/view.js";
import { popover } from "../popover.js";

export class MapChoice {
  readonly element: HTMLDetailsElement;
  map: MapName = "even";
  logarithmic = false;
  only = false;

  /** @param range controls of the scale's ends, which stand with these */
  constructor(changed: () => void, range: HTMLElement[]) {
    const maps = h("select", {}, ...Object.entries(MAPS).map(([name, { label }]) => h("option", { value: name }, label)));
    const logarithmic = h("input", { type: "checkbox" });
    const only = h("input", { type: "checkbox" });
    for (const input of [maps, logarithmic, only])
      input.addEventListener("change", () => {
        [this.map, this.logarithmic, this.only] = [maps.value as MapName, logarithmic.checked, only.checked];
        changed();
      });
    this.element = popover(english.scale.name, english.scale.title, h("label", {}, english.scale.colours, " ", maps), ...range, h("label", {}, logarithmic, " ", english.scale.logarithmic), h("label", { title: english.scale.onlyTitle }, only, " ", english.scale.only));
  }
}
