// A real screed and a real Chromium for one browser test, and claims printed as TAP.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const build = resolve(root, process.env.SCREE_BUILD ?? "build");
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");

/** A port that the system gives to nobody by itself, so that a server finds it free again after it was gone for a while. */
function quietPort() {
  const lowest = Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "ascii").split(/\s+/)[0]);
  const first = Math.min(10000, lowest / 2);
  return Math.floor(first + Math.random() * (lowest - first));
}

/** One screed process on a data folder of its own. */
export class Screed {
  folder = mkdtempSync(join(tmpdir(), "scree-browser-"));
  port = 0;
  process = null;
  said = ""; // on stdout, since it was started

  /** Nobody is asked for a token unless `options` say otherwise: tests/browser/test_access.mjs does. `program`: in the build folder. */
  constructor(options = ["--no-auth"], program = "screed") {
    this.options = options;
    this.program = program;
  }

  /** Starts it, again on the same data and the same port after kill(). */
  async start() {
    const known = this.port !== 0;
    for (let k = 0; ; k++) {
      try {
        return await this.begin(known ? this.port : quietPort());
      } catch (error) {
        if (known || k === 20) throw error; // somebody else's port: another one
      }
    }
  }

  async begin(port) {
    const options = ["--data", join(this.folder, "data"), "--port", String(port), "--checkpoint-seconds", "1", "--lease-seconds", "3600", ...this.options];
    this.process = spawn(join(build, this.program), options, { env: { ...process.env, XDG_STATE_HOME: join(this.folder, "state") }, stdio: ["ignore", "pipe", "inherit"] });
    this.said = "";
    await new Promise((done, failed) => {
      this.process.stdout.on("data", (text) => {
        this.said += text;
        const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(this.said);
        if (found) {
          this.port = Number(found[1]);
          done();
        }
      });
      this.process.once("error", failed);
      this.process.once("exit", (code) => failed(new Error(`screed ended with ${code} instead of listening: ${this.said}`)));
    });
    return this;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async json(path, options) {
    const response = await fetch(this.url + path, options);
    return response.json();
  }

  /** What a power cut does to it. */
  async kill(signal = "SIGKILL") {
    const process = this.process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = new Promise((done) => process.once("exit", done));
    process.kill(signal);
    await gone;
  }

  /** Process ids of the workers that run its jobs. */
  workers() {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return /^[^\0]*scree-worker\0/.test(command) && command.includes(this.folder) && !command.includes("\0--tasks\0");
      } catch {
        return false; // it has ended
      }
    });
  }

  /** Holds the workers where they are, so that they take no processors from what is tested, until thaw() or close(). Whether there was one. */
  freeze() {
    const pids = this.workers();
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    return pids.length > 0;
  }

  thaw() {
    for (const pid of this.workers()) process.kill(pid, "SIGCONT");
  }

  async close() {
    this.thaw();
    const late = setTimeout(() => this.process?.kill("SIGKILL"), 30000);
    await this.kill("SIGTERM");
    clearTimeout(late);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/* What Playwright turns off (chromiumSwitches.js), as the last list of this option counts; and pages of the browser's own address bar, which every window
 * made, for one to two seconds of a processor. */
const DISABLED = ["AcceptCHFrame", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "Translate", "AutoDeElevate", "RenderDocument", "OptimizationHints",
  "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"];
const FLAGS = [`--disable-features=${DISABLED.join(",")}`, "--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** How long anything may take before it counts as hanging, in ms. No claim is about speed, and machines differ by a factor of ten and more. */
export const PATIENCE_MS = Number(process.env.SCREE_PATIENCE_MS ?? 180000);

/** Chromium without its windows, which shows pages alike for a third less of a processor; else the whole of it. */
const [SHELL, WHOLE] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const browsers = [];

/** A browser whose pages wait with that patience for whatever they are asked for. `whole`: as users have it, also where the shell is there. */
export async function launchBrowser({ whole = false } = {}) {
  const program = process.env.SCREE_CHROMIUM ?? (!whole && existsSync(SHELL) ? SHELL : WHOLE);
  const browser = await chromium.launch({ executablePath: program, args: FLAGS, timeout: PATIENCE_MS });
  const [newContext, newPage] = [browser.newContext.bind(browser), browser.newPage.bind(browser)];
  const patient = (made) => (made.setDefaultTimeout(PATIENCE_MS), made);
  browsers.push(browser);
  browser.newContext = async (options) => patient(await newContext(options));
  browser.newPage = async (options) => patient(await newPage(options));
  return browser;
}

let cases = 0;
let failures = 0;

/** What open pages show, in a line each: it often tells why a claim failed. */
async function shown() {
  const pages = browsers.flatMap((browser) => browser.contexts()).flatMap((context) => context.pages());
  const late = new Promise((resolve) => setTimeout(resolve, 5000, "does not answer").unref());
  const text = (page) => Promise.race([late, page.evaluate(() => document.querySelector("main")?.innerText.replace(/\s+/g, " ").slice(0, 300)).catch((error) => error.message)]);
  return Promise.all(pages.map(async (page) => `${page.url()} shows: ${await text(page)}`));
}

/** Runs one claim and prints its line. Later claims go on, as they often tell why this one failed. */
export async function claim(text, check) {
  const begun = Date.now();
  try {
    await check();
    console.log(`ok ${++cases} - ${text}`);
  } catch (error) {
    failures++;
    console.log(`not ok ${++cases} - ${text}`);
    console.log(`# ${[String(error.stack ?? error), ...(await shown())].join("\n").split("\n").join("\n# ")}`);
  }
  console.log(`# took ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}

export function finish() {
  console.log(`1..${cases}`);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** Starts a run of `scene` in steps so short that it never ends within a test, and waits until it runs: every job behind it then waits, however slow
 *  the browser and however quick the worker is. screed must have one slot, as it has by default. Its worker is held there; screed.thaw() lets it go on,
 *  so that it can be cancelled. Returns the job's number. */
export async function block(screed, scene) {
  const headers = { "Content-Type": "application/json" };
  const { id } = await screed.json("/api/v1/jobs", { method: "POST", headers, body: JSON.stringify({ ...scene, name: "blocker", time: { ...scene.time, time_step: 1e-10 } }) });
  await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "running", "a run that keeps the others waiting");
  await eventually(() => screed.freeze(), "its worker"); // some milliseconds later
  return id;
}

/** Unfolds all parts of the composer's form, which this browser then keeps to. */
export async function unfold(page) {
  const button = page.locator(".fold-all");
  if ((await button.textContent()) === "Unfold all") await button.click();
}

/** Waits until the page of an ended job plots all samples that the server has of it. */
export async function plotWhole(page, screed, id) {
  const { samples } = await screed.json(`/api/v1/jobs/${id}/curves`);
  const label = page.locator(".plot canvas");
  await eventually(async () => new RegExp(`, ${samples.length} samples`).test((await label.getAttribute("aria-label")) ?? ""), `all ${samples.length} samples`);
}

/** Moves the time line to a frame, the first being 0, and waits until that frame is shown. */
export async function showFrame(page, frame) {
  await page.getByRole("slider", { name: "Time shown" }).fill(String(frame));
  await eventually(async () => new RegExp(` · ${frame + 1}/`).test(await page.locator(".timeline .time").textContent()), `frame ${frame + 1} shown`);
}

/** Waits until `probe` gives something true, and returns it. */
export async function eventually(probe, what, timeout_ms = PATIENCE_MS) {
  const end = Date.now() + timeout_ms;
  let last;
  for (let pause_ms = 50; ; pause_ms = Math.min(1.5 * pause_ms, 500)) { // seldom, where it lasts: a probe takes processors from what it waits for
    last = await probe();
    if (last) return last;
    if (Date.now() > end) throw new Error(`${what}: not within ${timeout_ms / 1000} s (last: ${JSON.stringify(last)})`);
    await new Promise((done) => setTimeout(done, pause_ms));
  }
}

/** A picture of the 3D view in numbers: how many pixels differ from the background, where their centre is, how many colours there are. */
export async function lookAt(page) {
  const canvas = page.locator(".view3d > canvas");
  const png = (await eventually(() => canvas.screenshot().catch((error) => /not attached/.test(error.message) ? null : Promise.reject(error)), "a view that stays")).toString("base64"); // a view that is made anew leaves the page
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const back = [data[4 * (width * 40 + 8)], data[4 * (width * 40 + 8) + 1], data[4 * (width * 40 + 8) + 2]];
    const known = new Uint8Array(1 << 21); // a bit for each colour
    let [filled, x, y, colours] = [0, 0, 0, 0];
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) {
      const far = Math.abs(data[i] - back[0]) + Math.abs(data[i + 1] - back[1]) + Math.abs(data[i + 2] - back[2]);
      const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      const bit = 1 << (colour & 7);
      if (!(known[colour >> 3] & bit)) {
        known[colour >> 3] |= bit;
        colours++;
      }
      sum = (Math.imul(sum, 31) + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) | 0;
      if (far < 90) continue;
      filled++;
      x += (i / 4) % width;
      y += Math.floor(i / 4 / width);
    }
    return { filled: filled / (width * height), x: x / filled / width, y: y / filled / height, colours, sum };
  }, png);
}

/** Waits until the 3D view shows a picture that is none of those whose sums are given, and for which `when(look)`; returns lookAt's numbers of it. */
export async function lookUntil(page, sums, what, when = () => true) {
  return eventually(async () => {
    const look = await lookAt(page);
    return !sums.includes(look.sum) && when(look) && look;
  }, what);
}

/** Waits until the 3D view has come to rest: three pictures in a row are the same, with some of the page's own frames between them, as a busy machine
 *  shows what a size or a wheel asks for a good while later. Returns lookAt's numbers of it. */
export async function lookAtRest(page) {
  let [before, same] = [await lookAt(page), 0];
  return eventually(async () => {
    for (let k = 0; k < 4; k++) await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
    const look = await lookAt(page);
    same = look.sum === before.sum ? same + 1 : 0;
    before = look;
    return same >= 2 && look;
  }, "a picture at rest");
}

/** Turns the mouse's wheel over a place of the page, and waits until the page has had all of it: Chromium hands events on later, some of them as one. */
export async function turnWheel(page, [x, y], notch, notches) {
  await page.mouse.move(x, y);
  await page.evaluate(() => {
    window.turned = 0;
    window.countTurns = (event) => (window.turned += event.deltaY);
    window.addEventListener("wheel", window.countTurns, { capture: true, passive: true });
  });
  for (let k = 0; k < notches; k++) await page.mouse.wheel(0, notch);
  await eventually(() => page.evaluate((all) => window.turned === all, notch * notches), "a wheel that was turned");
  await page.evaluate(() => window.removeEventListener("wheel", window.countTurns, { capture: true }));
}

/** What the label would say all over the 3D view: a map from each first line of it to the middle of where it was seen, as a place on the page. Asks
 *  the page itself in one go, with a pointer for which no time passes between coming and resting. */
export async function labelsOf(page) {
  const found = await page.locator(".view3d > canvas").evaluate((canvas) => {
    const label = canvas.parentElement.querySelector(".hover-label");
    const box = canvas.getBoundingClientRect();
    const later = window.setTimeout;
    const seen = {};
    window.setTimeout = (act) => (act(), 0);
    try {
      for (let y = 0.1; y < 0.95; y += 0.02) {
        for (let x = 0.05; x < 0.97; x += 0.02) {
          const at = { clientX: Math.round(box.x + x * box.width), clientY: Math.round(box.y + y * box.height) };
          canvas.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", ...at }));
          if (!label.hidden) (seen[label.querySelector("p").textContent] ??= []).push([at.clientX, at.clientY]);
        }
      }
      canvas.dispatchEvent(new PointerEvent("pointerleave"));
    } finally {
      window.setTimeout = later;
    }
    return seen;
  });
  return new Map(Object.entries(found).map(([title, places]) => [title, places[Math.floor(places.length / 2)]]));
}

/** The label of the first thing whose first line is like `title`, of those that labelsOf found: as it comes when the mouse rests there. */
export async function hoverOver(page, labels, title) {
  const known = [...labels].find(([line]) => title.test(line));
  if (!known) throw new Error(`nothing called ${title} among ${[...labels.keys()].slice(0, 40).join("; ")}`);
  await page.mouse.move(...known[1]);
  const label = page.locator(".hover-label");
  return eventually(async () => (await label.isVisible()) && (await label.innerText()).startsWith(known[0]) && label.innerText(), `the label of ${known[0]}`);
}
