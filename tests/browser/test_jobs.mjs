// The list of jobs: found by words, state, tag and order, changed in place, several at once; what runs on top. Pictures go to build/screenshots.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { block, claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const page = await (await browser.newContext({ viewport: { width: 1366, height: 768 }, colorScheme: "light" })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  const gallery = (await screed.json("/api/v1/gallery")).scenes;
  const press = gallery.find(({ name }) => name === "cylinder-press").scene;
  const submit = (body) => screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const done = [];
  for (const [mesh, share] of [["coarse", 1], ["fine", 0.8]]) done.push((await submit({ scene: { ...press, title: `A press on a ${mesh} mesh`, time: { ...press.time, duration: share * press.time.duration } }, tags: { mesh } })).id);
  for (const id of done) await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of a press");
  const blocker = await block(screed, gallery.find(({ name }) => name === "hollow-sphere-crush").scene);
  const waiting = [];
  for (let i = 0; i < 3; i++) waiting.push((await submit({ ...press, name: `waiting-${i}` })).id);
  const order = () => page.locator("[data-job]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.job)));
  const shows = (ids, what) => eventually(async () => JSON.stringify(await order()) === JSON.stringify(ids), what);

  await claim("what runs stands on top, then the newest, and those that wait tell their places", async () => {
    await page.goto(`${screed.url}/#/`);
    await shows([blocker, ...[...waiting].reverse(), ...[...done].reverse()], "the running one first");
    await eventually(async () => /next in the queue/.test(await page.locator(`[data-job="${waiting[0]}"]`).textContent()), "the next one");
    assert.match(await page.locator(`[data-job="${waiting[2]}"]`).textContent(), /number 3 in the queue/);
    assert.equal(await page.locator(`[data-job="${done[0]}"] img`).evaluate((img) => img.complete && img.naturalWidth > 0), true);
    await page.screenshot({ path: join(pictures, "jobs.png") });
  });

  await claim("jobs are found by words, state, tag and order, and the address keeps the question", async () => {
    const words = page.getByLabel("Search jobs");
    await words.fill("coarse");
    await shows([done[0]], "the one with that word");
    await page.waitForURL(/#\/jobs\?q=coarse$/);
    await words.fill("");
    await page.getByLabel("State").selectOption("succeeded");
    await page.getByLabel("Order").selectOption("created");
    await shows(done, "the ended ones, oldest first");
    await page.reload();
    await shows(done, "the same after a reload");
    await page.locator(`[data-job="${done[1]}"] .tag`).click();
    await shows([done[1]], "those of the tag that was pressed");
    await page.goto(`${screed.url}/#/`);
    await words.fill("there is none such");
    await page.getByText("No job matches.").waitFor();
    await page.goto(`${screed.url}/#/new`);
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${blocker}"]`).waitFor();
  });

  await claim("runs carry the name given beside the scene, which the browser keeps, and are found by it", async () => {
    await page.goto(`${screed.url}/#/new/cylinder-press`);
    const name = page.getByLabel("Your name");
    await name.fill("Ada <b>Löwe</b>");
    await name.press("Tab");
    await page.locator(".check-ok").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/#\/jobs\/\d+/);
    const id = Number(/jobs\/(\d+)/.exec(page.url())[1]);
    await page.locator(".job-head .job-about", { hasText: "by Ada <b>Löwe</b>" }).waitFor();
    assert.equal((await screed.json(`/api/v1/jobs/${id}`)).user, "Ada <b>Löwe</b>");
    await page.goto(`${screed.url}/#/`);
    await page.getByRole("textbox", { name: "User" }).fill("Ada <b>Löwe</b>");
    await shows([id], "the one of that user");
    assert.match(await page.locator(`[data-job="${id}"] .job-about`).textContent(), /Ada <b>Löwe<\/b>/);
    await page.reload();
    await shows([id], "the same after a reload");
    await page.goto(`${screed.url}/#/new/cylinder-press`);
    assert.equal(await page.getByLabel("Your name").inputValue(), "Ada <b>Löwe</b>");
    await page.getByLabel("Your name").fill("");
    await page.getByLabel("Your name").press("Tab");
    assert.equal((await fetch(`${screed.url}/api/v1/jobs/${id}/cancel`, { method: "POST" })).ok, true);
    await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "cancelled", "the end of it");
    assert.equal((await fetch(`${screed.url}/api/v1/jobs/${id}`, { method: "DELETE" })).ok, true);
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${blocker}"]`).waitFor();
  });

  await claim("name, tags and notes are changed in place, and kept", async () => {
    const row = page.locator(`[data-job="${done[0]}"]`);
    await row.getByRole("button", { name: /^Edit name/ }).click();
    await row.getByRole("textbox", { name: "Name" }).fill("first-press");
    await row.getByRole("textbox", { name: "Tags" }).fill("mesh: coarse, series: A");
    await row.getByRole("textbox", { name: "Notes" }).fill("Slipped at the end.");
    await row.getByRole("button", { name: "Save" }).click();
    await eventually(async () => /first-press[\s\S]*series: A[\s\S]*Slipped at the end\./.test(await row.innerText()), "the new words");
    const job = await screed.json(`/api/v1/jobs/${done[0]}`);
    assert.deepEqual([job.name, job.tags, job.notes], ["first-press", { mesh: "coarse", series: "A" }, "Slipped at the end."]);
  });

  await claim("several at once are compared, cancelled and deleted", async () => {
    let asked = "";
    page.on("dialog", (dialog) => ((asked = dialog.message()), void dialog.accept()));
    for (const id of done) await page.getByLabel(`Pick job ${id}`).check();
    const bar = page.getByRole("region", { name: "Picked jobs" });
    await bar.getByText("2 picked").waitFor();
    await page.screenshot({ path: join(pictures, "jobs-picked.png") });
    await bar.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(new RegExp(`#/compare\\?jobs=${done.join(",")}$`));
    await page.locator(".compare-table tbody tr").nth(1).waitFor();
    const heads = await page.locator(".compare-table thead th").allTextContents();
    assert.deepEqual(heads.slice(0, 2), ["Run", "Duration"]);
    assert.ok(heads.includes("Peak force") && heads.includes("Run time"), heads.join(", "));
    assert.match(await page.locator(".compare-table tbody tr").nth(0).innerText(), /0\.0035[\s\S]*N/);
    await page.getByLabel("Vertical axis").selectOption({ label: "Peak force" });
    assert.equal(await page.locator(".scatter-point").count(), 2);
    const tiles = page.locator(".compare-tile[data-time]");
    await eventually(async () => (await tiles.count()) === 2, "pictures of both");
    const times = async () => Promise.all([0, 1].map(async (k) => Number(await tiles.nth(k).getAttribute("data-time"))));
    const last = await eventually(async () => ((t) => t[0] > 0 && t[1] > 0 && t)(await times()), "both at their ends");
    const pixels = async (k) => (await tiles.nth(k).locator("canvas").first().screenshot()).toString("base64");
    const before = await pixels(1);
    const box = await tiles.nth(0).locator("canvas").first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 + 30, { steps: 5 });
    await page.mouse.up();
    await eventually(async () => (await pixels(1)) !== before, "the other picture turned along");
    await page.screenshot({ path: join(pictures, "compare.png"), fullPage: true });
    await page.getByLabel("Time in all runs").fill("500");
    const middle = await eventually(async () => ((t) => t.every((time, k) => time < last[k] || time <= Math.max(...last) / 2) && t)(await times()), "both at half the time");
    assert.ok(Math.abs(middle[0] - middle[1]) < 0.1 * Math.max(...last), `one clock: ${middle}`);
    const many = [...done, ...waiting, blocker, ...[...done].reverse()]; // those of done twice, as they have pictures
    await page.goto(`${screed.url}/#/compare?jobs=${many.join(",")}`);
    await page.getByText("Runs 1 to 6 of 8").waitFor();
    assert.equal(await page.getByRole("button", { name: "Previous runs" }).isDisabled(), true);
    await page.getByRole("button", { name: "Next runs" }).click();
    await page.getByText("Runs 7 to 8 of 8").waitFor();
    await eventually(async () => (await tiles.count()) === 2 && JSON.stringify(await page.locator(".compare-tile").evaluateAll((all) => all.map((one) => Number(one.dataset.job)))) === JSON.stringify([...done].reverse()), "pictures of the last two");
    assert.equal(await page.locator(".compare-table tbody tr").count(), 8);
    assert.match(await page.getByRole("link", { name: "Compare curves" }).getAttribute("href"), new RegExp(`#/jobs/${done[1]}\\?with=${done[0]}$`));
    await page.screenshot({ path: join(pictures, "compare-many.png"), fullPage: true });
    await page.goto(`${screed.url}/#/compare?jobs=${done.join(",")}`);
    await page.getByRole("link", { name: "Compare curves" }).click();
    await page.waitForURL(new RegExp(`#/jobs/${done[0]}\\?with=${done[1]}$`));
    await page.goto(`${screed.url}/#/`);
    for (const id of waiting) await page.getByLabel(`Pick job ${id}`).check();
    await bar.getByRole("button", { name: "Cancel" }).click();
    for (const id of waiting) await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "cancelled", "them cancelled");
    assert.match(asked, /Cancel 3 of the picked jobs/);
    await eventually(() => bar.isHidden(), "none picked any more");
    for (const id of waiting) await page.getByLabel(`Pick job ${id}`).check();
    await bar.getByRole("button", { name: "Delete" }).click();
    await shows([blocker, ...[...done].reverse()], "them gone");
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
