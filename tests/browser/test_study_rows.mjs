// A study of ten thousand rows in a real browser: the page shows what is to be seen and no more, scrolls, sorts and narrows without a stop. Its rows get
// their results in the store, as runs of all of them would take minutes (tests/reports/bench/STUDY_ROWS.md has those).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const ROWS = 10000;
const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed(["--no-auth", "--slots", "1", "--threads", "1"]).start();
const post = (path, body) => screed.json(path, { method: "POST", body: JSON.stringify(body ?? null), headers: { "Content-Type": "application/json" } });
const browser = await launchBrowser();

/** Times between frames while `act` runs in the page, ms: the median and the longest. */
const frames = (page, act, argument) =>
  page.evaluate(
    async ([source, given]) => {
      const times = [];
      let last = performance.now();
      let on = true;
      const tick = (now) => {
        times.push(now - last);
        last = now;
        if (on) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      await eval(`(${source})`)(given);
      on = false;
      times.shift();
      times.sort((a, b) => a - b);
      return { count: times.length, median: times[Math.floor(times.length / 2)], longest: times[times.length - 1] };
    },
    [act.toString(), argument],
  );

try {
  const { id } = await post("/api/v1/studies", {
    scree_study: 1, name: "many", title: "Ten thousand blocks", scene: "gallery:sliding-block", limits: { at_once: 1 },
    factors: {
      mu: { pointer: "/contact/friction_coefficient", range: { from: 0.2, to: 0.9, steps: 100 } },
      speed: { pointer: "/specimens/0/velocity/0", range: { from: 1, to: 3, steps: ROWS / 100 }, unit: "m/s" },
    },
    results: { distance: { expression: "final(first.x)", unit: "m" }, time: { expression: "first(first.velocity_x < 1e-6)", unit: "s" } },
  });
  await post(`/api/v1/studies/${id}/stop`);
  await screed.kill();
  execFileSync("/usr/bin/python3", [join(root, "tests/support/fill_study.py"), join(screed.folder, "data/scree.db"), String(id)]);
  await screed.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 950 }, colorScheme: "light" });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const rows = page.locator(".study-table tbody tr[data-row]");
  const first = async () => Number(await rows.first().getAttribute("data-row"));

  await claim("all rows of a study of ten thousand are there, and a few dozen of them in the page", async () => {
    const begun = Date.now();
    await page.goto(`${screed.url}/#/studies/${id}`);
    await eventually(async () => /10.?000 rows/.test((await page.locator(".study-rows [role=status]").innerText()) ?? ""), "all rows");
    console.log(`# read and shown in ${Date.now() - begun} ms`);
    assert.ok((await rows.count()) < 80, `${await rows.count()} rows in the page`);
    assert.match(await page.locator(".study-head").innerText(), /finished: 10.?000 of 10.?000/);
    await page.screenshot({ path: join(pictures, "study-ten-thousand.png"), fullPage: true });
  });

  await claim("the table scrolls notch by notch, frame by frame, and ends with the last row", async () => {
    const took = await frames(page, async () => {
      const scroller = document.querySelector(".study-scroller");
      for (let step = 1; step <= 60; step++) {
        scroller.scrollTop += 120; // a notch of a wheel
        await new Promise(requestAnimationFrame);
      }
      scroller.scrollTop = scroller.scrollHeight;
    });
    console.log(`# scrolled: median ${took.median.toFixed(1)} ms a frame, longest ${took.longest.toFixed(1)} ms`);
    await eventually(async () => Number(await rows.last().getAttribute("data-row")) === ROWS, "the last row");
    assert.ok(took.median < 1000, `${took.median} ms a frame`);
  });

  await claim("a heading sorts them all", async () => {
    const { rows: least } = await screed.json(`/api/v1/studies/${id}/rows?limit=1`);
    assert.equal(least.length, 1);
    await page.evaluate(() => (document.querySelector(".study-scroller").scrollTop = 0));
    const took = await page.evaluate(async () => {
      const begun = performance.now();
      [...document.querySelectorAll(".study-table th button")].find((b) => b.textContent.startsWith("distance")).click();
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - begun;
    });
    console.log(`# sorted in ${took.toFixed(0)} ms`);
    assert.ok(took < 10000, `${took} ms`);
    const values = (await rows.locator("td:nth-child(4)").allInnerTexts()).map(Number);
    assert.ok(values.length > 10 && values.every((value, k) => k === 0 || value >= values[k - 1]), values.join());
    assert.ok((await first()) > 0);
  });

  await claim("a range dragged along an axis narrows them, frame by frame", async () => {
    const canvas = page.locator(".study-parallel canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const begun = Date.now();
    await page.mouse.move(box.x + 74, box.y + box.height - 10);
    await page.mouse.down();
    for (let step = 1; step <= 20; step++) await page.mouse.move(box.x + 74, box.y + box.height - 10 - (step / 20) * (box.height / 2));
    await page.mouse.up();
    const narrowed = page.locator(".study-parallel").getByText(/of 10.?000 rows inside mu/);
    await narrowed.waitFor();
    const step = (Date.now() - begun) / 20;
    console.log(`# narrowed in 20 steps of ${step.toFixed(0)} ms: ${await narrowed.innerText()}`);
    assert.ok(step < 2000, `${step} ms`);
    await page.locator(".study-parallel").screenshot({ path: join(pictures, "study-ten-thousand-parallel.png") });
  });

  await claim("its memory is bounded, and nothing went wrong in the page", async () => {
    const bytes = await page.evaluate(() => performance.memory.usedJSHeapSize);
    console.log(`# ${(bytes / 1e6).toFixed(0)} MB`);
    assert.ok(bytes < 200e6, `${bytes} bytes`);
    assert.deepEqual(errors, []);
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
