/** Controls of the view folded away under one button, closed by Escape and by a press elsewhere. */
import { h } from "../dom.js";

export function popover(name: string, title: string, ...content: (HTMLElement | null)[]): HTMLDetailsElement {
  const summary = h("summary", { title }, name);
  const element = h("details", { class: "view-popover" }, summary, h("div", { class: "popover-body" }, ...content));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.open) return;
    element.open = false;
    summary.focus();
  });
  const elsewhere = (event: Event): void => {
    if (!element.isConnected) document.removeEventListener("pointerdown", elsewhere);
    else if (element.open && event.target instanceof Node && !element.contains(event.target)) element.open = false;
  };
  element.addEventListener("toggle", () => (element.open ? document.addEventListener("pointerdown", elsewhere) : document.removeEventListener("pointerdown", elsewhere)));
  return element;
}
