/** Measured curves of a job's plots: dropped as files or taken from those that are kept, with a chip for each. */
import { h, setText } from "../dom.js";
import * as english from "../english/measured.js";
import type { Line } from "../plot/layout.js";
import { errorText } from "../pages/messages.js";
import { uploadAsset } from "../service/api.js";
import { MeasuredDialog } from "./measured_dialog.js";
import { measuredLine } from "./measured_lines.js";
import { getMeasured, listMeasured, type Measured } from "./requests.js";

const MOST_BYTES = 16 << 20; /* as the server reads */

export class MeasuredBoard {
  readonly element: HTMLElement;
  private readonly picker = h("input", { type: "file", hidden: true, accept: ".csv,.tsv,.txt,.dat,text/*" });
  private readonly kept = h("select", { "aria-label": english.kept.label }, h("option", { value: "" }, english.kept.choose));
  private readonly chips = h("span", { class: "compare-chosen" });
  private readonly said = h("p", { class: "plot-note", role: "status", hidden: true });
  private readonly chosen: Measured[] = [];
  private listing = false;

  /** @param changed is called when there is something else to draw   @param calibrate is asked for a calibration to these curves */
  constructor(
    first: number[],
    private readonly changed: (ids: number[]) => void,
    private readonly calibrate: (measured: Measured) => void,
  ) {
    const button = h("button", { type: "button", class: "small", title: english.kept.fileTitle, onclick: () => this.picker.click() }, english.kept.file);
    this.picker.addEventListener("change", () => {
      const file = this.picker.files?.[0];
      this.picker.value = "";
      if (file) void this.take(file);
    });
    for (const event of ["focus", "pointerenter"]) this.kept.addEventListener(event, () => void this.list());
    this.kept.addEventListener("change", () => this.kept.value !== "" && void this.add(Number(this.kept.value)));
    this.element = h("div", { class: "measured-board" }, button, this.picker, this.kept, this.chips, this.said);
    for (const id of first) void this.add(id);
  }

  /** Lets files be dropped on an element. */
  listen(element: HTMLElement): void {
    const files = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    element.addEventListener("dragover", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      element.classList.add("dropping");
    });
    element.addEventListener("dragleave", () => element.classList.remove("dropping"));
    element.addEventListener("drop", (event) => {
      element.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      void this.take(file);
    });
  }

  /** Those that are in the units of a plot's axes.   @param factor of y on the plot */
  lines(xUnit: string, yUnit: string, factor: number): Line[] {
    return this.chosen.filter(({ x, y }) => (x.unit || "1") === xUnit && (y.unit || "1") === yUnit).map((one) => measuredLine(one, english.measuredCurve(one.title || one.name), factor));
  }

  private async list(): Promise<void> {
    if (this.listing) return;
    this.listing = true;
    const kept = await listMeasured().catch(() => []);
    this.listing = false;
    this.kept.replaceChildren(h("option", { value: "" }, english.kept.choose), ...kept.filter(({ id }) => !this.chosen.some((one) => one.id === id)).map(({ id, name, title }) => h("option", { value: id }, title || name)));
  }

  private say(text: string): void {
    setText(this.said, text);
    this.said.hidden = text === "";
  }

  private async take(file: File): Promise<void> {
    if (file.size > MOST_BYTES) return this.say(english.measuredTooLarge(file.name));
    this.say(english.kept.reading);
    try {
      const { asset } = await uploadAsset(file);
      this.say("");
      new MeasuredDialog(asset, file.name, ({ measured, calibrate }) => {
        if (calibrate) this.calibrate(measured);
        else void this.add(measured.id);
      }).open();
    } catch (error) {
      this.say(errorText(error));
    }
  }

  private async add(id: number): Promise<void> {
    if (this.chosen.some((one) => one.id === id)) return;
    try {
      const measured = await getMeasured(id);
      const label = measured.title || measured.name;
      const calibrate = h("button", { type: "button", class: "small quiet", onclick: () => this.calibrate(measured) }, english.kept.calibrate);
      const remove = h("button", { type: "button", class: "small quiet", "aria-label": english.measuredRemove(label) }, "×");
      const chip = h("span", { class: "chip", "data-measured": id }, h("span", {}, english.measuredChip(label, measured.y.name, measured.x.name)), calibrate, remove);
      remove.addEventListener("click", () => {
        this.chosen.splice(this.chosen.indexOf(measured), 1);
        chip.remove();
        this.tell();
      });
      this.chosen.push(measured);
      this.chips.append(chip);
      this.tell();
    } catch (error) {
      this.say(errorText(error));
    }
  }

  private tell(): void {
    this.changed(this.chosen.map(({ id }) => id));
    this.kept.value = "";
  }
}
