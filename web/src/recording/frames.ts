/** The frames of one run: which there are, and the bytes of those seen lately. */
import * as english from "../english/service.js";
import { getFrames, getRecord } from "../service/api.js";
import { Listeners } from "../service/listeners.js";
import { decodeFrame, decodeHeader, RecordError, RecordType, type Frame } from "./record.js";

export interface FrameMark {
  seq: number;
  time: number;
}

const CACHE_BYTES = 256e6;

/** Keeps the most recently used buffers within a number of bytes. */
export class BufferCache {
  private readonly entries = new Map<number, ArrayBuffer>();
  private held = 0;

  constructor(private readonly limit: number) {}

  get(key: number): ArrayBuffer | undefined {
    const found = this.entries.get(key);
    if (found) {
      this.entries.delete(key);
      this.entries.set(key, found); /* a Map keeps the order of insertion: now it is the newest */
    }
    return found;
  }

  clear(): void {
    this.entries.clear();
    this.held = 0;
  }

  put(key: number, buffer: ArrayBuffer): void {
    this.held -= this.entries.get(key)?.byteLength ?? 0;
    this.entries.delete(key);
    this.entries.set(key, buffer);
    this.held += buffer.byteLength;
    for (const [oldest, old] of this.entries) {
      if (this.held <= this.limit || oldest === key) break;
      this.entries.delete(oldest);
      this.held -= old.byteLength;
    }
  }
}

export class FrameStore {
  /** All frames known, by time. Live frames are added as they come, those skipped when the list is read again. */
  marks: FrameMark[] = [];
  readonly onMarks = new Listeners();
  private readonly cache = new BufferCache(CACHE_BYTES);
  private readonly loading = new Map<number, Promise<ArrayBuffer>>();
  private readonly abort = new AbortController();
  private refreshing = false;
  private generation = 0; /** of the frames in the cache: another number of points, another generation */

  constructor(
    private readonly job: number,
    private points: number, /** most of a drawable that frames are asked for with, 0 for all */
  ) {}

  /** Asks for frames with another number of points from now on. */
  ask(points: number): void {
    this.points = points;
    this.generation++;
    this.cache.clear();
    this.loading.clear();
  }

  close(): void {
    this.abort.abort();
  }

  addLive(seq: number, time: number, buffer: ArrayBuffer): void {
    this.cache.put(seq, buffer);
    const last = this.marks[this.marks.length - 1];
    if (last && last.seq >= seq) return;
    this.marks.push({ seq, time });
    this.onMarks.call();
  }

  /** Reads the list of frames from the server. Failures are left to the caller, who asks every few seconds.
   *  @returns whether the list was read, all of it after the call: not where it was being read already, which may be from before the last frames */
  async refresh(): Promise<boolean> {
    if (this.refreshing || this.abort.signal.aborted) return false;
    this.refreshing = true;
    try {
      const { frames } = await getFrames(this.job, this.abort.signal);
      const newest = frames[frames.length - 1]?.seq ?? 0;
      const later = this.marks.filter((mark) => mark.seq > newest);
      this.marks = [...frames.map(({ seq, time }) => ({ seq, time })), ...later];
      this.onMarks.call();
      return true;
    } catch {
      return false;
    } finally {
      this.refreshing = false;
    }
  }

  /** Index of the mark with this seq, or the last one before it. */
  indexOf(seq: number): number {
    let low = 0;
    let high = this.marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.marks[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The frame of a seq, from the cache or the server. */
  async load(seq: number): Promise<Frame> {
    const cached = this.cache.get(seq);
    if (cached) return decodeFrame(cached, decodeHeader(cached));
    let pending = this.loading.get(seq);
    const { generation } = this;
    if (!pending) {
      pending = getRecord(this.job, seq, this.points, this.abort.signal).finally(() => {
        if (this.generation === generation) this.loading.delete(seq);
      });
      this.loading.set(seq, pending);
    }
    const buffer = await pending;
    const header = decodeHeader(buffer);
    if (header.type !== RecordType.frame) throw new RecordError(english.recordNoFrame(seq));
    if (this.generation === generation) this.cache.put(seq, buffer);
    return decodeFrame(buffer, header);
  }

  /** Starts loading the next frames, so that playing does not wait for each. */
  prefetch(index: number, many: number): void {
    for (const mark of this.marks.slice(index, index + many)) {
      if (!this.cache.get(mark.seq) && this.loading.size < many) void this.load(mark.seq).catch(() => undefined);
    }
  }
}
