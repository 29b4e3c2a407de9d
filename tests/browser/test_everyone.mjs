// Every page can be used by all: axe-core finds nothing on any of them, light and dark. And the pages are small.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const BUNDLE_MOST = 700e3; // bytes of scripts and styles, gzipped
const axe = readFileSync(createRequire(join(root, "web/package.json")).resolve("axe-core/axe.min.js"), "utf8");
const screed = await new Screed().start();
const browser = await launchBrowser();

const ALL = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] };
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] }; // of those rules what another scheme of colours changes

/** What axe-core finds on a page by those rules, each with the first elements. */
async function findings(page, rules = ALL) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate((runOnly) => globalThis.axe.run(document, { runOnly, resultTypes: ["violations"] }), rules);
  assert.ok(passes.length > (rules === ALL ? 15 : 0), `${passes.length} rules applied`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" ; ")}`);
}

try {
  const scene = (await screed.json("/api/v1/gallery")).scenes.find(({ name }) => name === "cylinder-press").scene;
  const submit = (body) => screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  for (const mesh of ["a", "b"]) await submit({ scene, tags: { mesh } });
  for (const id of [1, 2]) await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of a press");
  const post = (path, body) => screed.json(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const blocks = { scree_study: 1, name: "blocks", title: "Blocks that slide", scene: "gallery:sliding-block", factors: { mu: { pointer: "/contact/friction_coefficient", values: [0.3, 0.4, 0.5] } }, results: { distance: { expression: "final(first.x)", unit: "m" } } };
  const studies = [blocks, { ...blocks, name: "found", title: "Which friction?", factors: { mu: { pointer: "/contact/friction_coefficient", range: { from: 0.2, to: 0.8 } } }, design: { kind: "calibrate", targets: { way: { expression: "final(first.x)", value: 0.4, scatter: 0.02 } }, runs: 10 } }];
  for (const study of studies) {
    const { id, ...said } = await post("/api/v1/studies", study);
    assert.ok(id, JSON.stringify(said));
    await eventually(async () => (await screed.json(`/api/v1/studies/${id}`)).state === "finished", "the end of a study");
  }
  const lines = Array.from({ length: 20 }, (_, i) => `${i / 20},${10 * i}`);
  const { asset } = await (await fetch(`${screed.url}/api/v1/assets?name=press.csv`, { method: "POST", body: ["time (s),force (N)", ...lines].join("\n") })).json();
  const measured = await post("/api/v1/measured", { name: "press", specimens: [{ asset }], x: 1, y: 2 });
  assert.equal(measured.id, 1, JSON.stringify(measured));
  const PAGES = { "the list of jobs": ["#/", "[data-job]"], "the gallery": ["#/new", ".gallery .card"], "a form": ["#/new/cylinder-press", ".check-ok"], "a job with another and a measured curve": ["#/jobs/1?with=2&measured=1", "[data-measured='1']"], "a comparison": ["#/compare?jobs=1,2", ".compare-table td"], "an example": ["#/gallery/cylinder-press", "main h1"], "the list of studies": ["#/studies", ".job-name"], "a new study": ["#/studies/new?gallery=angle-of-repose", "text=/runs, about/"], "a study": ["#/studies/1", ".study-table tbody tr[data-row]"], "a calibration": ["#/studies/2", ".calibration-unknowns tbody tr"] };
  for (const [name, [address, ready]] of Object.entries(PAGES))
    await claim(`axe-core finds nothing on ${name}, light and dark, with all that folds open`, async () => {
      const page = await browser.newPage({ viewport: { width: 1366, height: 768 }, colorScheme: "light" });
      await page.goto(`${screed.url}/${address}`);
      await page.locator(ready).first().waitFor();
      if (address.startsWith("#/jobs/")) await page.locator(".view3d > canvas").waitFor();
      await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
      if (name === "a form") {
        await page.locator('[data-pointer="/specimens/0/shape/radius"] input').focus(); // with the handles of what is selected
        await page.locator(".handle").first().waitFor();
      }
      assert.deepEqual(await findings(page), []);
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.emulateMedia({ colorScheme: "dark" });
      await eventually(async () => (await ground()) !== light, "a dark ground");
      await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
      assert.deepEqual(await findings(page, COLOURS), []);
      await page.close();
    });

  await claim("axe-core finds what is planted", async () => {
    const page = await browser.newPage();
    await page.goto(`${screed.url}/#/`);
    await page.locator("[data-job]").first().waitFor();
    await page.evaluate(() => document.querySelector("main").append(Object.assign(document.createElement("img"), { src: "/assets/icon.svg" })));
    const found = await findings(page);
    assert.ok(found.some((line) => line.startsWith("image-alt")), found.join("\n"));
    await page.close();
  });

  await claim("scripts and styles are at most 700 kB when they are sent", () => {
    const folder = join(build, "web/assets");
    const bytes = readdirSync(folder).filter((name) => /\.(js|css)$/.test(name)).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    console.log(`# ${(bytes / 1000).toFixed(1)} kB`);
    assert.ok(bytes > 50e3 && bytes <= BUNDLE_MOST, `${bytes} bytes`);
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
