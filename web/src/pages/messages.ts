/** Errors as sentences for people. */
import { ApiError, Unreachable } from "../service/api.js";
import { h } from "../dom.js";

export function errorText(error: unknown): string {
  if (error instanceof ApiError || error instanceof Unreachable) return error.message;
  return error instanceof Error ? `Something went wrong in the dashboard: ${error.message}` : "Something went wrong in the dashboard.";
}

export function errorBox(error: unknown, again?: () => void): HTMLElement {
  const retry = again ? h("button", { type: "button", onclick: again }, "Try again") : null;
  return h("div", { class: "card notice error", role: "alert" }, h("p", {}, errorText(error)), retry);
}
