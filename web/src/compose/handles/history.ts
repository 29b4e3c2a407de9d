/** What was moved and sized by hand, so that it can be taken back, the last first. */
import { valueAt, type Json } from "../../json.js";

export interface Step {
  what: string; /** "Move grain along x" */
  pointer: string;
  before: Json | undefined;
  after: Json;
  structure: boolean; /** whether a part of the scene came with it */
}

const MOST = 100;
const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

export class HandHistory {
  private steps: Step[] = [];

  /** Keeps a change. One that goes on from the last, of the same place by keys, is one step with it. */
  keep(step: Step, byKeys: boolean): void {
    const last = this.steps[this.steps.length - 1];
    if (byKeys && last && last.what === step.what && last.pointer === step.pointer && same(last.after, step.before)) last.after = step.after;
    else this.steps = [...this.steps, step].slice(-MOST);
  }

  /** The last step, when the scene still has what it made: what was typed since is not thrown away. */
  last(scene: Json): Step | null {
    const last = this.steps[this.steps.length - 1];
    return last && same(valueAt(scene, last.pointer), last.after) ? last : null;
  }

  drop(): void {
    this.steps.pop();
  }
}
