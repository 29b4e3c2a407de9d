/** One run as the page sees it: job, topology, curves, events and frames, fed by the stream from the first record on.
 *  The same for a run that goes on and for one that ended long ago: both are the recording, read from its start. */
import { ended, getJob, type Job } from "./service/api.js";
import { Curves } from "./recording/curves.js";
import { FrameStore } from "./recording/frames.js";
import { Geometries } from "./recording/geometries.js";
import { Listeners } from "./service/listeners.js";
import { decodeCurve, decodeFrame, decodeGeometry, decodeJson, RecordType, type Frame, type RecordHeader } from "./recording/record.js";
import type { LiveStream } from "./service/stream.js";
import { parseTopology, type Topology } from "./recording/topology.js";

export interface RunEvent {
  seq: number;
  time: number;
  kind: string;
  message: string;
  label: string; /** of a stage: its short name; "" of other events */
}

export interface RunEnd {
  verdict: string;
  message: string;
}

const LIST_EVERY_MS = 2000;
const LIVE_FRAMES_PER_SECOND = 30;
const VIEW_POINTS = 250000; /** of a drawable: of more, those that are seen from outside are enough */

export class Run {
  job: Job | null = null;
  topology: Topology | null = null;
  curves: Curves | null = null;
  readonly geometries = new Geometries();
  readonly events: RunEvent[] = [];
  end: RunEnd | null = null;
  skipped = 0; /** frames the server left out of the live stream */
  readonly frames: FrameStore;

  readonly onJob = new Listeners<[Job]>();
  readonly onTopology = new Listeners<[Topology]>();
  readonly onCurves = new Listeners();
  readonly onEvent = new Listeners();
  readonly onEnd = new Listeners();
  /** A frame came live. The listener calls `drawn` once it is on the screen, or at once when it is not going to be. */
  readonly onFrame = new Listeners<[Frame, () => void]>();
  readonly onTrouble = new Listeners<[string]>();
  readonly onGone = new Listeners();

  private readonly subscription: ReturnType<LiveStream["subscribe"]>;
  private readonly timer: ReturnType<typeof setInterval>;
  private points = VIEW_POINTS;
  private listed = false; /** the list of frames was read since the run ended: it stays as it is */
  private following = false; /** a frame came since the server began to send: what it skips from now on was live */

  constructor(
    readonly id: number,
    private readonly stream: LiveStream,
  ) {
    this.frames = new FrameStore(id, VIEW_POINTS);
    this.subscription = stream.subscribe(id, LIVE_FRAMES_PER_SECOND, VIEW_POINTS, {
      started: () => (this.following = false),
      record: (header, buffer) => this.receive(header, buffer),
      job: (job) => this.setJob(job),
      deleted: () => this.onGone.call(),
      refused: (detail) => this.onTrouble.call(detail),
      stale: () => void this.load().catch(() => undefined),
    });
    this.timer = setInterval(() => {
      if (this.job && !this.listed && !document.hidden) void this.list();
    }, LIST_EVERY_MS);
    void this.list();
  }

  close(): void {
    clearInterval(this.timer);
    this.subscription.close();
    this.frames.close();
  }

  /** Frames with all their points, as a view needs that is cut open, or only those to be seen from outside.
   *  @returns whether that makes a difference, so that the frame shown is to be shown anew */
  showWithin(within: boolean): boolean {
    const many = this.topology?.drawables.some((drawable) => drawable.kind === "points" && drawable.elementCount > VIEW_POINTS) ?? false;
    const points = within ? 0 : VIEW_POINTS;
    if (!many || points === this.points) return false;
    this.points = points;
    this.frames.ask(points);
    this.subscription.ask(points);
    return true;
  }

  /** Reads the job once, for the first picture of the page. Throws when there is none. */
  async load(): Promise<Job> {
    return this.ask(() => getJob(this.id));
  }

  /** Makes a request that answers with the job. The answer counts unless the stream has reported the job in the meantime.
   *  @returns the job as it is now known */
  async ask(request: () => Promise<Job>): Promise<Job> {
    const moment = this.stream.moment;
    const answer = await request();
    if (this.job === null || !this.stream.toldSince(this.id, moment)) this.setJob(answer);
    return this.job ?? answer;
  }

  private setJob(job: Job): void {
    const endedNow = ended(job.state) && !(this.job && ended(this.job.state));
    this.job = job;
    if (!ended(job.state)) this.listed = false;
    if (endedNow) void this.list();
    this.onJob.call(job);
  }

  private async list(): Promise<void> {
    const last = this.job !== null && ended(this.job.state);
    if ((await this.frames.refresh()) && last && this.job && ended(this.job.state)) this.listed = true;
  }

  private receive(header: RecordHeader, buffer: ArrayBuffer): void {
    switch (header.type) {
      case RecordType.topology:
        this.receiveTopology(header, buffer);
        break;
      case RecordType.geometry:
        this.geometries.put(decodeGeometry(buffer, header));
        break;
      case RecordType.frame:
        this.receiveFrame(header, buffer);
        break;
      case RecordType.curve:
        this.receiveCurve(header, buffer);
        break;
      case RecordType.event:
        this.receiveEvent(header, buffer);
        break;
      case RecordType.end:
        this.receiveEnd(header, buffer);
        break;
      default: /* Scene and progress records say nothing that the job does not; unknown types are for newer dashboards. */
        break;
    }
  }

  private receiveTopology(header: RecordHeader, buffer: ArrayBuffer): void {
    if (this.topology) return; /* it comes again after every reconnection */
    this.topology = parseTopology(decodeJson(buffer, header));
    this.curves = new Curves(this.topology.series.length);
    this.onTopology.call(this.topology);
  }

  private receiveFrame(header: RecordHeader, buffer: ArrayBuffer): void {
    if (this.following) this.skipped += header.skipped;
    this.following = true;
    const drawn = (): void => this.subscription.ack(header.seq);
    try {
      const frame = decodeFrame(buffer, header);
      this.frames.addLive(header.seq, header.time, buffer);
      this.onFrame.call(frame, drawn);
    } catch (error) {
      drawn(); /* a frame that can't be read must not hold up the next */
      throw error;
    }
  }

  private receiveCurve(header: RecordHeader, buffer: ArrayBuffer): void {
    if (!this.curves) return;
    if (this.curves.add(decodeCurve(buffer, header))) this.onCurves.call();
    else this.subscription.restart();
  }

  private receiveEvent(header: RecordHeader, buffer: ArrayBuffer): void {
    if (this.events.some((event) => event.seq === header.seq)) return;
    const value = decodeJson(buffer, header) as { kind?: unknown; message?: unknown; label?: unknown };
    this.events.push({ seq: header.seq, time: header.time, kind: String(value.kind ?? "note"), message: String(value.message ?? ""), label: typeof value.label === "string" ? value.label : "" });
    this.onEvent.call();
  }

  private receiveEnd(header: RecordHeader, buffer: ArrayBuffer): void {
    const value = decodeJson(buffer, header) as { verdict?: unknown; message?: unknown };
    this.end = { verdict: String(value.verdict ?? ""), message: String(value.message ?? "") };
    void this.list();
    this.onEnd.call();
  }
}
