/** Where a job runs: this machine, or a batch engine that the server is set up with, there in one of its partitions. Nothing to choose where there is one place. */
import { listExecutors, type Executor, type Submission } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { duration } from "../format.js";

const LOCAL = "local";
const SHOWN = 5; /* reasons for waiting */

export class ExecutorChoice {
  readonly element: HTMLElement;
  private readonly executor = h("select", { id: "run-executor" });
  private readonly partition = h("select", { id: "run-partition" });
  private readonly partitionField: HTMLElement;
  private readonly waiting = h("ul", { class: "help run-waiting", "aria-label": english.runPlace.waiting });
  private executors: Executor[] = [];

  /** @param changed another place was chosen, or there is something to choose at all */
  constructor(private readonly changed: () => void) {
    this.partitionField = h("div", { class: "field" }, h("label", { for: "run-partition" }, english.runPlace.partition), h("div", { class: "input-row" }, this.partition));
    this.element = h("div", { class: "run-where", hidden: true }, h("div", { class: "field" }, h("label", { for: "run-executor" }, english.runPlace.executor), h("div", { class: "input-row" }, this.executor)), this.partitionField, this.waiting);
    this.executor.addEventListener("change", () => {
      this.showPartitions();
      this.changed();
    });
    this.partition.addEventListener("change", () => this.changed());
    listExecutors().then(
      ({ executors }) => this.show(executors),
      () => undefined /* jobs go where the server sends those that name no place */,
    );
  }

  /** What a submission says of it: nothing where nothing was chosen. */
  get chosen(): Submission {
    const [first] = this.executors;
    const name = this.executor.value;
    if (!first || name === "") return {};
    return { ...(name === first.name ? {} : { executor: name }), ...(this.partitionField.hidden || this.partition.value === "" ? {} : { executor_options: { partition: this.partition.value } }) };
  }

  private show(executors: Executor[]): void {
    this.executors = executors;
    this.element.hidden = executors.length < 2 && executors.every(({ name }) => name === LOCAL);
    const label = ({ name, engine, available, reason, queued, running }: Executor): string =>
      name === LOCAL ? english.runPlace.local : available ? english.runPlaceEngine(engine ?? name, running ?? 0, queued ?? 0) : english.runPlaceAway(engine ?? name, reason ?? "");
    this.executor.replaceChildren(...executors.map((one) => h("option", { value: one.name, disabled: !one.available }, label(one))));
    const first = executors.find(({ available }) => available) ?? executors[0];
    this.executor.value = first?.name ?? "";
    this.showPartitions();
    if (!this.element.hidden) this.changed();
  }

  private showPartitions(): void {
    const { partitions = [], waiting = [] } = this.executors.find(({ name }) => name === this.executor.value) ?? {};
    this.partitionField.hidden = partitions.length === 0;
    const usual = partitions.find((one) => one.default);
    this.partition.replaceChildren(
      h("option", { value: "" }, usual ? english.runPlaceUsualPartition(usual.name) : english.runPlace.anyPartition),
      ...partitions.map((one) => h("option", { value: one.name, disabled: !one.up }, english.runPlacePartition(one.name, one.idle_processors, one.processors, one.time_limit === null ? "" : duration(one.time_limit), one.up))),
    );
    this.waiting.hidden = waiting.length === 0;
    this.waiting.replaceChildren(...waiting.slice(0, SHOWN).map(({ job, reason }) => h("li", {}, english.runPlaceWaits(job, reason))));
  }
}
