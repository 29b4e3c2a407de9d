/** Errors as sentences for people. */
import { ApiError, Unreachable } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";

export function errorText(error: unknown): string {
  if (error instanceof ApiError || error instanceof Unreachable) return error.message;
  return error instanceof Error ? english.errorOfDashboard(error.message) : english.errorOfDashboard("");
}

export function errorBox(error: unknown, again?: () => void): HTMLElement {
  const retry = again ? h("button", { type: "button", onclick: again }, english.shared.tryAgain) : null;
  return h("div", { class: "card notice error", role: "alert" }, h("p", {}, errorText(error)), retry);
}
