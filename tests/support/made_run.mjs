// A run made up by a test, byte by byte, and a dashboard that is served it: pages of build/web, answers of the API and the stream, without a server.
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { array, curve, frame, geometry, record } from "../../web/test/bytes.mjs";
import { root } from "./browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".webp": "image/webp" };
const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const JOB = 7;

/** A recording in memory: `bytes` by sequence number, and which of them are frames. */
export class MadeRun {
  records = [];
  frames = [];

  constructor(topology) {
    this.add(1, 0, json({ scene: {}, version: "test" }));
    this.add(2, 0, json(topology));
  }

  add(type, time, payload) {
    const seq = this.records.length + 1;
    this.records.push({ type, seq, time, payload });
    if (type === 3) this.frames.push({ seq, time, bytes: payload.byteLength });
    return this;
  }

  geometry(drawable, shape, vertices, triangles, modes = []) {
    return this.add(10, 0, geometry(drawable, shape, vertices, triangles, modes));
  }

  frame(time, blocks) {
    return this.add(3, time, frame(blocks));
  }

  curve(first, rows) {
    return this.add(4, rows.at(-1)[0], curve(first, rows));
  }

  event(time, kind, message, more = {}) {
    return this.add(5, time, json({ kind, message, ...more }));
  }

  end() {
    return this.add(7, this.records.at(-1).time, json({ verdict: "succeeded", message: "" }));
  }

  bytes(seq, stream = 0) {
    const { type, time, payload } = this.records[seq - 1];
    return Buffer.from(record(type, seq, time, payload, { stream }));
  }
}

/** A float32 array with its range in the header, as recordings have it; of one component also the range of the run. */
export function floats(field, components, values, run = null) {
  const data = Float32Array.from(values);
  const [low, high] = [[0, 0, 0], [0, 0, 0]];
  for (let i = 0; i < Math.min(3, components) && data.length > 0; i++) {
    const own = data.filter((_, k) => k % components === i);
    [low[i], high[i]] = [own.reduce((a, b) => Math.min(a, b)), own.reduce((a, b) => Math.max(a, b))];
  }
  if (components === 1) [low[1], high[1], high[2]] = [run?.[0] ?? low[0], run?.[1] ?? high[0], 1];
  return array(field, 0, components, data, low, high);
}

/** The same in 16 bits. */
export function shorts(field, components, values, run = null) {
  const view = new DataView(floats(field, components, values, run).buffer);
  const triple = (at) => [0, 1, 2].map((i) => view.getFloat64(at + 8 * i, true));
  const [low, high] = [triple(16), triple(40)];
  const q = Uint16Array.from(values, (x, k) => (high[k % components] > low[k % components] ? Math.round((65535 * (x - low[k % components])) / (high[k % components] - low[k % components])) : 0));
  return array(field, 1, components, q, low, high);
}

export const wholes = (field, values) => array(field, 2, 1, Uint32Array.from(values));

/** Lets a page show a made run as job 7. `job` adds to what the API says of it, `headlines` to its progress. */
export async function serve(page, run, job = {}, build = join(root, "build/web")) {
  const last = run.records.at(-1).time;
  const { headlines = [], ...more } = job;
  const about = {
    id: JOB, name: "made", title: "A made-up run", method: "made", state: "succeeded", created: "2026-11-22T10:00:00Z", started: "2026-11-22T10:00:00Z", ended: "2026-11-22T10:01:00Z",
    attempt: 1, max_attempts: 3, cancel_requested: false, error: null, doubts: [],
    progress: { step: 100, step_count: 100, sim_time: last, duration: last, fraction: 1, headlines, stage: null, run_seconds: 60, steps_per_second: 2, eta_seconds: 0, last_seq: run.records.length },
    estimate: { node_count: 10, counts: [{ name: "nodes", label: "Nodes", value: 10 }], memory_bytes: 1, time_step: 1e-5, time_step_rule: "", step_count: 100, frame_count: 10, record_bytes: 1, run_seconds: 60 },
    ...more,
  };
  await page.route("http://made.test/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    const api = pathname.replace(`/api/v1/jobs/${JOB}`, "");
    if (pathname === "/api/v1/jobs") return route.fulfill({ json: { jobs: [about], next_before: null, totals: { queued: 0, running: 0, paused: 0, ended: 1 } } });
    if (api === "") return route.fulfill({ json: about });
    if (api === "/frames") return route.fulfill({ json: { frames: run.frames, topology_seq: 2 } });
    if (api === "/tables") return route.fulfill({ json: about.tables ?? [] });
    if (api === "/files") return route.fulfill({ json: { files: [] } });
    if (pathname === "/api/v1/methods") return route.fulfill({ json: { methods: [{ name: "made", title: "Made", options: [] }] } });
    if (api.startsWith("/tables/") && (await route.request().headerValue("accept"))?.includes("json")) return route.fulfill({ json: { columns: [], rows: [] } });
    if (api.startsWith("/tables/")) return route.fulfill({ contentType: "text/csv", body: `of ${api}\n` });
    if (api.startsWith("/records/")) return route.fulfill({ contentType: "application/octet-stream", body: run.bytes(Number(api.slice(9))) });
    const file = join(build, pathname === "/" ? "index.html" : pathname);
    if (!existsSync(file)) return route.fulfill({ status: 404, json: { detail: `there is no ${pathname}` } });
    return route.fulfill({ contentType: TYPES[extname(file)] ?? "application/octet-stream", headers: { "Content-Security-Policy": "default-src 'self'" }, body: readFileSync(file) });
  });
  await page.routeWebSocket("ws://made.test/ws/v1", (socket) => {
    socket.send(JSON.stringify({ type: "hello" }));
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === "watch") socket.send(JSON.stringify({ type: "watching" }));
      if (message.type !== "subscribe") return;
      socket.send(JSON.stringify({ type: "subscribed", stream: message.stream, job: JOB, last_seq: run.records.length }));
      const newest = run.frames.at(-1)?.seq;
      for (const { type, seq } of run.records) if (type !== 3 || seq === newest) socket.send(run.bytes(seq, message.stream));
    });
  });
}

export const address = `http://made.test/#/jobs/${JOB}`;
