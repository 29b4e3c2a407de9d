// Where a run is made: the composer offers devices and processes with what they gain, the job's page and the list say what was taken.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed(["--no-auth", "--slots", "2", "--threads", "2"]).start();
const browser = await launchBrowser();
const complaints = [];
const played = {
  devices: [
    { name: "gpu:0", title: "Played GPU", by: "OpenCL", version: "1", gpu: true, doubles: true, memory_bytes: 8e9, usable: true, reason: "" },
    { name: "gpu:1", title: "Old GPU", by: "OpenCL", version: "1", gpu: true, doubles: false, memory_bytes: 1e9, usable: false, reason: "it has no numbers of 64 bits" },
  ],
  notes: [],
};

async function open() {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 1000 } })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  return page;
}

/** The scene as the page has it. */
async function sceneOf(page) {
  await page.getByRole("tab", { name: "JSON" }).click();
  const scene = JSON.parse(await page.getByLabel("The scene as JSON").inputValue());
  await page.getByRole("tab", { name: "Form" }).click();
  return scene;
}

try {
  const { devices: real } = await screed.json("/api/v1/devices");
  const page = await open();
  const panel = page.getByRole("region", { name: "Run on" });
  const options = (name) => panel.getByLabel(name).locator("option").allInnerTexts();

  await claim("the composer offers the server's devices; those that can't be used say why and can't be chosen", async () => {
    await page.route("**/api/v1/devices", (route) => route.fulfill({ json: played }));
    await page.goto(`${screed.url}/#/new/hollow-sphere-crush`);
    await eventually(async () => (await options("Device")).length === 4, "the devices");
    assert.deepEqual(await options("Device"), ["The processor", "A GPU where there is one, else the processor", "gpu:0: Played GPU", "gpu:1: Old GPU (can't be used: it has no numbers of 64 bits)"]);
    assert.equal(await panel.locator("option[value='gpu:1']").getAttribute("disabled"), "");
    assert.equal(await panel.getByLabel("Device").inputValue(), "cpu");
  });

  await claim("it offers processes with the check's estimate of what they gain, and says where that comes from", async () => {
    await eventually(async () => (await options("Processes")).length === 3, "processes");
    const [one, two, four] = await options("Processes");
    assert.equal(one, "One");
    const gain = (text, ranks) => Number(new RegExp(`^${ranks}, about ([0-9.]+) times as fast as one$`).exec(text)?.[1]);
    assert.ok(gain(two, 2) > 1 && gain(two, 2) <= 2, two);
    assert.ok(gain(four, 4) > 1 && gain(four, 4) <= 4, four);
    assert.match(await panel.innerText(), /By what messages usually take on one machine/);
    await panel.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "run-on.png") });
  });

  await claim("what is chosen is the scene's, and one choice takes the other back, as processes compute on processors", async () => {
    await panel.getByLabel("Device").selectOption("auto");
    assert.deepEqual((await sceneOf(page)).run, { device: "auto" });
    await panel.getByLabel("Processes").selectOption("2");
    assert.deepEqual((await sceneOf(page)).run, { ranks: 2 });
    assert.equal(await panel.getByLabel("Device").inputValue(), "cpu");
    await panel.getByLabel("Processes").selectOption("1");
    assert.equal((await sceneOf(page)).run, undefined);
  });

  await claim("a device that the server does not have is refused at its place, before anything runs", async () => {
    await panel.getByLabel("Device").selectOption("gpu:0"); // which is played
    const check = page.getByRole("region", { name: "Check" });
    await eventually(async () => /run\.device is 'gpu:0', which can't be used here/.test(await check.innerText()), "the refusal");
    assert.match(await check.innerText(), /\/run\/device/);
    await panel.getByLabel("Device").selectOption("cpu");
    await eventually(async () => /This scene can run/.test(await check.innerText()), "the scene as it was");
  });

  await claim("a method that runs on processors alone is offered nothing of it", async () => {
    await page.goto(`${screed.url}/#/new/card-house`);
    await page.getByRole("region", { name: "Check" }).waitFor();
    assert.equal(await panel.count(), 0);
  });

  await claim("where a batch engine is set up the composer offers it, its partitions and why jobs wait there; the check and the submission name what is chosen", async () => {
    const partition = { default: false, up: true, nodes: 1, idle_processors: 2, processors: 8, memory_bytes: 8e9, time_limit: 3600 };
    const engine = { slots: 64, threads: 8, memory_bytes: null, reason: null, available: true };
    await page.route("**/api/v1/executors", (route) =>
      route.fulfill({
        json: {
          executors: [
            { ...engine, name: "local", engine: null, queued: null, running: null, partitions: [], waiting: [] },
            { ...engine, name: "slurm", engine: "slurm 22.05", queued: 3, running: 5, partitions: [{ ...partition, name: "main", default: true }, { ...partition, name: "long", time_limit: null }, { ...partition, name: "old", up: false }], waiting: [{ job: 7, reason: "Resources", for_ever: false }] },
          ],
        },
      }),
    );
    const asked = { checks: [], submitted: null };
    page.on("request", (request) => request.url().includes("/scenes/check") && asked.checks.push(new URL(request.url()).search));
    await page.route("**/api/v1/jobs*", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      asked.submitted = route.request().postDataJSON();
      return route.fulfill({ status: 503, contentType: "application/problem+json", json: { type: "about:blank", title: "Played", status: 503, detail: "This answer is played." } });
    });
    await page.goto(`${screed.url}/#/gallery`);
    await page.goto(`${screed.url}/#/new/card-house`);
    await eventually(async () => (await options("Where")).length === 2, "the engine");
    assert.deepEqual(await options("Where"), ["This server's machine", "slurm 22.05: 5 running, 3 waiting"]);
    assert.equal(await panel.getByLabel("Partition").count(), 1);
    assert.equal(await panel.getByLabel("Partition").isVisible(), false);
    await panel.getByLabel("Where").selectOption("slurm");
    assert.deepEqual((await options("Partition")).map((text) => text.replace(/\s/g, " ")), ["The engine's choice (main)", "main: 2 of 8 processors idle, at most 1 h", "long: 2 of 8 processors idle", "old (is down)"]);
    assert.match(await panel.innerText(), /Job 7 waits there: Resources/);
    await eventually(async () => asked.checks.at(-1) === "?executor=slurm", "a check of that place");
    await panel.getByLabel("Partition").selectOption("long");
    await panel.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "run-on-engine.png") });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await eventually(() => asked.submitted !== null, "the submission");
    const { scene: sent, ...place } = asked.submitted;
    assert.equal(sent.method, "rigid");
    assert.deepEqual(place, { executor: "slurm", executor_options: { partition: "long" } });
    await page.unroute("**/api/v1/jobs*");
    await page.unroute("**/api/v1/executors");
    complaints.length = 0;
  });

  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "hollow-sphere-crush").scene;
  scene.time.duration *= 0.01;
  const submit = async (run) => (await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...scene, run }) })).id;
  const jobs = { auto: await submit({ device: "auto" }), plain: await submit(undefined) };
  const [usable] = real.filter(({ usable }) => usable);
  if (usable) jobs.device = await submit({ device: usable.name });

  await claim("a job's page and the list say on what its run is made; once it runs, what computed", async () => {
    const place = page.locator(".job-place");
    await page.goto(`${screed.url}/#/jobs/${jobs.plain}`);
    await eventually(async () => /on the processor$/.test(await place.innerText()), "the processor");
    await eventually(async () => /^bond forces: \w+/.test((await place.getAttribute("title")) ?? ""), "what computed");
    await page.goto(`${screed.url}/#/jobs/${jobs.auto}`);
    const gpu = real.some(({ gpu, usable }) => gpu && usable);
    await eventually(async () => (gpu ? /on the first GPU by / : /on the processor, as there was no GPU/).test(await place.innerText()), "what auto was");
    if (usable) {
      await page.goto(`${screed.url}/#/jobs/${jobs.device}`);
      await eventually(async () => (await place.innerText()).includes(`on ${usable.name} by `), "the device");
      await eventually(async () => /with the bits of/.test((await place.getAttribute("title")) ?? ""), "whose bits they are");
      await page.screenshot({ path: join(pictures, "job-on-device.png") });
    }
    await page.goto(`${screed.url}/#/`);
    await eventually(async () => /peridem · auto/.test(await page.locator(`[data-job="${jobs.auto}"] .job-about`).innerText()), "the row");
    assert.doesNotMatch(await page.locator(`[data-job="${jobs.plain}"] .job-about`).innerText(), /cpu|processor/);
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
