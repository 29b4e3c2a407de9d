// What the dashboard costs a browser, in Chromium with software rendering on the machine of the run: decoding and drawing 100,000 points, memory
// while 2,000 frames are replayed, pictures a second while 195,000 points are turned and while a list of a million jobs is scrolled, the bytes of the
// page and the time to its first view. `make bench-web` writes tests/reports/bench/WEB.md.
//
//   node bench_web.mjs [page] [points] [turn] [replay] [list]      JOBS_STORED=1000000 jobs of the list, FRAMES=2000 of the replay
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, eventually, launchBrowser, Screed } from "../support/browser.mjs";
import { address, MadeRun, serve, shorts } from "../support/made_run.mjs";
import { load } from "../../web/test/modules.mjs";

const parts = process.argv.length > 2 ? process.argv.slice(2) : ["page", "points", "turn", "replay", "list"];
const JOBS = Number(process.env.JOBS_STORED ?? 1e6);
const FRAMES = Number(process.env.FRAMES ?? 2000);
const SCROLL_SECONDS = 6;
const PICTURES = 10;
const PYTHON = "/usr/bin/python3";

const field = (name, unit, components) => ({ name, unit, components, encoding: "uint16" });

/** A cube of points whose load moves along with time, in so many frames that share eight payloads. */
function cube(edge, frames) {
  const at = [];
  for (let i = 0; i < edge; i++) for (let j = 0; j < edge; j++) for (let k = 0; k < edge; k++) at.push(i / edge, j / edge, k / edge);
  const many = at.length / 3;
  const run = new MadeRun({ drawables: [{ id: 0, kind: "points", name: "points", element_count: many, radius: 0.5 / edge, fields: [field("position", "m", 3), field("load", "1", 1)] }], series: [], bounds: { minimum: [0, 0, 0], maximum: [1, 1, 1] } });
  for (let f = 0; f < Math.min(8, frames); f++) run.frame(f, [{ drawable: 0, elements: many, arrays: [shorts(0, 3, at.map((x) => x + 0.01 * f)), shorts(1, 1, Array.from({ length: many }, (_, i) => ((i + 13 * f) % 100) / 100))] }]);
  const payloads = run.records.filter(({ type }) => type === 3).map(({ payload }) => payload);
  for (let f = 8; f < frames; f++) run.add(3, f, payloads[f % 8]);
  return { run: run.end(), many };
}

const row = (what, value) => console.log(`| ${what} | ${value} |`);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function page(browser) {
  const folder = join(build, "web/assets");
  const size = (pattern) => readdirSync(folder).filter((name) => pattern.test(name)).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
  row("all scripts and styles, gzipped", `${(size(/\.(js|css)$/) / 1000).toFixed(0)} kB`);
  const screed = await new Screed().start();
  try {
    const took = [];
    for (let k = 0; k < PICTURES; k++) {
      const context = await browser.newContext({ viewport: { width: 1366, height: 768 } }); // nothing kept from before
      const page = await context.newPage();
      const begun = performance.now();
      await page.goto(`${screed.url}/#/`, { waitUntil: "commit" });
      await page.getByRole("heading", { name: "Jobs" }).waitFor();
      took.push(performance.now() - begun);
      await context.close();
    }
    row("first view of the list of jobs on loopback, nothing cached", `${median(took).toFixed(0)} ms`);
  } finally {
    await screed.close();
  }
}

/** The view is turned by hand for some seconds; each picture counted is finished. */
async function turn(browser) {
  const { run, many } = cube(58, 1);
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  await serve(page, run);
  await page.goto(address);
  const box = await page.locator(".view3d > canvas").boundingBox();
  await page.evaluate(() => {
    const canvas = document.querySelector(".view3d > canvas");
    const gl = canvas.getContext("webgl2");
    window.finished = 0;
    let before = canvas.parentElement.dataset.pictures;
    const look = () => {
      if (canvas.parentElement.dataset.pictures !== before) {
        before = canvas.parentElement.dataset.pictures;
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        window.finished++;
      }
      requestAnimationFrame(look);
    };
    look();
  });
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const drag = async (seconds) => {
    const [from, begun] = [await page.evaluate(() => window.finished), performance.now()];
    for (let k = 0; performance.now() < begun + 1000 * seconds; k++) {
      await page.mouse.move(x + 150 * Math.sin(k / 20), y);
      await page.waitForTimeout(16);
    }
    return ((await page.evaluate(() => window.finished)) - from) / ((performance.now() - begun) / 1000);
  };
  await drag(3); // until the detail has found its level
  const rate = await drag(SCROLL_SECONDS);
  row(`turn ${many} points by hand, at the detail the view chooses (level ${await page.locator(".view3d").getAttribute("data-detail")} of 4)`, `${rate.toFixed(1)} pictures a second`);
  await page.mouse.up();
  await page.close();
}

async function points(browser) {
  const { run, many } = cube(58, 1);
  const { decodeFrame, decodeHeader } = await load("recording/record.ts");
  const times = Array.from({ length: 40 }, () => {
    const bytes = run.bytes(3);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const begun = performance.now();
    decodeFrame(buffer, decodeHeader(buffer));
    return performance.now() - begun;
  });
  row(`decode a frame of ${many} points, for each 100,000`, `${((1e5 / many) * median(times)).toFixed(3)} ms`);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await serve(page, run);
  await page.goto(address);
  await page.locator(".view3d > canvas").waitFor();
  const took = [];
  for (let k = 0; k < PICTURES; k++)
    took.push(
      await page.evaluate(async () => {
        const canvas = document.querySelector(".view3d > canvas");
        const gl = canvas.getContext("webgl2");
        const view = canvas.parentElement;
        const before = view.dataset.pictures;
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true }));
        const begun = performance.now();
        while (view.dataset.pictures === before) await new Promise((done) => requestAnimationFrame(done));
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // until it is finished
        return performance.now() - begun;
      }),
    );
  row(`draw ${many} points in full, ${await page.locator(".view3d > canvas").evaluate(({ width, height }) => `${width} x ${height}`)} pixels, for each 100,000`, `${((1e5 / many) * median(took)).toFixed(0)} ms`);
  await page.close();
}

async function replay(browser) {
  const { run, many } = cube(28, FRAMES);
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  const session = await page.context().newCDPSession(page);
  const held = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
  };
  await serve(page, run);
  await page.goto(address);
  const slider = page.getByRole("slider", { name: "Time shown" });
  await eventually(async () => Number(await slider.getAttribute("max")) === FRAMES - 1, "the whole time line");
  const shown = async (frame) => {
    await slider.fill(String(frame));
    await eventually(async () => new RegExp(` · ${frame + 1}/`).test(await page.locator(".timeline .time").textContent()), "a frame");
  };
  await shown(0);
  const [first, begun] = [await held(), Date.now()];
  let middle = 0;
  for (let frame = 1; frame < FRAMES; frame++) {
    await page.evaluate((value) => {
      const input = document.querySelector('input[aria-label="Time shown"]');
      input.value = String(value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, frame);
    if (frame % 50 === 0) await shown(frame);
    if (frame === Math.floor(FRAMES / 2)) middle = await held();
  }
  await shown(FRAMES - 1);
  row(`JavaScript memory before a replay of ${FRAMES} frames of ${many} points, half way, after`, `${first.toFixed(0)}, ${middle.toFixed(0)}, ${(await held()).toFixed(0)} MB in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  await page.close();
}

/* Rows as a laboratory leaves them, made by SQL: of ten jobs one failed and nine succeeded. */
const FILL = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("PRAGMA synchronous = OFF")
db.execute("""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO job (id, name, title, method, priority, state, created, started, ended, max_attempts, node_count, counts,
memory_bytes, time_step, time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, tags)
SELECT i, 'trial-' || (i % 97), 'Crush sample ' || i || ' of batch ' || (i % 1000), iif(i % 2, 'peridem', 'bdem'), 0,
iif(i % 10 = 1, 'failed', 'succeeded'), i, i, i, 3, 1000, '[]', 1e6, 1e-6, 'bond', 1000, 10, 1e6, 10, '{}' FROM n""", (int(sys.argv[2]),))
db.execute("INSERT INTO submission (job, scene, effective) SELECT id, '', '{}' FROM job")
db.execute("INSERT INTO job_text (job_text) VALUES ('rebuild')")
db.commit()
`;

async function list(browser) {
  const screed = await new Screed().start();
  try {
    await screed.kill("SIGTERM");
    const filled = spawnSync(PYTHON, ["-c", FILL, join(screed.folder, "data/scree.db"), String(JOBS)], { encoding: "utf8" });
    if (filled.status !== 0) throw new Error(filled.stderr);
    await screed.start();
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
    await page.goto(`${screed.url}/#/jobs?state=succeeded`);
    await page.locator("[data-job]").first().waitFor();
    await page.evaluate(() => {
      window.times = [];
      const look = (now) => (window.times.push(now), requestAnimationFrame(look));
      requestAnimationFrame(look);
    });
    await page.mouse.move(683, 500);
    const end = Date.now() + 1000 * SCROLL_SECONDS;
    while (Date.now() < end) {
      await page.mouse.wheel(0, 300);
      await page.waitForTimeout(16);
    }
    const { times, rows } = await page.evaluate(() => ({ times: window.times, rows: document.querySelectorAll("[data-job]").length }));
    const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
    row(`scroll a list of ${JOBS} jobs for ${SCROLL_SECONDS} s, ${rows} of them in the page at last`, `${((1000 * gaps.length) / (times.at(-1) - times[0])).toFixed(0)} pictures a second, one in a hundred later than ${gaps[Math.floor(0.99 * gaps.length)].toFixed(0)} ms`);
    await page.close();
  } finally {
    await screed.close();
  }
}

const browser = await launchBrowser();
try {
  console.log("# What the dashboard costs a browser\n");
  console.log("Made by `make bench-web`; the head of `tests/bench/bench_web.mjs` says what is measured. Chromium without a window and without a graphics");
  console.log("processor: a program draws.\n");
  console.log("| what | measured |\n|---|---|");
  for (const part of parts) await { page, points, turn, replay, list }[part](browser);
} finally {
  await browser.close();
}
