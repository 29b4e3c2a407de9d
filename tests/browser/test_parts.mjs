// Parts of the picture: a box of what is shown, pieces that a press hides, and arrows for velocities. Pictures go to build/screenshots.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAt, lookAtRest, lookUntil, root, Screed, showFrame, turnWheel } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "chocolate-drop").scene;
  scene.specimens[0].spacing = 0.02;
  scene.time = { duration: 0.025 };
  scene.output = { frame_interval: 1e-3, surfaces: true };
  scene.options = { ...scene.options, contact_forces: true };
  const { id } = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
  await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of the run");
  const { frames } = await screed.json(`/api/v1/jobs/${id}/frames`);
  const page = await (await browser.newContext({ viewport: { width: 1366, height: 768 }, colorScheme: "light" })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  await page.goto(`${screed.url}/#/jobs/${id}`);
  await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) === frames.length - 1, "the whole time line");
  await showFrame(page, frames.length - 1);
  await page.getByRole("checkbox", { name: "Rig" }).uncheck();
  await claim("the bar above the picture is one line on a laptop, and on a tablet the plot stands beside the picture", async () => {
    await page.locator(".stage-bar").waitFor();
    for (const field of ["Stress", "Fragment"]) {
      await page.getByLabel("Colour by").selectOption({ label: field });
      for (const cut of [true, false]) {
        await page.getByLabel("Clip", { exact: true }).setChecked(cut);
        const bar = await page.locator(".stage-bar").boundingBox();
        if (cut) await page.screenshot({ path: join(pictures, "parts-bar.png") });
        assert.ok(bar.height < 60, `${bar.height} pixels high by ${field}`);
      }
    }
    const wide = await page.locator(".view3d > canvas").boundingBox();
    await page.setViewportSize({ width: 820, height: 1180 });
    const [picture, plot] = [await page.locator(".view3d").boundingBox(), await page.locator(".plot-place").boundingBox()];
    assert.ok(plot.x >= picture.x + picture.width && plot.y < picture.y + picture.height, JSON.stringify([picture, plot]));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out");
    await page.screenshot({ path: join(pictures, "parts-tablet.png") });
    await page.setViewportSize({ width: 1366, height: 768 });
    await eventually(async () => (await page.locator(".view3d > canvas").boundingBox())?.width === wide.width, "the picture's size as it was");
  });

  const open = (on) => page.locator("summary", { hasText: /^Parts$/ }).evaluate((summary, on) => (summary.parentElement.open = on), on);
  const middle = [375, 525];
  await turnWheel(page, middle, -240, 6); // over the pieces on the floor, which are small beside what they fell through
  const whole = await lookAtRest(page);

  await claim("a box along the axes shows what lies in it alone, and gives all back", async () => {
    await open(true);
    await page.getByLabel("Box to, along x").fill("0.5");
    await lookUntil(page, [whole.sum], "half of the slab", ({ filled }) => filled < 0.8 * whole.filled);
    await page.getByLabel("Box from, along y").fill("0.6");
    const quarter = await lookUntil(page, [whole.sum], "less than half", ({ filled }) => filled < 0.5 * whole.filled);
    await page.screenshot({ path: join(pictures, "parts-box.png") });
    await page.getByLabel("Box to, along x").fill("0");
    assert.equal(await page.getByLabel("Box to, along x").inputValue(), "0.01"); // never beyond its other end
    await page.getByRole("button", { name: "Whole box" }).click();
    await open(false);
    await lookUntil(page, [quarter.sum], "all of it", ({ sum }) => sum === whole.sum);
  });

  for (const shape of ["surface", "balls"])
    await claim(`a press hides the piece that it meets, shown by its ${shape}, until all are shown again`, async () => {
      await page.locator(".stage-bar").getByLabel(/^Show\b/).selectOption(shape);
      await open(true);
      await page.getByLabel(/^A click hides/).selectOption({ label: "fragment" });
      await open(false);
      const before = await lookAtRest(page);
      await page.mouse.click(...middle);
      await lookUntil(page, [before.sum], "a gap where the piece was", ({ filled }) => filled < 0.98 * before.filled);
      await page.screenshot({ path: join(pictures, `parts-hidden-${shape}.png`) });
      await open(true);
      await page.getByRole("button", { name: "Show all (1 hidden)" }).click();
      await page.getByLabel(/^A click hides/).selectOption("");
      await open(false);
      await eventually(async () => (await lookAt(page)).sum === before.sum, "every piece again");
    });

  await claim("arrows show velocities, whose longest is told and is what the frames say", async () => {
    await open(true);
    await page.getByLabel(/^Arrows/).selectOption({ label: "velocity" });
    const said = page.locator(".popover-body .save-said").filter({ hasText: /arrows/ });
    await said.waitFor();
    const [, arrows, speed] = /^(\d+) arrows; the longest is ([\d.]+)\sm\/s/.exec(await said.innerText());
    assert.ok(Number(arrows) > 50 && Number(speed) > 1 && Number(speed) < 30, `${arrows} arrows, ${speed} m/s`); // it fell on the floor at some metres a second
    await open(false);
    const drawn = await lookAtRest(page);
    await page.screenshot({ path: join(pictures, "parts-arrows.png") });
    await showFrame(page, frames.length - 2);
    await lookUntil(page, [drawn.sum], "arrows of another frame");
    await showFrame(page, 0);
    await open(true);
    await page.getByText("The first frame has no velocities").waitFor();
    await page.getByLabel(/^Arrows/).selectOption("-1");
    await open(false);
  });

  await claim("arrows show forces of contacts, of which the longest is as large as the picture's data has it", async () => {
    await showFrame(page, frames.length - 1);
    await open(true);
    await page.getByLabel(/^Arrows/).selectOption({ label: "contact force" });
    const said = page.locator(".popover-body .save-said").filter({ hasText: /arrows/ });
    await said.waitFor();
    const [, arrows, force] = /^(\d+) arrows; the longest is ([\d.]+\sk?N)\./.exec(await said.innerText());
    assert.ok(Number(arrows) > 5, `${arrows} arrows, ${force}`);
    await open(false);
    await page.screenshot({ path: join(pictures, "parts-contact-forces.png") });
    await showFrame(page, 0);
    await open(true);
    await page.getByText("All are 0 in this frame").waitFor(); // it falls, and touches nothing
    await page.getByLabel(/^Arrows/).selectOption("-1");
    await open(false);
  });

  const view = (on) => page.locator("summary", { hasText: /^View$/ }).evaluate((summary, on) => (summary.parentElement.open = on), on);

  await claim("pieces move apart, each whole, and together again, by their surfaces and by their balls", async () => {
    await showFrame(page, frames.length - 1);
    for (const shape of ["balls", "surface"]) {
      await page.locator(".stage-bar").getByLabel(/^Show\b/).selectOption(shape);
      const together = await lookAtRest(page);
      await view(true);
      await page.getByLabel("Exploded view").fill("1");
      await view(false);
      const apart = await lookUntil(page, [together.sum], "pieces that stand apart", ({ filled }) => Math.abs(filled / together.filled - 1) > 0.02);
      await page.screenshot({ path: join(pictures, `parts-exploded-${shape}.png`) });
      await view(true);
      await page.getByLabel("Exploded view").fill("0");
      await view(false);
      await lookUntil(page, [apart.sum], "all together", ({ sum }) => sum === together.sum);
    }
  });

  await claim("a view is kept, found again after the page was left, and forgotten", async () => {
    await view(true);
    await page.getByRole("button", { name: "Keep this view" }).click();
    await view(false);
    const kept = await lookAtRest(page);
    await view(true);
    await page.getByRole("button", { name: "+z", exact: true }).click();
    await page.getByLabel("Parallel projection").check();
    await view(false);
    await lookUntil(page, [kept.sum], "another view");
    await view(true);
    await page.getByRole("button", { name: "View 1", exact: true }).click();
    assert.equal(await page.getByLabel("Parallel projection").isChecked(), false);
    await view(false);
    await eventually(async () => (await lookAtRest(page)).sum === kept.sum, "the view as it was kept");
    await page.reload();
    await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) === frames.length - 1, "the whole time line");
    await showFrame(page, frames.length - 1);
    await page.getByRole("checkbox", { name: "Rig" }).uncheck();
    await view(true);
    await page.getByRole("button", { name: "View 1", exact: true }).click();
    await page.screenshot({ path: join(pictures, "parts-kept-view.png") });
    await page.getByRole("button", { name: "Forget view 1" }).click();
    assert.equal(await page.getByRole("button", { name: "View 1", exact: true }).count(), 0);
    await view(false);
    const again = await lookAtRest(page);
    assert.ok(Math.abs(again.filled / kept.filled - 1) < 0.05, `${again.filled} and ${kept.filled} of the picture`);
  });

  await claim("a press draws the path of the element that it meets, as long as its frames say", async () => {
    await open(true);
    await page.getByLabel("A click draws a path").check();
    await open(false);
    const before = await lookAtRest(page);
    await page.mouse.click(...middle);
    await eventually(async () => (await page.locator(".view3d").getAttribute("data-paths")) === "1", "a path");
    await lookUntil(page, [before.sum], "its line");
    await open(true);
    const said = page.getByText(/^The path is/);
    const [, length, frames_, from] = /^The path is ([\d.]+\sm?m) long over (\d+) frames; the end is ([\d.]+\sm?m) from the start/.exec(await said.innerText());
    const metres = (text) => Number(text.split(/\s/)[0]) * (/mm$/.test(text) ? 1e-3 : 1);
    assert.equal(Number(frames_), frames.length);
    assert.ok(metres(length) >= metres(from) && metres(from) > 0.02 && metres(length) < 1, `${length}, ${from}`); // it fell, at some metres a second for 25 ms
    await page.screenshot({ path: join(pictures, "parts-path.png") });
    await page.getByRole("button", { name: "Remove paths" }).click();
    await page.getByLabel("A click draws a path").uncheck();
    await open(false);
    assert.equal(await page.locator(".view3d").getAttribute("data-paths"), "0");
  });

  await claim("shading darkens corners and throws a shadow, on the screen and in saved pictures, and leaves nothing behind", async () => {
    const shade = async (on) => {
      await page.locator("summary", { hasText: /^View$/ }).evaluate((summary) => (summary.parentElement.open = true));
      await page.getByLabel("Shade", { exact: true }).setChecked(on);
      await page.locator("summary", { hasText: /^View$/ }).evaluate((summary) => (summary.parentElement.open = false));
    };
    await page.getByRole("button", { name: "Fit" }).click();
    const plain = await lookAtRest(page);
    assert.equal(await page.getByLabel("Shade", { exact: true }).isChecked(), false, "a program in place of a graphics processor draws without, at first");
    await shade(true);
    const shaded = await lookUntil(page, [plain.sum], "the slab's shadow below it", ({ filled, y }) => filled > 1.05 * plain.filled && y > plain.y);
    await page.screenshot({ path: join(pictures, "parts-shaded.png") });
    assert.ok(shaded.colours > plain.colours, `${plain.colours} and ${shaded.colours} colours`);
    await shade(false);
    await eventually(async () => (await lookAt(page)).sum === plain.sum, "the picture as it was");
  });

  await claim("chains of forces are drawn as lines, coloured by their force with its scale, and switched off and on", async () => {
    const heap = { ...scenes.find((entry) => entry.name === "compact27").scene, options: { force_chains: true } };
    heap.output = { frame_interval: heap.time.duration / 10 };
    const { id: other } = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(heap) });
    await eventually(async () => (await screed.json(`/api/v1/jobs/${other}`)).state === "succeeded", "the end of the run");
    await page.goto(`${screed.url}/#/jobs/${other}`);
    await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) === 10, "the whole time line");
    await showFrame(page, 10);
    await page.getByLabel("Colour by").selectOption({ label: await page.getByLabel("Colour by").locator("option", { hasText: /\bforce$/i }).first().innerText() });
    await eventually(async () => /Force.*N/s.test(await page.locator(".legend").innerText()), "the scale of the force");
    await view(true);
    for (const label of await page.locator(".look-shown label").all()) if (!/Force chains/.test(await label.innerText())) await label.locator("input").uncheck();
    await view(false);
    const chains = await lookUntil(page, [], "the chains alone", ({ filled }) => filled > 0);
    await page.screenshot({ path: join(pictures, "parts-chains.png") });
    await view(true);
    await page.locator(".look-shown").getByLabel("Force chains").uncheck();
    await view(false);
    await lookUntil(page, [chains.sum], "nothing", ({ filled }) => filled < chains.filled);
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
