// Surfaces of fragments in the dashboard: shown instead of balls, switched, live, and saved as a file.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAt, lookAtRest, lookUntil, root, Screed, showFrame } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

/** Submits a coarse and short chocolate drop. */
async function drop(surfaces) {
  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "chocolate-drop").scene;
  scene.specimens[0].spacing = 0.02;
  scene.time = { duration: 0.025 };
  scene.output = { frame_interval: 1e-3, surfaces };
  const job = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
  assert.ok(job.id, JSON.stringify(job));
  return job.id;
}

const ended = (id) => eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of the run");

try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", acceptDownloads: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  const job = await drop(true);

  await claim("surfaces arrive in the live stream like any drawable", async () => {
    await page.goto(`${screed.url}/#/jobs/${job}`);
    await page.locator(".stage-bar").getByLabel(/^Show\b/).waitFor();
    assert.equal(await page.locator(".stage-bar").getByLabel(/^Show\b/).inputValue(), "surface");
    await eventually(async () => (await lookAt(page)).filled > 0.02, "a picture of the slab");
    await ended(job);
  });

  await claim("balls and surfaces are switched by the control and by the key", async () => {
    const show = page.locator(".stage-bar").getByLabel(/^Show\b/);
    const { frames } = await screed.json(`/api/v1/jobs/${job}/frames`);
    await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) === frames.length - 1, "the whole time line");
    await showFrame(page, frames.length - 1);
    await page.getByRole("checkbox", { name: "Rig" }).uncheck();
    await page.getByRole("button", { name: "Fit" }).click();
    const surface = await lookAtRest(page);
    await page.screenshot({ path: join(pictures, "surface.png") });
    await show.selectOption("balls");
    await lookUntil(page, [surface.sum], "a picture of balls");
    const balls = await lookAtRest(page);
    /* The same bodies either way: about as much of the picture is filled. */
    assert.ok(Math.abs(balls.filled / surface.filled - 1) < 0.25, `${balls.filled} of the picture by balls, ${surface.filled} by surfaces`);
    await page.screenshot({ path: join(pictures, "surface-balls.png") });
    await show.blur();
    await page.keyboard.press("s");
    await eventually(async () => (await show.inputValue()) === "surface", "the choice of surfaces");
    await eventually(async () => (await lookAt(page)).sum === surface.sum, "the surfaces as before");
  });

  await claim("surfaces carry the field they are coloured by, with round numbers on the bar, on a scale of choice", async () => {
    const { frames } = await screed.json(`/api/v1/jobs/${job}/frames`);
    await showFrame(page, frames.length - 1);
    await page.getByLabel("Colour by").selectOption({ label: "Nothing" });
    const plain = await lookAtRest(page);
    await page.getByLabel("Colour by").selectOption({ label: "Stress" });
    await lookUntil(page, [plain.sum], "surfaces in colours of the stress");
    const linear = await lookAtRest(page);
    assert.ok(linear.colours > 1.5 * plain.colours, `${linear.colours} colours of the stress, ${plain.colours} without`);
    assert.ok(Math.abs(linear.filled / plain.filled - 1) < 0.35, `${linear.filled} and ${plain.filled}`);
    const ticks = await page.locator(".bar-ticks span").allTextContents();
    assert.ok(ticks.length >= 3 && ticks.every((tick) => /^[0-9]+(\.[05])?$/.test(tick)), ticks.join(" "));
    await page.screenshot({ path: join(pictures, "surface-stress.png") });
    await page.locator("summary", { hasText: "Scale" }).click();
    await page.getByLabel("Logarithmic").check();
    await lookUntil(page, [linear.sum], "colours on a logarithmic scale");
    const logarithmic = await lookAtRest(page);
    await page.getByLabel(/^Colours/).selectOption("blue");
    await lookUntil(page, [linear.sum, logarithmic.sum], "another map");
    await page.getByLabel("Logarithmic").uncheck();
    const whole = await lookAtRest(page);
    await page.getByLabel(/^Range/).selectOption("fixed");
    const low = page.getByLabel("Lower end of the colours");
    await low.fill("8e5");
    await low.blur();
    await page.getByLabel("Only what is in range").check();
    await eventually(async () => (await lookAtRest(page)).filled < 0.7 * whole.filled, "only what bears more than that");
    await page.screenshot({ path: join(pictures, "surface-threshold.png") });
    await page.getByLabel("Only what is in range").uncheck();
    await page.getByLabel(/^Colours/).selectOption("even");
    await page.keyboard.press("Escape");
    await page.getByLabel("Colour by").selectOption({ label: "Fragment" });
  });

  await claim("a plain colour is shown when nothing is to colour", async () => {
    const before = await lookAtRest(page);
    await page.getByLabel("Colour by").selectOption({ label: "Nothing" });
    await eventually(async () => (await lookAt(page)).sum !== before.sum, "another picture");
    await page.getByLabel("Colour by").selectOption({ label: "Fragment" });
    await eventually(async () => (await lookAt(page)).sum === before.sum, "colours by fragment");
  });

  await claim("the surface of the frame that is shown is saved as a file", async () => {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "surface.stl" }).click();
    const download = await waiting;
    assert.match(download.suggestedFilename(), /^job-\d+-frame-\d+\.stl$/);
    const text = readFileSync(await download.path()).toString();
    assert.match(text, /^solid slab\.fragment-0\n/);
    assert.match(text, /endsolid slab\.fragment-\d+\s*$/);
  });

  await claim("a cut opens the surfaces", async () => {
    const before = await lookAtRest(page);
    await page.keyboard.press("c");
    await eventually(async () => (await lookAt(page)).filled < 0.95 * before.filled, "less of the picture filled");
    await page.keyboard.press("c");
  });

  await claim("a run without surfaces has no such control", async () => {
    const plain = await drop(false);
    await ended(plain);
    await page.goto(`${screed.url}/#/jobs/${plain}`);
    await eventually(async () => (await lookAt(page)).filled > 0.01, "a picture of balls");
    assert.equal(await page.locator(".stage-bar").getByLabel(/^Show\b/).count(), 0);
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
