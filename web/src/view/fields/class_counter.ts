/** The most frequent classes of a frame, counted off the page's thread: a million numbers take it a tenth of a second. */
import { classCounts } from "./field_range.js";

export interface ClassCounts {
  classes: { value: number; count: number }[];
  total: number;
}

const SCRIPT = "/assets/count-worker.js";

export class ClassCounter {
  private worker: Worker | null = null;
  private failed = false;
  private waiting: ((counts: ClassCounts) => void) | null = null;
  private next: { data: Uint32Array; most: number; then: (counts: ClassCounts) => void } | null = null;
  private id = 0;

  dispose(): void {
    this.worker?.terminate();
    this.worker = null;
    this.waiting = this.next = null;
  }

  /** Counts; `then` is called with the result, unless a newer request came before it was begun. One at a time is counted. */
  count(data: Uint32Array, most: number, then: (counts: ClassCounts) => void): void {
    this.next = { data, most, then };
    this.begin();
  }

  private begin(): void {
    if (this.waiting || !this.next) return;
    const { data, most, then } = this.next;
    this.next = null;
    const worker = this.start();
    if (!worker) return then(classCounts({ data }, most));
    this.waiting = then;
    const copy = data.slice(); /* the frame stays with the view */
    worker.postMessage({ id: ++this.id, data: copy, most }, [copy.buffer]);
  }

  private start(): Worker | null {
    if (this.worker || this.failed || typeof Worker === "undefined") return this.worker;
    try {
      this.worker = new Worker(SCRIPT, { type: "module" });
    } catch {
      this.failed = true;
      return null;
    }
    this.worker.onmessage = ({ data }: MessageEvent<ClassCounts & { id: number }>) => {
      const then = this.waiting;
      this.waiting = null;
      if (data.id === this.id) then?.(data);
      this.begin();
    };
    this.worker.onerror = () => {
      this.failed = true;
      this.worker?.terminate();
      this.worker = null;
      this.waiting = null;
      this.begin();
    };
    return this.worker;
  }
}
