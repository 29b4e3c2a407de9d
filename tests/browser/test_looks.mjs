// What a person must be able to trust at a glance: verdicts, colours, files, drafts; and the page on a phone.
// Pictures go to build/screenshots.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { block, claim, eventually, finish, launchBrowser, plotWhole, root, Screed, showFrame, unfold } from "../support/browser.mjs";

const SCENE = "hollow-sphere-crush";
const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

async function openPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  return page;
}

async function post(path, body) {
  return screed.json(path, { method: "POST", headers: { "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}) });
}

/** Makes the server's answers and messages say something else of a job. */
async function alter(page, id, change) {
  const altered = (job) => (job.id === id ? change(job) : job);
  await page.route(/\/api\/v1\/jobs(\/\d+|\?.*)?$/, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const answer = await route.fetch();
    const value = await answer.json();
    await route.fulfill({ response: answer, json: value.jobs ? { ...value, jobs: value.jobs.map(altered) } : altered(value) });
  });
  await page.routeWebSocket(/\/ws\/v1/, (side) => {
    const server = side.connectToServer();
    server.onMessage((message) => {
      const value = typeof message === "string" ? JSON.parse(message) : null;
      side.send(value?.type === "job" ? JSON.stringify({ ...value, job: altered(value.job) }) : message);
    });
  });
}

async function saved(page, name) {
  const waiting = page.waitForEvent("download");
  await page.locator(".downloads, .exports").getByText(name, { exact: true }).click();
  return readFileSync(await (await waiting).path());
}

try {
  const scene = (await screed.json("/api/v1/gallery")).scenes.find((s) => s.name === SCENE).scene;
  scene.specimens[0].spacing *= 1.5; // the run matters little here
  scene.time.duration *= 0.3;
  scene.output = { ...scene.output, frame_interval: scene.time.duration / 40, sample_interval: scene.time.duration / 400 };
  const long = "Compression of a hollow sphere of brittle polymer between two plates, one metre a second, run number ";
  const done = (await post("/api/v1/jobs", { ...scene, title: long + "one" })).id;
  await eventually(async () => (await screed.json(`/api/v1/jobs/${done}`)).state === "succeeded", "the end of the run");

  await claim("a run that ended with doubts says so in the list and on its page, with every doubt in words", async () => {
    const page = await openPage();
    const doubts = [{ kind: "energy_balance", message: "The energy balance is off by 3.2 %: use a smaller step" }, { kind: "large_step_impact", message: "Impacts were swept in steps of 2 ms" }];
    await alter(page, done, (job) => ({ ...job, doubts }));
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${done}"] .badge`, { hasText: "Succeeded, with doubts" }).waitFor();
    await page.goto(`${screed.url}/#/jobs/${done}`);
    await page.locator(".job-head .badge", { hasText: "Succeeded, with doubts" }).waitFor();
    assert.match(await page.locator(".job-doubts").innerText(), /off by 3.2 %: use a smaller step[^]*swept in steps of 2 ms/);
    await page.screenshot({ path: join(pictures, "doubts.png") });
    await page.context().close();
  });

  await claim("two people who have seen different frames give one frame the same colours", async () => {
    const legend = async (page) => {
      await page.locator(".view3d > canvas").waitFor();
      const field = await eventually(async () => {
        const fields = await page.getByLabel("Colour by").locator("option").allTextContents();
        return fields.find((name) => !/fragment|nothing/i.test(name));
      }, "a field to colour by");
      await page.getByLabel("Colour by").selectOption({ label: field });
      await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) > 20, "the time line");
      await showFrame(page, 10);
      return eventually(async () => (await page.locator(".legend").innerText()).includes(field) && page.locator(".legend").innerText(), "its legend");
    };
    const [first, second] = [await openPage(), await openPage()];
    await first.goto(`${screed.url}/#/jobs/${done}`);
    await first.locator(".view3d > canvas").waitFor();
    const slider = first.getByRole("slider", { name: "Time shown" });
    await eventually(async () => Number(await slider.getAttribute("max")) > 20, "the time line");
    for (const frame of [20, 3, 0]) await showFrame(first, frame);
    await second.goto(`${screed.url}/#/jobs/${done}`);
    assert.equal(await legend(first), await legend(second));
    for (const page of [first, second]) await page.context().close();
  });

  await claim("the saved picture of a plot is as on paper: white ground, twice the size of the SVG, whatever the screen", async () => {
    const page = await openPage({ viewport: { width: 700, height: 500 } });
    await page.goto(`${screed.url}/#/jobs/${done}`);
    await plotWhole(page, screed, done);
    const png = (await saved(page, "PNG")).toString("base64");
    const seen = await page.evaluate(async (text) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 300) dark++;
      return { size: [bitmap.width, bitmap.height], corner: [...data.slice(0, 4)], dark: dark / (data.length / 4) };
    }, png);
    assert.deepEqual(seen.size, [1440, 920]);
    assert.deepEqual(seen.corner, [255, 255, 255, 255]);
    assert.ok(seen.dark > 0.001 && seen.dark < 0.2, String(seen.dark));
    await page.context().close();
  });

  await claim("moving the pointer over the plot draws no curve anew, and tells the sample under it", async () => {
    const page = await openPage();
    await page.goto(`${screed.url}/#/jobs/${done}`);
    await plotWhole(page, screed, done);
    const drawings = () => page.locator(".plot").getAttribute("data-drawings");
    let before = null; // once all samples have come and are drawn
    await eventually(async () => {
      const [last, now] = [before, ((before = await drawings()), before)];
      await page.waitForTimeout(1000);
      return now !== null && last === now; // null: nothing was drawn yet
    }, "a plot at rest");
    const box = await page.locator(".plot canvas").boundingBox();
    let i = 0;
    await eventually(async () => {
      i = (i % 39) + 1;
      await page.mouse.move(box.x + 60 + (box.width - 80) * (i / 40), box.y + box.height * 0.6);
      return (await page.locator(".plot-hover").getAttribute("visibility")) === "visible";
    }, "a sample that is told");
    for (let k = 1; k < 40; k++) await page.mouse.move(box.x + 60 + (box.width - 80) * (k / 40), box.y + box.height * 0.6);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await drawings(), before);
    await page.context().close();
  });

  await claim("a long title leaves the time line on the screen", async () => {
    const page = await openPage({ viewport: { width: 1100, height: 720 } });
    await alter(page, done, (job) => ({ ...job, title: long.repeat(6) }));
    await page.goto(`${screed.url}/#/jobs/${done}`);
    await page.locator(".timeline").waitFor();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: long }).waitFor();
    await page.locator(".view3d > canvas").waitFor();
    const box = await page.locator(".timeline").boundingBox();
    assert.ok(box.y + box.height <= 720, `the time line ends at ${box.y + box.height}`);
    await page.screenshot({ path: join(pictures, "long-title.png") });
    await page.context().close();
  });

  await claim("what has nothing to be downloaded is off and says why", async () => {
    const page = await openPage();
    const blocker = await block(screed, scene);
    const waiting = [];
    for (let i = 0; i < 3; i++) waiting.push((await post("/api/v1/jobs", { ...scene, name: `waiting-${i}` })).id);
    await page.goto(`${screed.url}/#/jobs/${waiting[2]}`);
    await page.locator(".job-head .badge", { hasText: "Queued" }).waitFor();
    for (const name of ["curves.csv", "plot.svg", "surface.stl"]) await eventually(() => page.locator(".downloads").getByText(name, { exact: true }).isDisabled(), `${name} off`);
    await eventually(async () => (await page.locator(".downloads").getByText("recording.scree").getAttribute("aria-disabled")) === "true", "recording.scree off");
    assert.ok(await page.locator(".downloads").getByText("scene.json").isEnabled());
    let asked = "";
    let answer = false;
    page.on("dialog", (dialog) => ((asked = dialog.message()), answer ? dialog.accept() : dialog.dismiss()));
    await page.goto(`${screed.url}/#/jobs/${blocker}`);
    await page.locator(".job-head .badge", { hasText: "Running" }).waitFor();
    screed.thaw();
    await page.getByRole("button", { name: "Cancel run" }).click();
    await eventually(() => /Cancel job/.test(asked), "a question before it is cancelled");
    await page.waitForTimeout(500);
    assert.ok(!/Cancel/.test(await page.locator(".job-head .badge").textContent()));
    answer = true;
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.locator(".job-head .badge", { hasText: "Cancelled" }).waitFor();
    for (const id of waiting) await post(`/api/v1/jobs/${id}/cancel`);
    await page.context().close();
  });

  await claim("broken JSON takes the verdict back, and the run with it", async () => {
    const page = await openPage();
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await page.locator(".check-ok").waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    const editor = page.getByLabel("The scene as JSON");
    const text = await editor.inputValue();
    await editor.fill(text.slice(0, -5));
    await page.locator(".check-ok").waitFor({ state: "detached" });
    await eventually(() => page.getByRole("button", { name: "Run", exact: true }).isDisabled(), "no run");
    await page.getByRole("button", { name: "Check" }).click();
    await page.waitForTimeout(800);
    assert.equal(await page.locator(".check-ok").count(), 0);
    await editor.fill(text);
    await page.locator(".check-ok").waitFor();
    await eventually(() => page.getByRole("button", { name: "Run", exact: true }).isEnabled(), "the run again");
    await page.context().close();
  });

  await claim("unfinished changes are there again after leaving, until they are thrown away or run", async () => {
    const page = await openPage();
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await unfold(page);
    const title = page.locator('[data-pointer="/title"] input');
    const original = await title.inputValue();
    await title.fill("My own crush");
    await page.goto(`${screed.url}/#/`);
    await page.locator("[data-job]").first().waitFor();
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await page.locator(".draft-note").waitFor();
    await eventually(async () => (await title.inputValue()) === "My own crush", "the changed title");
    await page.reload();
    await page.locator(".draft-note").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await eventually(async () => (await title.inputValue()) === original, "the title as it was");
    await page.reload();
    await title.waitFor();
    assert.equal(await page.locator(".draft-note").count(), 0);
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("The scene as JSON").fill("{ not yet");
    await eventually(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith("scree-draft:") && localStorage.getItem(key).includes("not yet"))), "a draft that is kept");
    await page.reload();
    await page.locator(".draft-note").waitFor();
    await eventually(async () => (await page.getByLabel("The scene as JSON").inputValue()) === "{ not yet", "the text as it was left");
    await page.getByRole("button", { name: "Start over" }).click();
    await page.locator(".check-ok").waitFor();
    await page.context().close();
  });

  await claim("a refused run is told in a sentence, once", async () => {
    const page = await openPage();
    await page.goto(`${screed.url}/#/new/${SCENE}`);
    await unfold(page);
    await page.locator('[data-pointer="/specimens/0/shape/radius"] input').fill("-1");
    const run = page.getByRole("button", { name: "Run", exact: true });
    const toast = page.locator(".toast");
    for (let i = 0; i < 2; i++) {
      await run.click();
      await toast.waitFor();
      await page.waitForTimeout(400);
    }
    const text = await toast.locator("span").textContent();
    assert.ok(!/`|errors/.test(text) && /can't run/.test(text), text);
    assert.equal(text.match(/can't run/g).length, 1);
    await page.context().close();
  });

  await claim("on a phone Run is at hand, everything is wide enough for a finger, a swipe over the picture scrolls the page, and long names differ", async () => {
    const other = (await post("/api/v1/jobs", { ...scene, title: long + "two" })).id;
    const phone = await openPage({ viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
    await phone.goto(`${screed.url}/#/new/${SCENE}`);
    const run = phone.getByRole("button", { name: "Run", exact: true });
    await run.waitFor();
    const at = await run.boundingBox();
    assert.ok(at.y + at.height <= 844 && at.y > 400, `Run at ${at.y}`);
    const narrow = async () => phone.evaluate(() => [...document.querySelectorAll("button, select, a.button, input")].filter((e) => e.offsetParent !== null && !e.closest(".chip")).map((e) => ({ e, box: (e.closest("label") ?? e).getBoundingClientRect() })).filter(({ e, box }) => box.height > 0 && box.height < (e.type === "checkbox" ? 28 : 40)).map(({ e }) => e.outerHTML.slice(0, 120)));
    assert.deepEqual(await narrow(), []);
    await phone.screenshot({ path: join(pictures, "phone-form.png") });
    await phone.goto(`${screed.url}/#/`);
    for (const id of [done, other]) await phone.locator(`[data-job="${id}"]`).waitFor();
    const names = await phone.evaluate(([a, b]) => [a, b].map((id) => { const e = document.querySelector(`[data-job="${id}"] .job-title`); return { text: e.innerText, cut: e.scrollWidth > e.clientWidth + 1 }; }), [done, other]);
    assert.ok(names.every(({ cut }) => !cut) && names[0].text !== names[1].text, JSON.stringify(names));
    await phone.screenshot({ path: join(pictures, "phone-jobs.png") });
    await phone.goto(`${screed.url}/#/jobs/${done}`);
    await phone.locator(".view3d > canvas").waitFor();
    assert.deepEqual(await narrow(), []);
    assert.match(await phone.locator(".view3d > canvas").evaluate((canvas) => getComputedStyle(canvas).touchAction), /pan-y/);
    await phone.screenshot({ path: join(pictures, "phone-job.png"), fullPage: true });
    await post(`/api/v1/jobs/${other}/cancel`);
    await phone.context().close();
  });

  await claim("no page met an error of its own", () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
