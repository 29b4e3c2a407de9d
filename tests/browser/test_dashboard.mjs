// Drives the dashboard in a real browser against a real screed: what a person does from the empty page to the saved curve.
// Pictures go to build/screenshots; the one for the README to $SCREE_SCREENSHOT (default build/screenshots/dashboard.png).
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAt, lookAtRest, lookUntil, root, Screed, unfold } from "../support/browser.mjs";

const SCENE = "hollow-sphere-crush";
const pictures = join(root, "build/screenshots");
const readmePicture = process.env.SCREE_SCREENSHOT ?? join(pictures, "dashboard.png");
mkdirSync(pictures, { recursive: true });
mkdirSync(dirname(readmePicture), { recursive: true });

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = []; // what the browser's console objects to; expected while the server is killed
let serverGone = false;

async function openPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("dialog", (dialog) => dialog.accept());
  page.on("console", (message) => {
    if (message.type() !== "error" || serverGone) return;
    if (/status of (404|409|422)/.test(message.text())) return; // refusals are answers; the claims below look at them
    complaints.push(`console: ${message.text()}`);
  });
  return page;
}

const state = (page) => page.locator(".job-head .badge").textContent();
const shownTime = (page) => page.locator(".timeline .time").textContent();
const samples = async (page) => Number(/(\d+) samples/.exec((await page.locator(".plot canvas").getAttribute("aria-label")) ?? "")?.[1] ?? 0);
const frames = async (page) => Number(/\/(\d+)$/.exec(await shownTime(page))?.[1] ?? 0);
const step = async (page) => Number(/^[\d\u202f]+/.exec(await page.locator(".numbers dd").nth(4).textContent())?.[0].replace(/\u202f/g, "") ?? 0);
const timeSlider = (page) => page.getByRole("slider", { name: "Time shown" });
const connection = (page) => page.locator(".connection").getAttribute("data-state");
const idOf = (page) => Number(/#\/jobs\/(\d+)/.exec(page.url())?.[1]);

/** Holds answers to requests of that kind back until the page has seen what they did, as happens on a busy machine; then lets them in. */
async function withLateAnswers(page, verb, act) {
  const release = await holdAnswers(page, verb);
  await act();
  await release();
}

/** Begins to hold them back. @returns what lets them in and ends it */
async function holdAnswers(page, verb) {
  const pattern = `**/api/v1/jobs/*/${verb}`;
  const held = [];
  let open = false;
  await page.route(pattern, async (route) => {
    try {
      const answer = await route.fetch({ maxRetries: 2 }); // a kept connection may be closed by the server just then
      if (open) await route.fulfill({ response: answer });
      else held.push(() => route.fulfill({ response: answer }));
    } catch {
      await route.abort(); // no server: `act` finds out
    }
  });
  return async () => {
    await eventually(async () => held.length > 0, `an answer to ${verb}`);
    open = true; // what is asked for from now on comes at once
    for (const release of held) await release();
    await page.waitForTimeout(500); // for the page to take them in
    await page.unroute(pattern);
  };
}

async function goesOn(page) {
  const [s0, f0] = [await samples(page), await frames(page)];
  await eventually(async () => (await samples(page)) > s0 && (await frames(page)) > f0, `more samples than ${s0} and more frames than ${f0}`);
}

/** Makes the next run that the page submits a coarse one, of which a test has all that it looks for; the README's picture is of the gallery's own. */
async function coarsenNextRun(page) {
  if (process.env.SCREE_SCREENSHOT) return;
  let coarsened = false;
  await page.route("**/api/v1/jobs", async (route) => {
    if (coarsened || route.request().method() !== "POST") return route.fallback();
    coarsened = true;
    const body = route.request().postDataJSON();
    const scene = body.scene ?? body;
    scene.specimens[0].spacing *= 1.5;
    scene.options.horizon *= 1.5;
    await route.continue({ postData: JSON.stringify(body) });
  });
}

const page = await openPage();
try {
  await claim("an empty lab shows a newcomer one thing to press", async () => {
    await page.goto(screed.url);
    await page.getByRole("button", { name: "Crush a hollow sphere" }).waitFor();
    await eventually(async () => (await connection(page)) === "open", "connected");
    await page.screenshot({ path: join(pictures, "empty.png") });
  });

  /* The list of frames that the page asks for first comes after the end of the run: it is not taken for the whole. */
  let releaseFrames;
  await claim("pressing it leads to a run with live frames and a growing curve", async () => {
    await coarsenNextRun(page);
    releaseFrames = await holdAnswers(page, "frames");
    await page.getByRole("button", { name: "Crush a hollow sphere" }).click();
    await page.waitForURL(/#\/jobs\/1$/);
    await page.locator(".view3d > canvas").waitFor();
    await eventually(async () => (await samples(page)) > 0 && (await frames(page)) > 1, "samples and frames");
    await page.getByRole("heading", { level: 1 }).filter({ hasText: /sphere/i }).waitFor();
  });

  await claim("the grain stands in the middle of the 3D view, shaded", async () => {
    await eventually(async () => {
      const look = await lookAt(page);
      return look.filled > 0.04 && look.colours > 200 && Math.abs(look.x - 0.5) < 0.15 && Math.abs(look.y - 0.5) < 0.2;
    }, "a picture of the grain in the middle");
    await page.screenshot({ path: join(pictures, "running.png") });
  });

  await claim("the run ends as succeeded with its numbers shown", async () => {
    await eventually(async () => (await state(page)) === "Succeeded", "the end of the run", 600000);
    await releaseFrames();
    const numbers = await page.locator(".numbers").innerText();
    assert.match(numbers, /Peak force\s+[\d.]+\u202f?[µmk]?N/);
    assert.match(numbers, /Broken bonds\s+\d/);
  });

  await claim("scrubbing shows earlier moments, also those skipped while live", async () => {
    const job = await screed.json("/api/v1/jobs/1/frames");
    await eventually(async () => (await frames(page)) === job.frames.length, "all frames on the time line");
    const slider = timeSlider(page);
    const before = await lookAtRest(page);
    await slider.fill("0");
    await eventually(async () => /^0\u202fs/.test(await shownTime(page)), "the first frame");
    const first = await eventually(async () => { const look = await lookAt(page); return look.sum !== before.sum && look; }, "another picture");
    await slider.fill(String(Math.floor(job.frames.length / 2)));
    await eventually(async () => (await lookAt(page)).sum !== first.sum, "a third picture");
  });

  await claim("keys step, play and pause", async () => {
    await page.locator("main").focus();
    const at = await shownTime(page);
    await page.keyboard.press("ArrowRight");
    await eventually(async () => (await shownTime(page)) !== at, "one frame on");
    await page.keyboard.press("Home");
    await eventually(async () => /^0\u202fs/.test(await shownTime(page)), "the first frame");
    for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowRight"); /* faster than frames come */
    await eventually(async () => Number(await timeSlider(page).inputValue()) === 5, "five frames on");
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await eventually(async () => Number(await timeSlider(page).inputValue()) > 3, "playing");
    await page.keyboard.press(" ");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  });

  await claim("every scalar field of the topology colours the grain, with its legend", async () => {
    await page.keyboard.press("End");
    const select = page.getByLabel("Colour by");
    const names = await select.locator("option").allTextContents();
    assert.ok(names.length >= 3, names.join(", "));
    const sums = [];
    for (const [i, name] of names.slice(0, -1).entries()) {
      await select.selectOption(String(i));
      await eventually(async () => (await page.locator(".legend").innerText()).includes(name), `legend of ${name}`);
      sums.push((await lookUntil(page, sums, `the colours of ${name}`)).sum);
    }
    await select.selectOption("0");
  });

  await claim("the clip plane cuts the grain open", async () => {
    const whole = await lookAtRest(page);
    await page.getByRole("checkbox", { name: "Clip" }).check();
    await lookUntil(page, [whole.sum], "a cut");
    const cut = await lookAtRest(page);
    await page.getByLabel("Position of the cut").fill("0.3");
    await lookUntil(page, [cut.sum], "another cut");
    await page.getByLabel("Position of the cut").fill("0.5");
    await page.screenshot({ path: join(pictures, "clipped.png") });
  });

  await claim("clicking the curve moves the picture to that moment", async () => {
    const at = await shownTime(page);
    const box = await page.locator(".plot canvas").boundingBox();
    let i = 0; // the curve is somewhere on the way; the frame may take a while
    await eventually(async () => {
      if ((await shownTime(page)) !== at) return true;
      await page.mouse.click(box.x + 56 + (box.width - 70) * ((1 + (i++ % 19)) / 20), box.y + box.height * 0.55);
      return false;
    }, "another moment");
  });

  await claim("any series can be plotted against any other", async () => {
    await page.getByLabel("Vertical axis").selectOption({ index: 0 });
    await page.getByLabel("Horizontal axis").selectOption({ index: 1 });
    await eventually(async () => /^Time against/.test((await page.locator(".plot canvas").getAttribute("aria-label")) ?? ""), "the other plot");
    await page.getByLabel("Which plot").selectOption("0");
  });

  await claim("the job's files and the plot can be saved", async () => {
    const save = async (name) => {
      const waiting = page.waitForEvent("download");
      await page.locator(".downloads, .exports").getByText(name, { exact: true }).click();
      return readFileSync(await (await waiting).path());
    };
    assert.match((await save("curves.csv")).toString(), /^[^\n]*time/i);
    assert.match((await save("breaks.csv")).toString(), /^time \[s\],step \[1\]/);
    assert.match((await save("plot.svg")).toString(), /<svg/);
    assert.equal(JSON.parse((await save("scene.json")).toString()).name, SCENE);
    assert.equal((await save("recording.scree")).subarray(0, 5).toString("latin1"), "SCREE");
    assert.match((await save("SVG")).toString(), /<polyline/);
    assert.ok((await save("CSV")).toString().split("\n").length > 10);
    assert.equal((await save("PNG")).subarray(1, 4).toString("latin1"), "PNG");
  });

  await claim("a page opened after the end replays the run", async () => {
    const late = await openPage({ colorScheme: "light" });
    await late.goto(`${screed.url}/#/jobs/1`);
    await late.locator(".view3d > canvas").waitFor();
    const all = await samples(page);
    await eventually(async () => (await samples(late)) === all, "all samples");
    await late.getByRole("button", { name: "Play", exact: true }).click();
    await eventually(async () => Number(await timeSlider(late).inputValue()) > 2, "playing");
    await late.screenshot({ path: join(pictures, "light.png") });
    await late.context().close();
  });

  await claim("a phone shows everything without scrolling sideways", async () => {
    const phone = await openPage({ viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    for (const address of ["#/", "#/jobs/1", `#/new/${SCENE}`]) {
      await phone.goto(`${screed.url}/${address}`);
      await phone.locator(address === "#/" ? "[data-job]" : address === "#/jobs/1" ? ".view3d > canvas" : ".check-ok").first().waitFor();
      const { wide, narrow } = await phone.evaluate(() => ({ wide: document.scrollingElement.scrollWidth, narrow: innerWidth }));
      assert.ok(wide <= narrow, `${address}: ${wide} > ${narrow}`);
      if (address === "#/jobs/1") await phone.screenshot({ path: join(pictures, "phone.png"), fullPage: true });
    }
    await phone.context().close();
  });

  await claim("the form shows the server's message at the field it refuses", async () => {
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await unfold(page);
    const radius = page.locator('[data-pointer="/specimens/0/shape/radius"]');
    const input = radius.locator("input");
    const given = await input.inputValue();
    await input.fill("-1");
    await radius.locator(".problem").filter({ hasText: /radius/ }).waitFor();
    assert.equal(await input.getAttribute("aria-invalid"), "true");
    await page.screenshot({ path: join(pictures, "refused.png") });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".toast").waitFor();
    assert.match(page.url(), /#\/new\//);
    await input.fill(given);
    await page.locator(".check-ok").waitFor();
    assert.equal(await input.getAttribute("aria-invalid"), null);
  });

  await claim("the check tells nodes, bonds, memory, time step, steps and run time", async () => {
    await page.getByRole("button", { name: "Check" }).click();
    await page.locator(".check-ok").waitFor();
    const text = await page.locator(".check").innerText();
    for (const name of ["Nodes", "Bonds", "Memory", "Time step", "Steps", "Run time"]) assert.match(text, new RegExp(`${name}[^\\n]*\\n[^\\n]*\\d`), name);
    await page.screenshot({ path: join(pictures, "form.png") });
  });

  await claim("adding, changing and removing parts keeps the keyboard's place", async () => {
    const list = page.locator('[data-pointer="/specimens"] > .part-body');
    const focus = () => page.evaluate(() => document.activeElement.tagName + " " + document.activeElement.dataset.keep);
    await list.locator("> button").click();
    await page.locator('[data-pointer="/specimens/1"]').waitFor();
    assert.equal(await focus(), "BUTTON /specimens");
    const kind = page.locator('[data-pointer="/specimens/1/shape"] select').first();
    await kind.focus();
    await kind.selectOption("box");
    await page.locator('[data-pointer="/specimens/1/shape/size"]').waitFor();
    assert.equal(await focus(), "SELECT /specimens/1/shape");
    await page.locator('[data-pointer="/specimens/1/shape/size"] .problem').filter({ hasText: /size is 0/ }).waitFor(); // the rest is as of the one before
    await page.getByRole("button", { name: /Remove Specimen 2/ }).click();
    await page.locator('[data-pointer="/specimens/1"]').waitFor({ state: "detached" });
    await page.locator(".check-ok").waitFor();
  });

  await claim("form and JSON are one scene", async () => {
    await page.locator('[data-pointer="/title"] input').fill("A long crush");
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = page.getByLabel("The scene as JSON");
    const scene = JSON.parse(await editor.inputValue());
    assert.equal(scene.title, "A long crush");
    await editor.fill("{ not JSON");
    await page.locator(".json-editor .problem").waitFor();
    // The same physics in steps 4000 times shorter, with frames and samples as often by the clock as in steps 40 times shorter: it has no end before it
    // is cancelled below, however slow the browser and however quick the worker is.
    const { estimate } = await screed.json("/api/v1/scenes/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
    scene.time.time_step = estimate.time_step / 4000;
    scene.output = { ...scene.output, frame_interval: scene.time.duration / 1e5, sample_interval: scene.time.duration / 4e5 };
    scene.name = "long-crush";
    await editor.fill(JSON.stringify(scene));
    await page.getByRole("tab", { name: "Form" }).click();
    await eventually(async () => (await page.locator('[data-pointer="/name"] input').inputValue()) === "long-crush", "the name in the form");
    await page.locator(".check-ok").waitFor();
  });

  await claim("a scene submitted through the form runs and is watched live", async () => {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/#\/jobs\/2$/);
    await eventually(async () => (await state(page)) === "Running", "running");
    await eventually(async () => (await frames(page)) > 2, "frames");
    await goesOn(page);
  });

  await claim("after a reload in mid-run the curve is whole and goes on", async () => {
    const before = await samples(page);
    await page.reload();
    await eventually(async () => (await samples(page)) >= before, "the samples from before");
    await goesOn(page);
    await eventually(async () => (await state(page)) === "Running", "running");
  });

  await claim("scrubbing back in mid-run stays there, and Live follows the run again", async () => {
    await timeSlider(page).fill("1");
    let at = "";
    await eventually(async () => {
      const [time, frame] = (await shownTime(page)).split(" · ");
      const settled = time === at && /^2\//.test(frame); // the frame is fetched before its time shows
      at = time;
      return settled;
    }, "the second frame");
    await goesOn(page);
    assert.equal((await shownTime(page)).split(" · ")[0], at);
    await page.getByRole("button", { name: "Live" }).click();
    await eventually(async () => Number(await timeSlider(page).inputValue()) > 2, "the newest frame");
  });

  await claim("a pause holds the run and a resume lets it go on", async () => {
    await withLateAnswers(page, "pause", async () => {
      await page.getByRole("button", { name: "Pause", exact: true }).last().click();
      await eventually(async () => (await state(page)) === "Paused", "paused");
    });
    assert.equal(await state(page), "Paused");
    const at = await samples(page);
    await page.getByRole("button", { name: "Resume" }).click();
    await eventually(async () => (await state(page)) === "Running", "running again");
    await eventually(async () => (await samples(page)) > at, "more samples");
  });

  await claim("a network that drops is said plainly, and the stream goes on after it is back", async () => {
    serverGone = true;
    await page.context().setOffline(true);
    await eventually(async () => (await connection(page)) === "offline", "offline");
    assert.match(await page.locator(".connection").innerText(), /No network/);
    await page.context().setOffline(false);
    await eventually(async () => (await connection(page)) === "open", "connected again");
    serverGone = false;
    await goesOn(page);
  });

  await claim("after kill -9 of screed the page says so, reconnects by itself and sees the run go on", async () => {
    serverGone = true;
    const before = await samples(page);
    await screed.kill();
    try {
      // It says so between its attempts to connect again; while one goes on it says that.
      await eventually(async () => /No connection to the server/.test(await page.locator(".connection").innerText()), "the lost connection noticed and said");
    } finally {
      await screed.start(); // for the claims below, whatever became of this one
    }
    await eventually(async () => (await connection(page)) === "open", "connected again");
    serverGone = false;
    await eventually(async () => (await samples(page)) > before, "more samples");
    await eventually(async () => (await state(page)) === "Running", "running");
  });

  await claim("another job can be cancelled from the list, and the list follows", async () => {
    const scene = (await screed.json("/api/v1/gallery")).scenes.find((s) => s.name === SCENE).scene;
    await page.goto(`${screed.url}/#/`);
    await page.locator('[data-job="2"]').waitFor();
    const job = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
    const row = page.locator(`[data-job="${job.id}"]`);
    await row.waitFor(); // it appeared by itself
    await withLateAnswers(page, "cancel", async () => {
      await row.getByRole("button", { name: /Cancel/ }).click();
      await row.locator(".badge", { hasText: "Cancelled" }).waitFor();
    });
    assert.match(await row.locator(".badge").textContent(), /Cancelled/);
    await page.screenshot({ path: join(pictures, "jobs.png") });
    await row.getByRole("button", { name: /Delete/ }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(`${screed.url}/#/jobs/${job.id}`);
    await page.getByRole("heading", { name: `There is no job ${job.id}` }).waitFor();
  });

  await claim("a running job is cancelled from its page and stays viewable", async () => {
    await page.goto(`${screed.url}/#/jobs/2`);
    await page.locator(".view3d > canvas").waitFor();
    await withLateAnswers(page, "cancel", async () => {
      await page.getByRole("button", { name: "Cancel run" }).click();
      await eventually(async () => (await state(page)) === "Cancelled", "cancelled");
    });
    assert.equal(await state(page), "Cancelled");
    await lookUntil(page, [], "the grain", ({ filled }) => filled > 0.04);
    assert.equal(idOf(page), 2);
  });

  await claim("every control has a name for those who can't see it", async () => {
    const nameless = async () => page.evaluate(() => [...document.querySelectorAll("input, select, textarea, button, a, canvas, summary")].filter((e) => e.offsetParent !== null && !e.closest("[aria-hidden=true]") && !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim())).map((e) => e.outerHTML));
    assert.deepEqual(await nameless(), []);
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await page.locator(".check-ok").waitFor();
    assert.deepEqual(await nameless(), []);
  });

  await claim("the picture for the README shows a crushed grain and its curve", async () => {
    await page.goto(`${screed.url}/#/jobs/1`);
    await page.locator(".view3d > canvas").waitFor();
    await eventually(async () => (await frames(page)) > 2, "the time line");
    await timeSlider(page).fill(String(Math.floor((await frames(page)) * 0.62)));
    await lookUntil(page, [], "the crushed grain", ({ colours }) => colours > 200);
    await lookAtRest(page);
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.move(2, 2);
    await page.waitForTimeout(300);
    await page.screenshot({ path: readmePicture });
  });

  await claim("the browser's console has nothing to object to", () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
