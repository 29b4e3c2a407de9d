/** How the run is made: where, on which device and by how many processes, chosen from what the server has, with what ranks would gain. */
import { listDevices, type Device, type Method, type Sharing, type Submission } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { number } from "../format.js";
import { isObject, type JsonObject } from "../json.js";
import type { SceneDocument } from "./document.js";
import { ExecutorChoice } from "./executor_choice.js";

const PROCESSOR = "cpu";
const AUTOMATIC = "auto";

export class RunPanel {
  readonly element: HTMLElement;
  private readonly device = h("select", { id: "run-device" });
  private readonly ranks = h("select", { id: "run-ranks" });
  private readonly deviceField = field("run-device", english.runPlace.device, this.device);
  private readonly ranksField = field("run-ranks", english.runPlace.ranks, this.ranks);
  private readonly source = h("p", { class: "help" });
  private readonly place: ExecutorChoice;
  private devices: Device[] = [];
  private asked = false; /* for devices, which only some methods run on */
  private sharing: Sharing | null = null;

  constructor(
    private readonly document: SceneDocument,
    private readonly methods: Method[],
    /** Another place was chosen. */
    moved: () => void,
  ) {
    this.place = new ExecutorChoice(() => {
      this.show();
      moved();
    });
    this.ranksField.append(this.source);
    const help = h("p", { class: "help" }, english.runPlace.help);
    this.element = h("section", { class: "card run-place", "aria-label": english.runPlace.title, hidden: true }, h("div", { class: "card-head" }, h("h2", {}, english.runPlace.title)), this.place.element, this.deviceField, this.ranksField, help);
    this.device.addEventListener("change", () => this.choose(this.device.value === PROCESSOR ? {} : { device: this.device.value }));
    this.ranks.addEventListener("change", () => this.choose(this.ranks.value === "1" ? {} : { ranks: Number(this.ranks.value) }));
    document.onChange.add(() => this.show());
    this.show();
  }

  /** What a submission says of where it runs. */
  get submission(): Submission {
    return this.place.chosen;
  }

  /** What the last check says of ranks. */
  setSharing(sharing: Sharing | null): void {
    this.sharing = sharing;
    this.show();
  }

  /** Ranks compute on processors, so that one choice takes the other back. */
  private choose(chosen: JsonObject): void {
    this.document.set("/run", Object.keys(chosen).length === 0 ? undefined : chosen, true);
  }

  private show(): void {
    const method = this.methods.find(({ name }) => name === this.document.at("/method"));
    const run = this.document.at("/run");
    const given = isObject(run) ? run : {};
    const device = typeof given["device"] === "string" && given["device"] !== "" ? given["device"] : PROCESSOR;
    const ranks = typeof given["ranks"] === "number" ? given["ranks"] : 1;
    this.deviceField.hidden = method?.on_device !== true;
    this.ranksField.hidden = method?.on_ranks !== true || (this.sharing === null && ranks === 1);
    this.element.hidden = this.place.element.hidden && this.deviceField.hidden && this.ranksField.hidden;
    if (!this.deviceField.hidden) this.ask();
    this.showDevices(device);
    this.showRanks(ranks);
  }

  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    listDevices().then(
      ({ devices }) => {
        this.devices = devices;
        this.show();
      },
      () => undefined /* the processor and "auto" can be chosen all the same */,
    );
  }

  private showDevices(chosen: string): void {
    const gpu = this.devices.some((one) => one.gpu && one.usable);
    const options: [string, string, boolean][] = [
      [PROCESSOR, english.runPlace.processor, true],
      [AUTOMATIC, gpu ? english.runPlace.automatic : english.runPlace.noGpu, true],
      ...this.devices.map(({ name, title, usable, reason }): [string, string, boolean] => [name, usable ? english.runPlaceDevice(name, title) : english.runPlaceUnusable(name, title, reason), usable]),
    ];
    if (!options.some(([name]) => name === chosen)) options.push([chosen, english.runPlaceAbsent(chosen), true]);
    this.device.replaceChildren(...options.map(([name, text, usable]) => h("option", { value: name, disabled: !usable && name !== chosen }, text)));
    this.device.value = chosen;
  }

  private showRanks(chosen: number): void {
    const gains = this.sharing?.gains ?? [];
    const options: [number, string][] = [[1, english.runPlace.one], ...gains.map(({ ranks, speedup }): [number, string] => [ranks, english.runPlaceRanks(ranks, number(speedup, 2))])];
    if (!options.some(([ranks]) => ranks === chosen)) options.push([chosen, english.runPlaceRanksOnly(chosen)]);
    this.ranks.replaceChildren(...options.map(([ranks, text]) => h("option", { value: ranks }, text)));
    this.ranks.value = String(chosen);
    this.source.textContent = this.sharing?.measured ? english.runPlaceMeasured(this.sharing.measured) : english.runPlace.usual;
    this.source.hidden = gains.length === 0;
  }
}

function field(id: string, label: string, input: HTMLElement): HTMLElement {
  return h("div", { class: "field" }, h("label", { for: id }, label), h("div", { class: "input-row" }, input));
}
