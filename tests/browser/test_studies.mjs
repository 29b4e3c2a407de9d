// Studies in a real browser: one is taken from the gallery, checked, changed, started, watched to its end, sorted, drawn, stopped and deleted.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed, unfold } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed(["--no-auth", "--slots", "2", "--threads", "1"]).start();
const browser = await launchBrowser();
const studyOf = (count, name) => ({
  scree_study: 1, name, title: `${count} blocks`, scene: "gallery:sliding-block",
  factors: {
    mu: { pointer: "/contact/friction_coefficient", values: [0.3, 0.4, 0.5] },
    speed: { pointer: "/specimens/0/velocity/0", range: { from: 1, to: 3, steps: count / 3 }, unit: "m/s" },
  },
  results: { distance: { expression: "final(first.x)", unit: "m" }, never: "first(first.x > 99)" },
});
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 950 }, colorScheme: "light" });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const rows = page.locator(".study-table tbody tr[data-row]");

  await claim("the list says what a study is and has those of the gallery to start from", async () => {
    await page.goto(screed.url + "/#/studies");
    await page.getByRole("heading", { name: "Studies", exact: true }).waitFor();
    const { studies } = await screed.json("/api/v1/gallery/studies");
    await eventually(async () => (await page.locator(".gallery > li").count()) === studies.length, "the gallery");
    await page.getByText("There is no study yet").waitFor();
    await page.screenshot({ path: join(pictures, "studies.png") });
  });

  await claim("a study is set up beside its scene, checked in words as it is typed, and starts", async () => {
    await page.getByRole("link", { name: "New study" }).click();
    await page.getByText(/^3 runs, about/).waitFor();
    await page.getByText("The study as JSON").click();
    const text = page.getByRole("textbox", { name: "The study as JSON" });
    await text.fill(JSON.stringify({ ...studyOf(12, "browser"), scene: undefined, results: { a: "max(" } }));
    await page.locator(".study-problems", { hasText: "/results/a" }).waitFor();
    await text.fill(JSON.stringify({ ...studyOf(12, "browser"), scene: undefined }, null, 2));
    await page.getByText(/^12 runs, about/).waitFor();
    await page.screenshot({ path: join(pictures, "study-new.png") });
    await page.getByRole("button", { name: "Start study" }).click();
    await page.waitForURL(/#\/studies\/1$/);
  });

  await claim("the table fills while the study runs, and ends with every row and its result", async () => {
    await page.getByRole("heading", { level: 1, name: "12 blocks" }).waitFor();
    await page.getByText(/^finished: 12 of 12/).waitFor();
    await eventually(async () => (await rows.count()) === 12, "all rows");
    const { rows: known } = await screed.json("/api/v1/studies/1/rows");
    const shown = await rows.nth(3).locator("td").allTextContents();
    assert.equal(shown[0], "0.3");
    assert.ok(Math.abs(Number(shown[2]) - known[3].results.distance) < 1e-3, shown.join());
    assert.match(await rows.nth(0).locator("td").nth(3).getAttribute("title"), /never holds/);
    await page.screenshot({ path: join(pictures, "study.png") });
  });

  await claim("a heading sorts, and once more turns the order round", async () => {
    const first = async () => Number(await rows.first().getAttribute("data-row"));
    await page.getByRole("button", { name: /^distance/ }).click();
    const { rows: known } = await screed.json("/api/v1/studies/1/rows");
    const ordered = [...known].sort((a, b) => a.results.distance - b.results.distance);
    await eventually(async () => (await first()) === ordered[0].number, "the shortest");
    await page.getByRole("button", { name: /^distance/ }).click();
    await eventually(async () => (await first()) === ordered[11].number, "the longest");
    assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
  });

  await claim("the scatter says how its columns go together, and the effects are those that the server finds", async () => {
    await page.getByLabel("Column of x", { exact: true }).selectOption("speed");
    await page.getByText(/distance over speed: correlation 0\.9/).waitFor();
    const { factors, pairs } = await screed.json("/api/v1/studies/1/effects?result=distance");
    const effects = page.locator(".study-effects");
    const strongest = [...factors].sort((a, b) => b.share - a.share)[0];
    await effects.locator("summary").first().filter({ hasText: strongest.name }).waitFor();
    assert.ok(Math.abs(Number((await effects.locator("summary .number").first().innerText()).replace(/ .*/, "")) - 100 * strongest.share) < 0.1);
    await effects.locator("summary").first().click();
    assert.equal(await effects.locator("details[open] tbody tr").count(), strongest.levels.length);
    await effects.getByText(pairs[0].factors.join(" × ")).waitFor();
    await page.locator(".study-scatter").scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "study-effects.png"), fullPage: true });
  });

  await claim("parallel coordinates have an axis for each column, and keep the rows inside a range that is dragged", async () => {
    const parallel = page.locator(".study-parallel");
    const canvas = parallel.locator("canvas");
    await canvas.scrollIntoViewIfNeeded();
    assert.match(await canvas.getAttribute("aria-label"), /mu, speed, distance, never/);
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 74, box.y + box.height - 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 74, box.y + box.height / 2 + 40, { steps: 4 });
    await page.mouse.up();
    await parallel.getByText("4 of 12 rows inside mu").waitFor();
    await parallel.screenshot({ path: join(pictures, "study-parallel.png") });
    const saving = page.waitForEvent("download");
    await parallel.getByRole("button", { name: "CSV" }).click();
    const saved = readFileSync(await (await saving).path(), "utf8").trim().split("\n");
    assert.deepEqual([saved[0], saved.length], ["row,mu,speed,distance,never", 5]);
    await parallel.getByRole("button", { name: "All rows" }).click();
    await parallel.getByText("Drag along an axis").waitFor();
  });

  await claim("repeated runs are drawn as bands of curves and on Weibull's plot, for each value of a factor", async () => {
    await page.getByLabel("For each value of").selectOption("mu");
    await page.getByLabel("Curve of x").fill("time");
    await page.getByLabel("Curve of y").fill("first.x");
    await page.getByRole("button", { name: "Bands of" }).click();
    await page.getByText("mu 0.3: 4 curves; median").waitFor();
    assert.equal(await page.locator(".study-plot .median").count(), 3);
    assert.equal(await page.locator(".study-plot .thin").count(), 12);
    await page.locator(".study-ensemble").screenshot({ path: join(pictures, "study-bands.png") });
    await page.getByLabel("Result", { exact: true }).selectOption("distance");
    await page.getByRole("button", { name: "Weibull plot of" }).click();
    await page.getByText(/mu 0.5: 4 rows, mean .*; modulus .* scale/).waitFor();
    assert.equal(await page.locator(".study-plot circle").count(), 12);
    await page.locator(".study-ensemble").screenshot({ path: join(pictures, "study-weibull.png") });
    for (const kind of ["SVG", "PNG", "CSV"]) {
      const saving = page.waitForEvent("download");
      await page.locator(".study-ensemble").getByRole("button", { name: kind }).click();
      const file = await saving;
      assert.equal(file.suggestedFilename(), `browser-weibull.${kind.toLowerCase()}`);
      const saved = readFileSync(await file.path());
      if (kind === "SVG") assert.equal(saved.toString().match(/<circle/g).length, 12);
      else if (kind === "PNG") assert.equal(saved.readUInt32BE(16), 1440);
      else assert.equal(saved.toString().trim().split("\n").length, 13);
    }
    await page.getByLabel("Curve of y").fill("first.nothing");
    await page.getByRole("button", { name: "Bands of" }).click();
    await page.getByText(/no curve or factor 'first.nothing'/).waitFor();
  });

  await claim("the table is saved as CSV, and a row leads to its job", async () => {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Table as CSV" }).click();
    assert.equal((await saving).suggestedFilename(), "browser.csv");
    await rows.first().getByRole("link").click();
    await page.waitForURL(/#\/jobs\/\d+$/);
    await page.goBack();
  });

  await claim("numbers of a scene's form are varied by a button each, with results from its curves: a sweep over two of them in ten clicks", async () => {
    let clicks = 0;
    const click = async (place) => (clicks++, await place.click());
    const vary = (pointer) => page.locator(`.field[data-pointer="${pointer}"] > .vary`);
    await page.goto(`${screed.url}/#/new/sliding-block`);
    await page.locator('.check:not([aria-busy="true"]) .check-ok').waitFor();
    await page.locator('.scene-picture[data-frames]').waitFor();
    for (const part of ["contact", "specimens"]) await click(page.locator(`[data-pointer="/${part}"] > summary`));
    await click(vary("/contact/friction_coefficient"));
    await click(vary("/specimens/0/velocity"));
    const panel = page.getByRole("region", { name: "Study" });
    await panel.getByText(/^9 runs, about/).waitFor();
    assert.match(await page.locator('.field[data-pointer="/specimens/0/velocity"] .varied-by').innerText(), /^Varied: .*m\/s$/);
    assert.match(await panel.getByLabel("Expression of").inputValue(), /^peak\(/);
    const kind = panel.getByLabel("How velocity_x varies");
    await kind.selectOption("logarithmic");
    await panel.getByLabel("from of velocity_x").fill("0.5");
    await panel.getByLabel("to of velocity_x").fill("2");
    await panel.getByLabel("steps of velocity_x").fill("2");
    await panel.getByText("2 from 0.5 to 2 m/s, logarithmic").waitFor();
    await panel.getByText(/^6 runs, about/).waitFor();
    await panel.getByLabel("Values of friction_coefficient").fill("0.4, 0.6");
    await panel.getByText(/^4 runs, about/).waitFor();
    await panel.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "study-vary.png") });
    await page.reload();
    await page.getByText("Your unfinished changes").waitFor();
    await page.getByText(/^4 runs, about/).waitFor();
    await click(page.getByRole("button", { name: "Start study" }));
    await page.waitForURL(/#\/studies\/2$/);
    await page.getByText(/^finished: 4 of 4/).waitFor();
    const { rows: made } = await screed.json("/api/v1/studies/2/rows");
    assert.deepEqual(made.map(({ factors }) => [factors.friction_coefficient, factors.velocity_x]), [[0.4, 0.5], [0.4, 2], [0.6, 0.5], [0.6, 2]]);
    assert.ok(made.every(({ results }) => Number.isFinite(Object.values(results)[0])), JSON.stringify(made[0]));
    assert.ok(clicks <= 10);
  });

  await claim("a job's scene is varied from its page, the component of a vector is chosen, and a factor is taken off again", async () => {
    const { rows: made } = await screed.json("/api/v1/studies/2/rows");
    await page.goto(`${screed.url}/#/jobs/${made[0].job}`);
    await page.getByRole("link", { name: "Vary …" }).click();
    await page.getByRole("heading", { level: 1, name: /^New study/ }).waitFor();
    await unfold(page);
    const velocity = page.locator('.field[data-pointer="/specimens/0/velocity"] > .vary');
    await velocity.click();
    await page.getByLabel("Component of velocity_x").selectOption("1");
    await page.getByLabel("Values of velocity_y").waitFor();
    assert.equal(await velocity.getAttribute("aria-pressed"), "true");
    await page.getByRole("button", { name: "Do not vary velocity_y" }).click();
    assert.equal(await velocity.getAttribute("aria-pressed"), "false");
    await page.getByText(/Press “Vary” beside a number/).first().waitFor();
  });

  await claim("a CSV dropped on a plot is previewed, its columns and units are chosen, and it is laid over the run with its band", async () => {
    const { rows: made } = await screed.json("/api/v1/studies/2/rows");
    await page.goto(`${screed.url}/#/jobs/${made[1].job}`);
    const plot = page.locator(".plot-card").first();
    const canvas = plot.locator(".plot canvas");
    await eventually(async () => / against Time, \d+ samples/.test((await canvas.getAttribute("aria-label")) ?? ""), "the run's curve");
    const lines = Array.from({ length: 40 }, (_, k) => `${String(25 * k).replace(".", ",")};${String(Math.max(0, 2000 - 4 * 25 * k) + 10 * Math.sin(k)).replace(".", ",")}`);
    const csv = ["Prüfer;A. Nonym", "Zeit;Geschwindigkeit", "ms;mm/s", ...lines].join("\n");
    const drop = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "slide test.csv", { type: "text/csv" }));
      return data;
    }, csv);
    await plot.dispatchEvent("dragover", { dataTransfer: drop });
    await page.locator(".plot-card.dropping").waitFor();
    await plot.dispatchEvent("drop", { dataTransfer: drop });
    const dialog = page.getByRole("dialog", { name: "Measured curve" });
    await dialog.getByText(/40 rows, read as/).waitFor();
    assert.equal(await dialog.getByLabel("Unit of Geschwindigkeit").inputValue(), "mm/s");
    assert.equal(await dialog.getByLabel("Name of the curves").inputValue(), "slide-test");
    await dialog.locator("summary", { hasText: "Corrections" }).click();
    await dialog.getByLabel("Scatter of y").fill("50 mm/s");
    await dialog.getByText("40 samples are drawn, with the band of their scatter.").waitFor();
    await page.screenshot({ path: join(pictures, "measured-preview.png") });
    await dialog.getByRole("button", { name: "Lay over the run" }).click();
    await dialog.waitFor({ state: "detached" });
    await eventually(async () => /with Measured: slide-test, 40 samples/.test((await canvas.getAttribute("aria-label")) ?? ""), "the measured curve");
    const { curves, band } = await screed.json("/api/v1/measured/1");
    assert.ok(Math.abs(curves[0].x[39] - 0.975) < 1e-9 && Math.abs(band.high[0] - band.low[0] - 2 * 1.645 * 0.05) < 1e-4, JSON.stringify(band));
    await plot.screenshot({ path: join(pictures, "measured-plot.png") });
    const saving = page.waitForEvent("download");
    await plot.getByRole("button", { name: "SVG" }).click();
    assert.match(readFileSync(await (await saving).path(), "utf8"), /<polygon[^>]*fill-opacity/);
    await page.reload();
    await eventually(async () => /with Measured: slide-test, 40 samples/.test((await canvas.getAttribute("aria-label")) ?? ""), "the curve after the page was loaded again");
  });

  await claim("from the curve on a plot to a calibration in ten clicks: unknowns get ranges, it runs, and says what it found in words, bars and an overlay", async () => {
    let clicks = 1; // the drop of the claim before
    const click = async (place) => (clicks++, await place.click());
    clicks++; // "Lay over the run"
    await click(page.locator("[data-measured='1']").getByRole("button", { name: "Calibrate to this" }));
    const panel = page.getByRole("region", { name: "Study" });
    await panel.getByText("slide-test", { exact: true }).waitFor();
    assert.equal(await panel.getByLabel("y of slide_test").inputValue(), "first.velocity_x");
    const contact = page.locator('[data-pointer="/contact"]');
    if (!(await contact.evaluate((part) => part.open))) await click(contact.locator("> summary"));
    await click(page.locator('.field[data-pointer="/contact/friction_coefficient"] > .vary'));
    await panel.getByLabel("from of friction_coefficient").fill("0.2");
    await panel.getByLabel("to of friction_coefficient").fill("0.8");
    await panel.getByLabel("Largest number of runs of the calibration").fill("16");
    await panel.getByText(/^16 runs, about/).waitFor();
    await page.screenshot({ path: join(pictures, "calibration-new.png") });
    await click(page.getByRole("button", { name: "Start calibration" }));
    await page.waitForURL(/#\/studies\/3$/);
    assert.ok(clicks <= 10, `${clicks} clicks`);
    await page.getByText(/^finished: /).waitFor();
    const view = page.getByRole("region", { name: "Calibration" });
    const known = await screed.json("/api/v1/studies/3/calibration");
    await view.getByText(known.estimate.words.slice(0, 60)).first().waitFor();
    const best = known.estimate.parameters[0];
    const cells = await view.locator(".calibration-unknowns tbody tr").first().locator("td").allInnerTexts();
    assert.ok(Math.abs(Number(cells[0]) - best.best) < 1e-3 * best.best, cells.join());
    await eventually(async () => (await view.locator(".study-plot .best").count()) >= 1 && (await view.locator(".study-plot .measured").count()) === 1, "the overlay");
    assert.equal(await view.locator(".calibration-history circle").count(), known.history.filter(({ value }) => value !== null).length);
    await page.screenshot({ path: join(pictures, "calibration.png"), fullPage: true });
  });

  await claim("a study of ten thousand rows keeps few of them in the page, and scrolls to the last", async () => {
    const many = { ...studyOf(9999, "many"), limits: { at_once: 1 } };
    many.factors.speed = { pointer: "/specimens/0/velocity/0", distribution: { kind: "uniform", from: 1, to: 3, steps: 1000 } };
    many.factors.seed = { pointer: "/note", seeds: 3 };
    many.scene = { ...(await screed.json("/api/v1/gallery")).scenes.find(({ name }) => name === "sliding-block").scene, note: 1 };
    delete many.factors.seed;
    many.factors.again = { pointer: "/specimens/0/velocity/1", range: { from: 0, to: 0.1, steps: 3 } };
    delete many.scene.note;
    const made = await screed.json("/api/v1/studies", { method: "POST", body: JSON.stringify(many), headers: { "Content-Type": "application/json" } });
    assert.equal(made.rows?.total, 9000, JSON.stringify(made));
    await page.goto(`${screed.url}/#/studies/${made.id}`);
    await page.getByText("9 000 rows".replace(" ", "\u202f")).waitFor();
    assert.ok((await rows.count()) < 60);
    await page.locator(".study-scroller").evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.locator("tr[data-row='9000']").waitFor();
    assert.ok((await rows.count()) < 60);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^stopped: /).waitFor();
    await page.screenshot({ path: join(pictures, "study-many.png") });
  });

  await claim("two factors with five seeds each, and a band plot of them for a paper, take ten clicks each, with a click for each field and choice", async () => {
    const scene = JSON.parse(readFileSync(join(root, "api/gallery/rigid-pack-64.json")));
    scene.specimens[0].placement.count = [2, 2, 1];
    Object.assign(scene.specimens[0], { variants: 1, spacing: 0.006, grid_spacing: 0.003 });
    Object.assign(scene, { time: { duration: 0.01 }, output: { frame_interval: 0.01, sample_interval: 1e-3 } });
    const { id } = await screed.json("/api/v1/jobs", { method: "POST", body: JSON.stringify(scene), headers: { "Content-Type": "application/json" } });
    await page.goto(`${screed.url}/#/jobs/${id}`);
    let clicks = 0;
    const click = async (place) => (clicks++, await place.click());
    await click(page.getByRole("link", { name: "Vary …" }));
    await page.locator(".scene-picture[data-frames]").waitFor();
    for (const [part, pointer, name, values] of [["contact", "/contact/friction_coefficient", "friction_coefficient", "0.2, 0.6"], ["specimens", "/specimens/0/roughness", "roughness", "0.02, 0.05"]]) {
      const group = page.locator(`[data-pointer="/${part}"]`);
      if (!(await group.evaluate((element) => element.open))) await click(group.locator("> summary"));
      await click(page.locator(`.field[data-pointer="${pointer}"] > .vary`));
      clicks++; // into the field
      await page.getByLabel(`Values of ${name}`).fill(values);
    }
    await click(page.getByRole("button", { name: "Repeat each with 5 seeds" }));
    await page.getByText(/^20 runs, about/).waitFor();
    await click(page.getByRole("button", { name: "Start study" }));
    await page.waitForURL(/#\/studies\/\d+$/);
    await page.getByText(/^finished: 20 of 20/).waitFor();
    assert.ok(clicks <= 10, `${clicks} clicks for the sweep`);
    clicks = 2; // a list is opened, and an entry is chosen
    await page.getByLabel("For each value of").selectOption("friction_coefficient");
    for (const [label, name] of [["Curve of x", "time"], ["Curve of y", "energy.kinetic"]]) {
      clicks++;
      await page.getByLabel(label).fill(name);
    }
    await click(page.getByRole("button", { name: "Bands of" }));
    await page.getByText("friction_coefficient 0.6: 10 curves; median").waitFor();
    assert.equal(await page.locator(".study-plot .median").count(), 2);
    assert.equal(await page.locator(".study-plot .thin").count(), 20);
    const saving = page.waitForEvent("download");
    await click(page.locator(".study-ensemble").getByRole("button", { name: "SVG" }));
    assert.match(readFileSync(await (await saving).path()).toString(), /<svg[^]*energy.kinetic \((m|µ)J\)[^]*<\/svg>/);
    assert.ok(clicks <= 10, `${clicks} clicks for the bands`);
    await page.locator(".study-ensemble").screenshot({ path: join(pictures, "study-bands-of-seeds.png") });
  });

  await claim("a study is deleted after being asked twice, and is gone from the list", async () => {
    await page.goto(`${screed.url}/#/studies/1`);
    await page.getByRole("button", { name: "Delete with its runs" }).click();
    await page.getByRole("button", { name: "Delete with its runs: sure?" }).click();
    await page.waitForURL(/#\/studies$/);
    await eventually(async () => (await fetch(`${screed.url}/api/v1/studies/1`)).status === 404, "the study to be gone");
  });

  await claim("the pages stay within their width on a phone and say nothing to the console", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${screed.url}/#/studies`);
    await page.locator(".job-row").first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.goto(`${screed.url}/#/studies/4`);
    await page.locator(".study-table").waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the screen");
    await page.screenshot({ path: join(pictures, "study-phone.png") });
    assert.deepEqual(errors, []);
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
