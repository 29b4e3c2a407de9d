/** The live connection: one WebSocket for the whole page, kept alive, with any number of subscriptions (api/README.md).
 *
 *  A subscription survives reconnections: it asks again from the last ordered record it has seen. Frames don't count for
 *  that, as the server may send a frame ahead of older curve samples. */
import * as english from "../english/service.js";
import type { Job } from "./api.js";
import { Backoff } from "./backoff.js";
import { Listeners } from "./listeners.js";
import { decodeHeader, RecordError, RecordType, type RecordHeader } from "../recording/record.js";

export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "waiting"; until: number /** milliseconds, as Date.now() */ }
  | { state: "offline" };

export interface SubscriptionHandlers {
  /** The server begins to send, first or again. */
  started(): void;
  record(header: RecordHeader, buffer: ArrayBuffer): void;
  job(job: Job): void;
  deleted(): void;
  refused(detail: string): void;
  /** News of jobs were lost: what is shown of the job may be old. */
  stale(): void;
}

/** News of all jobs. `stale`: some may have been missed, so what is shown is to be asked for again; also said when watching begins. */
export type News = { job: Job } | { deleted: number } | { stale: true };

interface Subscription {
  stream: number;
  job: number;
  from: number;
  maxFps: number;
  points: number; /** most of a drawable in a frame, 0 for all */
  handlers: SubscriptionHandlers;
}

type ServerMessage =
  | { type: "hello" }
  | { type: "watching" }
  | { type: "resync" }
  | { type: "subscribed"; stream: number; job: number; last_seq: number }
  | { type: "job"; job: Job }
  | { type: "deleted"; job: number }
  | { type: "error"; stream?: number; detail: string };

const FRAMES_IN_FLIGHT = 2;

export class LiveStream {
  readonly onConnection = new Listeners<[Connection]>();
  private socket: WebSocket | null = null;
  private connection: Connection = { state: "connecting" };
  private readonly backoff = new Backoff();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly subscriptions = new Map<number, Subscription>();
  private readonly watchers = new Listeners<[News]>();
  private watcherCount = 0;
  private watching = false; /** the server has said on this connection that it tells of every job from now on */
  private newsCount = 0;
  private readonly heardAt = new Map<number, number>(); /** by job: newsCount when the stream last brought news of it */
  private nextStream = 1;

  constructor(private readonly url: string) {
    window.addEventListener("offline", () => this.goOffline());
    window.addEventListener("online", () => this.connect());
    this.connect();
  }

  get current(): Connection {
    return this.connection;
  }

  /** A point among the news, for toldSince. */
  get moment(): number {
    return this.newsCount;
  }

  /** Whether there was news of a job after a moment. What a request begun at that moment answered is older then, or no newer: the answer of a
   *  cancellation may well come after the news that the job has been cancelled, and nothing would come after it to put it right. */
  toldSince(job: number, moment: number): boolean {
    return (this.heardAt.get(job) ?? 0) > moment;
  }

  /** News of all jobs, the first of them `stale` once the server has confirmed that none will be missed from then on: what is asked for before
   *  may be out of date without anybody saying so. @returns a function that ends it. */
  watch(listener: (news: News) => void): () => void {
    const remove = this.watchers.add(listener);
    this.watcherCount++;
    if (this.watching) listener({ stale: true });
    else this.send({ type: "watch" });
    return () => {
      remove();
      this.watcherCount--;
    };
  }

  /** Records of one job, from the first; of points a frame has about so many of each drawable, 0 for all.
   *  @returns functions to acknowledge a drawn frame, to ask for another number of points from now on, and to end the subscription. */
  subscribe(job: number, maxFps: number, points: number, handlers: SubscriptionHandlers): { ack(seq: number): void; restart(): void; ask(points: number): void; close(): void } {
    const subscription: Subscription = { stream: this.nextStream++, job, from: 0, maxFps, points, handlers };
    this.subscriptions.set(subscription.stream, subscription);
    this.announce(subscription);
    return {
      ack: (seq) => this.send({ type: "ack", stream: subscription.stream, seq }),
      restart: () => this.restart(subscription, 0),
      ask: (wanted) => {
        subscription.points = wanted;
        this.restart(subscription, subscription.from);
      },
      close: () => {
        if (this.subscriptions.delete(subscription.stream)) this.send({ type: "unsubscribe", stream: subscription.stream });
      },
    };
  }

  /** Tries at once instead of waiting for the next attempt. */
  connect(): void {
    if (this.socket) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.say({ state: "connecting" });
    const socket = new WebSocket(this.url, "scree.v1");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => this.opened(socket));
    socket.addEventListener("close", () => this.closed(socket));
    socket.addEventListener("message", (event: MessageEvent<string | ArrayBuffer>) => {
      if (this.socket === socket) this.receive(event.data);
    });
  }

  private opened(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.say({ state: "open" });
    if (this.watcherCount > 0) this.send({ type: "watch" });
    for (const subscription of this.subscriptions.values()) this.announce(subscription);
  }

  private closed(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.watching = false;
    if (this.connection.state === "offline") return;
    const wait = this.backoff.next();
    this.say({ state: "waiting", until: Date.now() + wait });
    this.timer = setTimeout(() => this.connect(), wait);
  }

  private goOffline(): void {
    const socket = this.socket;
    this.socket = null;
    this.watching = false;
    socket?.close();
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.say({ state: "offline" });
  }

  private say(connection: Connection): void {
    this.connection = connection;
    this.onConnection.call(connection);
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private announce(subscription: Subscription): void {
    this.send({
      type: "subscribe",
      stream: subscription.stream,
      job: subscription.job,
      from: subscription.from,
      channels: ["frame", "curve", "event", "progress"],
      max_fps: subscription.maxFps,
      window: FRAMES_IN_FLIGHT,
      points: subscription.points,
    });
  }

  /** Asks for everything after a record again under a new number, so that records under way for the old one are not mistaken. */
  private restart(subscription: Subscription, from: number): void {
    if (!this.subscriptions.delete(subscription.stream)) return;
    this.send({ type: "unsubscribe", stream: subscription.stream });
    subscription.stream = this.nextStream++;
    subscription.from = from;
    this.subscriptions.set(subscription.stream, subscription);
    this.announce(subscription);
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") this.receiveText(data);
    else this.receiveRecord(data);
  }

  private receiveRecord(buffer: ArrayBuffer): void {
    let subscription: Subscription | undefined;
    try {
      const header = decodeHeader(buffer);
      subscription = this.subscriptions.get(header.stream);
      if (!subscription) return;
      subscription.handlers.record(header, buffer);
      if (header.type !== RecordType.frame && header.type !== RecordType.end) subscription.from = Math.max(subscription.from, header.seq);
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      subscription?.handlers.refused(english.recordUnread(error.message));
    }
  }

  private receiveText(text: string): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(text) as ServerMessage;
    } catch {
      return; /* Not ours to repair: the stream goes on with the next message. */
    }
    if (message.type === "hello") this.backoff.reset();
    else if (message.type === "watching") this.receiveWatching();
    else if (message.type === "resync") this.receiveResync();
    else if (message.type === "subscribed") this.subscriptions.get(message.stream)?.handlers.started();
    else if (message.type === "job") this.receiveJob(message.job);
    else if (message.type === "deleted") this.receiveDeleted(message.job);
    else if (message.type === "error" && message.stream !== undefined) this.subscriptions.get(message.stream)?.handlers.refused(message.detail);
  }

  private receiveWatching(): void {
    this.watching = true;
    this.watchers.call({ stale: true });
  }

  private receiveResync(): void {
    this.watchers.call({ stale: true });
    for (const subscription of this.subscriptions.values()) subscription.handlers.stale();
  }

  private receiveJob(job: Job): void {
    this.heardAt.set(job.id, ++this.newsCount);
    this.watchers.call({ job });
    for (const subscription of this.subscriptions.values()) if (subscription.job === job.id) subscription.handlers.job(job);
  }

  private receiveDeleted(id: number): void {
    this.heardAt.set(id, ++this.newsCount);
    this.watchers.call({ deleted: id });
    for (const subscription of [...this.subscriptions.values()]) if (subscription.job === id) subscription.handlers.deleted();
  }
}

export function streamUrl(page: Location): string {
  return `${page.protocol === "https:" ? "wss:" : "ws:"}//${page.host}/ws/v1`;
}
