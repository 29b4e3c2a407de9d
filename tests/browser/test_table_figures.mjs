// Tables of a run as figures: directions of contacts as a rose, sizes of pieces as a histogram; and the runs of a study in the list of jobs.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const { scenes } = await screed.json("/api/v1/gallery");
  const sceneOf = (name) => scenes.find((entry) => entry.name === name).scene;
  const post = (path, body) => screed.json(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const arch = sceneOf("masonry-arch");
  arch.options = { ...arch.options, contact_table: true };
  arch.time.duration = 0.1;
  const crush = sceneOf("hollow-sphere-crush");
  crush.specimens[0].spacing *= 1.6;
  crush.options = { ...crush.options, piece_table: true };
  const jobs = [];
  for (const scene of [arch, crush]) {
    const job = await post("/api/v1/jobs", scene);
    assert.ok(job.id, JSON.stringify(job));
    jobs.push(job.id);
  }
  const study = await post("/api/v1/studies", { scree_study: 1, name: "blocks", title: "Blocks", scene: "gallery:sliding-block", factors: { mu: { pointer: "/contact/friction_coefficient", values: [0.3, 0.4] } }, results: { way: { expression: "final(first.x)", unit: "m" } } });
  assert.ok(study.id, JSON.stringify(study));
  for (const id of jobs) await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of a run");
  await eventually(async () => (await screed.json("/api/v1/studies/1")).state === "finished", "the end of the study");
  const page = await (await browser.newContext({ viewport: { width: 1366, height: 768 }, colorScheme: "light" })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  const opened = async (id, title) => {
    await page.goto(`${screed.url}/#/jobs/${id}`);
    const details = page.locator(".results details").filter({ has: page.locator("summary", { hasText: title }) });
    await details.waitFor();
    await details.evaluate((one) => (one.open = true));
    await details.locator(".table-figure svg").waitFor();
    return details;
  };

  await claim("directions of contacts are a rose, whose sectors are those of the table, in the plane asked for, and can be saved", async () => {
    const details = await opened(jobs[0], "Contacts that carry a force");
    const { columns, rows } = await screed.json(`/api/v1/jobs/${jobs[0]}/tables/contacts`);
    const [time, x, z] = ["time", "normal_x", "normal_z"].map((name) => columns.findIndex((one) => one.name === name));
    const newest = rows.filter((row) => row[time] === rows[rows.length - 1][time]);
    const used = new Set(newest.flatMap((row) => [0, Math.PI].map((turn) => (((Math.round(((Math.atan2(row[z], row[x]) + turn) / (2 * Math.PI)) * 36) % 36) + 36) % 36))));
    assert.equal(await details.locator(".petal").count(), used.size);
    assert.match(await details.locator(".table-figure svg").getAttribute("aria-label"), new RegExp(`Rose of normal in the plane of x and z: ${newest.length} rows`));
    await details.locator(".table-figure").screenshot({ path: join(pictures, "table-rose.png") });
    await details.getByLabel(/^Plane of/).selectOption({ label: "x and y" });
    await eventually(async () => /plane of x and y/.test(await details.locator(".table-figure svg").getAttribute("aria-label")), "another plane");
    const saving = page.waitForEvent("download");
    await details.getByRole("button", { name: "CSV" }).click();
    assert.match(readFileSync(await (await saving).path(), "utf8"), /^degrees,rows\n0,\d+\n10,/);
  });

  await claim("masses of pieces are a histogram, whose bars hold every piece of the last moment", async () => {
    const details = await opened(jobs[1], "Pieces");
    await details.getByLabel(/^Draw/).selectOption({ label: "mass" });
    const saving = page.waitForEvent("download");
    await details.getByRole("button", { name: "CSV" }).click();
    const bins = readFileSync(await (await saving).path(), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    const { columns, rows } = await screed.json(`/api/v1/jobs/${jobs[1]}/tables/pieces`);
    const time = columns.findIndex(({ name }) => name === "time");
    const last = rows.filter((row) => row[time] === rows[rows.length - 1][time]);
    const held = bins.reduce((sum, [, , many]) => sum + many, 0);
    assert.equal(held, last.length >= 5 ? last.length : rows.length);
    assert.equal(await details.locator(".bar").count(), bins.filter(([, , many]) => many > 0).length);
    await details.locator(".table-figure").screenshot({ path: join(pictures, "table-histogram.png") });
  });

  await claim("a table that was opened stays open when the run's tables are listed once more", async () => {
    let asked = 0;
    let goOn = () => undefined;
    const held = new Promise((done) => (goOn = done));
    await page.route(`**/api/v1/jobs/${jobs[1]}/tables`, async (route) => {
      if (++asked > 1) await held;
      await route.continue();
    });
    await page.goto(`${screed.url}/#/`);
    const details = await opened(jobs[1], "Pieces");
    await eventually(() => asked === 2, "the second list of tables");
    const again = page.waitForResponse((response) => response.url().endsWith(`/jobs/${jobs[1]}/tables`));
    goOn();
    await (await again).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
    assert.ok(await details.evaluate((one) => one.open), "it is closed");
    await page.unroute(`**/api/v1/jobs/${jobs[1]}/tables`);
  });

  await claim("the list of jobs shows the runs of one study, and the address keeps it", async () => {
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${jobs[0]}"]`).waitFor();
    await eventually(async () => (await page.getByLabel("Study", { exact: true }).locator("option").count()) === 2, "the study in the list");
    await page.getByLabel("Study", { exact: true }).selectOption({ label: "#1 Blocks" });
    const shown = () => page.locator("[data-job]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.job)));
    await eventually(async () => (await shown()).length === 2 && !(await shown()).some((id) => jobs.includes(id)), "its two runs");
    await page.screenshot({ path: join(pictures, "jobs-study.png") });
    await page.waitForURL(/#\/jobs\?study=1$/);
    await page.reload();
    await eventually(async () => (await shown()).length === 2 && (await page.getByLabel("Study", { exact: true }).inputValue()) === "1", "the same after a reload");
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
