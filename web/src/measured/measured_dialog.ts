/** A file of a testing machine that was dropped: how it is read, which columns are the curve, corrections, and what comes of it. */
import { h, setText } from "../dom.js";
import * as english from "../english/measured.js";
import { number, unitText } from "../format.js";
import { inOwnUnit } from "../compose/units.js";
import type { Json, JsonObject } from "../json.js";
import { errorText } from "../pages/messages.js";
import { ApiError } from "../service/api.js";
import { PlotCanvas } from "../plot/plot.js";
import { measuredLine } from "./measured_lines.js";
import { addMeasured, checkMeasured, getTable, type AssetTable, type Measured, type MeasuredCurves, type Reading } from "./requests.js";

const WAIT_MS = 300;
const SEPARATORS: [string, string][] = [["", english.read.asFound], ["tab", english.read.tab], ["semicolon", english.read.semicolon], ["comma", english.read.comma], ["blank", english.read.blank]];
const DECIMALS: [string, string][] = [["", english.read.asFound], ["point", english.read.point], ["comma", english.read.comma]];

/** What is done with the curves once they are kept. */
export interface Chosen {
  measured: Measured;
  calibrate: boolean;
}

interface Correction {
  key: string;
  label: string;
  unit: (axes: MeasuredCurves | null) => string;
  input: HTMLInputElement;
}

const option = ([value, text]: [string, string]): HTMLElement => h("option", { value }, text);

export class MeasuredDialog {
  readonly element: HTMLDialogElement;
  private readonly columns = h("div", { class: "measured-table" });
  private readonly separator = h("select", { "aria-label": english.read.separator }, ...SEPARATORS.map(option));
  private readonly decimal = h("select", { "aria-label": english.read.decimal }, ...DECIMALS.map(option));
  private readonly x = h("select", { "aria-label": english.read.columnX });
  private readonly y = h("select", { "aria-label": english.read.columnY });
  private readonly name: HTMLInputElement;
  private readonly turnX = h("input", { type: "checkbox" });
  private readonly turnY = h("input", { type: "checkbox" });
  private readonly scatter = h("input", { type: "text", inputmode: "decimal", "aria-label": english.read.scatter, placeholder: english.read.notKnown });
  private readonly corrections: Correction[];
  private readonly how = h("p", { class: "soft" });
  private readonly said = h("p", { class: "soft", role: "status" });
  private readonly plot = new PlotCanvas(() => undefined);
  private readonly over = h("button", { type: "button", class: "primary" }, english.read.lay);
  private readonly calibrate = h("button", { type: "button" }, english.read.calibrate);
  private units: string[] = [];
  private asked: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private table: AssetTable | null = null;
  private axes: MeasuredCurves | null = null;

  constructor(
    private readonly asset: string,
    file: string,
    private readonly done: (chosen: Chosen) => void,
  ) {
    this.name = h("input", { type: "text", value: file.replace(/\.[A-Za-z0-9]+$/, "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "").slice(0, 46) || "measured", "aria-label": english.read.nameLabel, spellcheck: "false" });
    const correction = (key: string, label: string, unit: Correction["unit"]): Correction => ({ key, label, unit, input: h("input", { type: "text", inputmode: "decimal", "aria-label": label, placeholder: "0" }) });
    this.corrections = [
      correction("x_zero", english.read.zeroX, (axes) => axes?.x.unit ?? ""),
      correction("y_zero", english.read.zeroY, (axes) => axes?.y.unit ?? ""),
      correction("preload", english.read.preload, (axes) => axes?.y.unit ?? ""),
      correction("compliance", english.read.compliance, () => "m/N"),
    ];
    const close = h("button", { type: "button", class: "quiet", onclick: () => this.element.close() }, english.read.cancel);
    const row = (label: string, ...content: HTMLElement[]): HTMLElement => h("label", {}, `${label} `, ...content);
    const fix = h("details", { class: "advanced" }, h("summary", {}, h("span", { class: "part-title" }, english.read.corrections)), h("div", { class: "measured-row" }, row(english.read.turnX, this.turnX), row(english.read.turnY, this.turnY), ...this.corrections.map(({ label, input }) => row(label, input)), row(english.read.scatter, this.scatter)));
    this.element = h(
      "dialog",
      { class: "measured-dialog", "aria-label": english.read.title },
      h("h2", {}, english.measuredCurve(file)),
      this.how,
      h("div", { class: "measured-row" }, row(english.read.separator, this.separator), row(english.read.decimal, this.decimal), row(english.read.name, this.name)),
      this.columns,
      h("div", { class: "measured-row" }, row(english.read.y, this.y), row(english.read.overX, this.x)),
      fix,
      this.plot.element,
      this.said,
      h("div", { class: "measured-row measured-end" }, this.over, this.calibrate, close),
    );
    for (const select of [this.separator, this.decimal]) select.addEventListener("change", () => void this.read());
    for (const input of [this.x, this.y, this.turnX, this.turnY]) input.addEventListener("change", () => this.later());
    for (const input of [this.name, this.scatter, ...this.corrections.map((one) => one.input)]) input.addEventListener("input", () => this.later());
    this.over.addEventListener("click", () => void this.keep(false));
    this.calibrate.addEventListener("click", () => void this.keep(true));
    this.element.addEventListener("close", () => this.dispose());
    this.ready(false);
  }

  /** Shows it over the page, until it is closed. */
  open(): void {
    document.body.append(this.element);
    this.element.showModal();
    void this.read();
  }

  private dispose(): void {
    this.asked?.abort();
    clearTimeout(this.timer);
    this.plot.dispose();
    this.element.remove();
  }

  private ready(yes: boolean): void {
    this.over.disabled = this.calibrate.disabled = !yes;
  }

  private reading(): Reading {
    return { ...(this.separator.value === "" ? {} : { separator: this.separator.value }), ...(this.decimal.value === "" ? {} : { decimal: this.decimal.value }), ...(this.units.some((unit) => unit !== "") ? { units: this.units } : {}) };
  }

  private async read(): Promise<void> {
    this.ready(false);
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    try {
      const table = await getTable(this.asset, this.reading(), asked.signal);
      if (asked.signal.aborted) return;
      const first = this.table === null;
      this.table = table;
      this.lay(table, first);
      await this.check();
    } catch (error) {
      if (!asked.signal.aborted) setText(this.said, errorText(error));
    }
  }

  private lay(table: AssetTable, first: boolean): void {
    setText(this.how, english.measuredHow(table.rows, table.how));
    const chosen = [this.x.value, this.y.value];
    for (const select of [this.x, this.y]) select.replaceChildren(...table.columns.map(({ number: place, name, unit }) => h("option", { value: place }, unit === "" || unit === "1" ? name : `${name} (${unitText(unit)})`)));
    this.x.value = first ? String(table.suggested?.x ?? 1) : (chosen[0] ?? "1");
    this.y.value = first ? String(table.suggested?.y ?? 2) : (chosen[1] ?? "2");
    this.units = table.columns.map((_, k) => this.units[k] ?? "");
    const unit = (k: number, written: string, name: string): HTMLElement => {
      const input = h("input", { type: "text", value: this.units[k] === "" ? written : (this.units[k] ?? ""), "aria-label": english.measuredUnit(name), spellcheck: "false", placeholder: english.read.unit });
      input.addEventListener("change", () => ((this.units[k] = input.value.trim()), void this.read()));
      return input;
    };
    const head = table.columns.map(({ name }) => h("th", { scope: "col" }, name));
    const units = table.columns.map(({ written, name }, k) => h("td", {}, unit(k, written, name)));
    const rows = table.first_rows.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", { class: "number" }, cell === null ? "–" : number(cell, 5)))));
    this.columns.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, h("tr", {}, ...units), h("tr", { class: "soft" }, ...table.columns.map(({ unit: si }) => h("td", {}, si === "" || si === "1" ? english.read.asIs : english.measuredIn(unitText(si))))), ...rows)));
  }

  private later(): void {
    clearTimeout(this.timer);
    this.ready(false);
    this.timer = setTimeout(() => void this.check(), WAIT_MS);
  }

  private document(): JsonObject {
    const corrections: JsonObject = {};
    if (this.turnX.checked) corrections["x_factor"] = -1;
    if (this.turnY.checked) corrections["y_factor"] = -1;
    for (const { key, input, unit } of this.corrections) if (input.value.trim() !== "") corrections[key] = typed(input.value, unit(this.axes));
    const scatter = this.scatter.value.trim();
    return {
      name: this.name.value.trim(),
      specimens: [{ asset: this.asset }],
      reading: this.reading() as JsonObject,
      x: Number(this.x.value),
      y: Number(this.y.value),
      ...(Object.keys(corrections).length > 0 ? { corrections } : {}),
      ...(scatter === "" ? {} : { scatter: typed(scatter, this.axes?.y.unit ?? "") }),
    };
  }

  private async check(): Promise<void> {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    try {
      const curves = await checkMeasured(this.document(), asked.signal);
      if (asked.signal.aborted) return;
      this.axes = curves;
      const line = measuredLine(curves, "");
      this.plot.show({ ...line, xLabel: curves.x.name, yLabel: curves.y.name, xUnit: curves.x.unit || "1", yUnit: curves.y.unit || "1", others: [] });
      setText(this.said, english.measuredDrawn(line.x.length, line.band !== undefined));
      this.ready(true);
    } catch (error) {
      if (!asked.signal.aborted) setText(this.said, refusal(error));
    }
  }

  private async keep(calibrate: boolean): Promise<void> {
    this.ready(false);
    try {
      const measured = await addMeasured(this.document());
      this.element.close();
      this.done({ measured, calibrate });
    } catch (error) {
      setText(this.said, refusal(error));
      this.ready(true);
    }
  }
}

/** A typed number, in another unit where one is typed with it. */
function typed(text: string, unit: string): Json {
  const value = inOwnUnit(text, unit);
  return Number.isNaN(value) ? text : value;
}

function refusal(error: unknown): string {
  return error instanceof ApiError && error.errors.length > 0 ? error.errors.map(({ detail }) => detail).join(" ") : errorText(error);
}
