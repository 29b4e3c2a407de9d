// Rigs in the dashboard: rollers drawn with the specimen, and the curve of one job drawn over another's.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAt, lookAtRest, plotWhole, root, Screed, unfold } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

/** Submits a short, coarse three-point bend of a beam, changed by `change`, and waits for its end. */
async function bend(change) {
  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "three-point-bend").scene;
  scene.specimens[0].spacing = 2.5e-3;
  scene.options = { peridem: { damping_rate: 6e3, contact_radius: 1.3e-3, contact_stiffness_factor: 0.1 } };
  scene.time = { duration: 8e-4 };
  scene.output = {};
  for (const options of [scene.options, scene.options?.peridem]) if (options) delete options.contact_radius; // that of the finer spacing
  change(scene);
  const headers = { "Content-Type": "application/json" };
  const job = await screed.json("/api/v1/jobs", { method: "POST", headers, body: JSON.stringify(scene) });
  assert.ok(job.id, JSON.stringify(job));
  await eventually(async () => (await screed.json(`/api/v1/jobs/${job.id}`)).state === "succeeded", "the end of the run");
  return job.id;
}

const label = (page) => page.locator(".plot canvas").getAttribute("aria-label");

try {
  const first = await bend(() => undefined);
  const second = await bend((scene) => (scene.title = "A stiffer beam", (scene.materials[0].bulk_modulus = 4e9), (scene.materials[0].young_modulus = 6e9)));
  const third = await bend((scene) => (scene.title = "Pressed flat", (scene.rig = { type: "platens", opening: 0.012 })));
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", acceptDownloads: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));

  await claim("the beam is shown on its rollers, and without them when the rig is hidden", async () => {
    await page.goto(`${screed.url}/#/jobs/${first}`);
    await page.locator(".view3d > canvas").waitFor();
    await eventually(async () => (await lookAt(page)).filled > 0.02, "a picture of the beam");
    const rig = page.getByRole("checkbox", { name: "Rig" });
    const whole = await lookAtRest(page);
    await page.screenshot({ path: join(pictures, "bend.png") });
    await rig.uncheck();
    await eventually(async () => (await lookAt(page)).filled < 0.98 * whole.filled, "a picture without rollers");
    await rig.check();
  });

  await claim("another job's curve is drawn over this one's, and told to those who can't see it", async () => {
    const choice = page.getByLabel("Compare with");
    await plotWhole(page, screed, first);
    const before = await label(page);
    await choice.focus();
    const found = page.getByRole("listbox", { name: "Jobs found" });
    await found.locator(`[data-job="${second}"]`).waitFor();
    assert.equal(await found.locator(`[data-job="${first}"]`).count(), 0);
    await choice.fill("stiffer");
    await eventually(async () => (await found.locator("[data-job]").count()) === 1, "the one job of that name");
    await choice.press("Enter");
    await eventually(async () => /with Job 2: A stiffer beam, \d+ samples/.test(await label(page)), "the other curve");
    assert.match(page.url(), new RegExp(`#/jobs/${first}\\?with=${second}$`));
    await page.screenshot({ path: join(pictures, "compared.png") });
    const waiting = page.waitForEvent("download");
    await page.locator(".exports").getByText("SVG", { exact: true }).click();
    const svg = readFileSync(await (await waiting).path()).toString();
    assert.ok((svg.match(/<polyline/g) ?? []).length >= 2 && svg.includes("A stiffer beam"));
    const saving = page.waitForEvent("download");
    await page.locator(".exports").getByText("CSV", { exact: true }).click();
    const [heads, row] = readFileSync(await (await saving).path()).toString().split("\n");
    assert.equal(heads.split(",").length, 4);
    assert.match(heads, /^Job 1: [^,]*: roller\S* \[m\],Job 1: [^,]* \[N\],Job 2: A stiffer beam: roller/);
    assert.equal(row.split(",").length, 4);
    await page.reload();
    await eventually(async () => /with Job 2: A stiffer beam, \d+ samples/.test(await label(page)), "the choice after a reload");
    await page.getByRole("button", { name: `Remove job ${second} from the plot` }).click();
    await eventually(async () => (await label(page)) === before, "the curve alone");
    assert.match(page.url(), new RegExp(`#/jobs/${first}$`));
  });

  await claim("a job of another rig has no such curve, and the page says so", async () => {
    const choice = page.getByLabel("Compare with");
    await choice.fill(`#${third}`);
    await page.locator(`.compare-found [data-job="${third}"]`).click();
    await page.locator(".plot-note").first().filter({ hasText: `Job ${third} has no curve roller.load` }).waitFor();
    await page.getByLabel("Horizontal axis").selectOption({ label: "Time" });
    await page.getByLabel("Vertical axis").selectOption({ label: "Kinetic energy" });
    await eventually(async () => /with Job 3/.test(await label(page)), "a curve that both have");
    await page.locator(".plot-note").first().waitFor({ state: "hidden" });
  });

  await claim("a scene for several methods is turned to another one by one choice in the form, which then offers that method's options", async () => {
    await page.goto(`${screed.url}/#/new/three-point-bend`);
    await unfold(page);
    const method = page.locator('[data-pointer="/method"] select');
    await method.waitFor();
    assert.equal(await page.locator('[data-pointer="/options"] select').first().inputValue(), "1");
    assert.equal(await page.locator('[data-pointer="/options/peridem"]').count(), 1);
    await method.selectOption({ label: "bdem" });
    await page.locator('[data-pointer="/options/bdem/constants_of"]').waitFor({ state: "attached" });
    await page.getByRole("tab", { name: "JSON" }).click();
    const scene = JSON.parse(await page.getByLabel("The scene as JSON").inputValue());
    assert.equal(scene.method, "bdem");
    assert.deepEqual(Object.keys(scene.options), ["peridem", "bdem", "fem"]);
    const { estimate } = await screed.json("/api/v1/scenes/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
    assert.ok(estimate.step_count > 1000);
  });

  await claim("a beam that is twisted and never breaks is coloured by its stress until the user chooses, its grip turning with it", async () => {
    const { scenes } = await screed.json("/api/v1/gallery");
    const scene = scenes.find((entry) => entry.name === "beam-twist").scene;
    scene.specimens[0].spacing = 0.116;
    scene.time.duration = 0.9;
    scene.rig.turn = [{ type: "constant", angular_velocity: 0.8 }];
    const headers = { "Content-Type": "application/json" };
    const job = await screed.json("/api/v1/jobs", { method: "POST", headers, body: JSON.stringify(scene) });
    assert.ok(job.id, JSON.stringify(job));
    await eventually(async () => (await screed.json(`/api/v1/jobs/${job.id}`)).state === "succeeded", "the end of the run");
    await page.goto(`${screed.url}/#/jobs/${job.id}`);
    const legend = page.locator(".legend");
    await eventually(async () => /Stress, \S*Pa/.test(await legend.innerText()), "the legend of the stress");
    await page.screenshot({ path: join(pictures, "twist.png") });
    await page.getByLabel("Colour by").selectOption({ label: "Damage" });
    await eventually(async () => /Damage\s+0 everywhere/.test(await legend.innerText()), "the legend of the damage");
    await page.keyboard.press("Home");
    await page.waitForTimeout(500);
    assert.match(await legend.innerText(), /Damage/);
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
