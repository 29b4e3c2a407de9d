/** Dark or light: as the system has it, or as chosen on this page. The root element's data-theme is what the styles go by. */
import { h } from "./dom.js";
import * as english from "./english/frame.js";
import { Listeners } from "./service/listeners.js";

const KEY = "scree-theme";
const CHOICES = ["system", "light", "dark"] as const;
type Choice = (typeof CHOICES)[number];

/** Tells that colours are others now. */
export const onTheme = new Listeners<[]>();

let choice: Choice = "system";

const system = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

export const isDark = (): boolean => choice === "dark" || (choice === "system" && system().matches);

function apply(): void {
  const theme = isDark() ? "dark" : "light";
  if (document.documentElement.dataset["theme"] === theme) return;
  document.documentElement.dataset["theme"] = theme;
  onTheme.call();
}

/** Takes the theme chosen last in this browser, and follows the system where none was. */
export function startTheme(): void {
  try {
    choice = CHOICES.find((one) => one === localStorage.getItem(KEY)) ?? "system";
  } catch {
    /* no storage: as the system has it */
  }
  system().addEventListener("change", apply);
  apply();
}

/** The switch for the page's head. */
export function themeSwitch(): HTMLElement {
  const names: Record<Choice, string> = { system: english.theme.system, light: english.theme.light, dark: english.theme.dark };
  const select = h("select", { class: "theme-switch", "aria-label": english.theme.label, title: english.theme.title }, ...CHOICES.map((one) => h("option", { value: one }, names[one])));
  select.value = choice;
  select.addEventListener("change", () => {
    choice = select.value as Choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      /* it holds until the page is loaded again */
    }
    apply();
  });
  return select;
}
