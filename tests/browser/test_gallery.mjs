// The gallery in a real browser: a picture for every scene, time and size for those in sight, a filter that is part of the address, a page for each scene, and a
// blank scene that can run.
import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  const page = await context.newPage();
  const { scenes } = await screed.json("/api/v1/gallery");
  const cards = page.locator(".gallery > li");
  const facts = (name) => page.locator(`.gallery > li:has(a[href="#/gallery/${name}"]) .gallery-facts`);
  const checks = { sent: 0, now: 0, most: 0 };
  const isCheck = (request) => request.url().endsWith("/api/v1/scenes/check");
  page.on("request", (request) => isCheck(request) && (checks.sent++, (checks.most = Math.max(checks.most, ++checks.now))));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => isCheck(request) && checks.now--);

  await claim("scenes in sight say how long they run here and how large they get, as their checks do, asked for one at a time", async () => {
    await page.goto(screed.url + "/#/new");
    const first = scenes.slice(0, 3);
    for (const { name, scene } of first) {
      await eventually(async () => /here · ≤ .*B$/.test(await facts(name).textContent()), `what ${name} takes`);
      const { estimate } = await screed.json("/api/v1/scenes/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
      const said = /(?:about|below) ([0-9.]+)\s(s|min) here/.exec(await facts(name).textContent());
      assert.ok(Math.abs(Number(said[1]) * (said[2] === "min" ? 60 : 1) - estimate.run_seconds) <= (said[2] === "min" ? 60 : estimate.run_seconds < 9.95 ? 0.1 : 0.55), `${name}: ${said[0]}, ${estimate.run_seconds}`);
    }
    assert.equal(checks.most, 1);
    const last = scenes[scenes.length - 1].name;
    assert.equal(await facts(last).textContent(), scenes[scenes.length - 1].method, "what is out of sight is not checked");
    await facts(last).scrollIntoViewIfNeeded();
    await eventually(async () => /here · ≤ .*B$/.test(await facts(last).textContent()), `what ${last} takes, once it is in sight`);
    const sent = checks.sent;
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.locator(".gallery").waitFor({ state: "detached" });
    await page.goBack();
    await eventually(async () => /here · ≤ .*B$/.test(await facts(first[0].name).textContent()), "the same again");
    assert.ok(sent >= first.length + 1 && sent < scenes.length, `${sent} checks of ${scenes.length} scenes`);
    assert.doesNotMatch(scenes.map(({ description }) => description).join(" "), /\b(runs? (in|for)|takes) (about )?\d+ (s|seconds|minutes|hours)\b/, "no description has a time of some machine");
  });

  await claim("nothing in the gallery moves when what scenes take becomes known, so that a click meets what it was meant for", async () => {
    for (const [width, height] of [[1440, 900], [1280, 900], [900, 900], [390, 800]]) {
      const fresh = await context.newPage();
      let answer = () => undefined;
      const asked = new Promise((resolve) => (answer = resolve));
      await fresh.route("**/api/v1/scenes/check", async (route) => (await asked, route.continue().catch(() => undefined)));
      await fresh.setViewportSize({ width, height });
      await fresh.goto(screed.url + "/#/new");
      await fresh.locator(".gallery .card").first().waitFor();
      const tops = () => fresh.evaluate(() => [...document.querySelectorAll(".gallery > li")].map((card) => Math.round(card.getBoundingClientRect().top + scrollY)));
      const before = await tops();
      answer();
      const line = (name) => fresh.locator(`.gallery > li:has(a[href="#/gallery/${name}"]) .gallery-facts`);
      for (const { name } of [...scenes.slice(0, 6), scenes[scenes.length - 1]]) {
        await line(name).scrollIntoViewIfNeeded();
        await eventually(async () => /here · ≤ .*B$/.test(await line(name).textContent()), `what ${name} takes`);
      }
      assert.deepEqual(await tops(), before, `${width} pixels wide`);
      await fresh.close();
    }
  });

  await claim("every scene has a picture of at most 40 kB that loads", async () => {
    await page.goto(screed.url + "/#/new");
    await cards.first().waitFor();
    await eventually(async () => (await cards.count()) === scenes.length + 1, "every scene and the blank one");
    for (const scene of scenes) assert.ok(statSync(join(root, `web/static/gallery/${scene.name}.webp`)).size < 40000, scene.name);
    /* The first card that lacks something, which is scrolled to, as pictures load when they come into sight. */
    const lacking = (names) => names.find((name) => {
      const card = document.querySelector(`.gallery > li:has(a[href="#/gallery/${name}"])`);
      const image = card?.querySelector("img");
      if (image?.complete && image.naturalWidth === 480) return false;
      card?.scrollIntoView();
      return true;
    }) ?? "";
    let late = "";
    const whole = eventually(async () => (late = await page.evaluate(lacking, scenes.map(({ name }) => name))) === "", "every picture");
    await whole.catch((error) => assert.fail(`${late}: ${error.message}`));
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(pictures, "gallery.png") });
  });

  await claim("descriptions take two lines at most in the gallery", async () => {
    for (const text of await page.locator(".gallery .two-lines").all()) {
      const lines = await text.evaluate((element) => element.clientHeight / parseFloat(getComputedStyle(element).lineHeight));
      assert.ok(lines < 2.2, `${lines} lines`);
    }
  });

  await claim("the filter shows one method's scenes, and its choice survives a reload", async () => {
    const expected = scenes.filter((scene) => scene.method === "peridem").length;
    await page.getByRole("link", { name: `peridem (${expected})` }).click();
    await page.waitForURL(/#\/new\?method=peridem$/);
    await eventually(async () => (await cards.count()) === expected + 1, "the scenes of one method");
    await page.reload();
    await eventually(async () => (await cards.count()) === expected + 1, "the same after a reload");
  });

  await claim("a scene's own page has the whole description, and runs it as it is", async () => {
    const scene = scenes.find((one) => one.name === "cylinder-press");
    await page.goto(`${screed.url}/#/gallery/${scene.name}`);
    await page.getByRole("heading", { level: 1, name: scene.title }).waitFor();
    assert.equal(await page.locator(".example-text").textContent(), scene.description);
    await page.locator(".gallery-facts", { hasText: /(about|below) .* here/ }).waitFor();
    await page.screenshot({ path: join(pictures, "example.png") });
    await page.getByRole("button", { name: "Run as it is" }).click();
    await page.waitForURL(/#\/jobs\/\d+$/);
    const id = Number(/jobs\/(\d+)/.exec(page.url())[1]);
    await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the run");
  });

  await claim("an address of a scene that is not there says so", async () => {
    await page.goto(`${screed.url}/#/gallery/no-such-scene`);
    await page.getByText('There is no scene called "no-such-scene"').waitFor();
  });

  await claim("the blank scene passes the check as it is and runs", async () => {
    await page.goto(`${screed.url}/#/blank`);
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await eventually(async () => /steps|time step/i.test(await page.locator(".compose-side").textContent()), "an estimate");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/#\/jobs\/\d+$/);
    const id = Number(/jobs\/(\d+)/.exec(page.url())[1]);
    await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the run");
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
