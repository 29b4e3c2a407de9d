/** The colours of drawings on the page, as its styles have them now. */
import { styleValue } from "../dom.js";
import { isDark } from "../theme.js";
import { DARK_OTHERS, PAPER, type Theme } from "./figure.js";

export function screenTheme(): Theme {
  return {
    font: styleValue("--font") || "sans-serif",
    ground: styleValue("--surface"),
    text: styleValue("--text"),
    soft: styleValue("--text-soft"),
    grid: styleValue("--plot-grid"),
    line: styleValue("--plot-line"),
    others: isDark() ? DARK_OTHERS : PAPER.others,
  };
}
