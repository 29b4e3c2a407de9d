// Obstacles in the dashboard: solids of every kind drawn where they are, and the form of a scene that has them.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAt, root, Screed, unfold } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "ring-drop").scene;
  scene.specimens[0].spacing = 3e-3;
  scene.time.duration = 2e-3;
  scene.obstacles.push({ name: "step", shape: { type: "box", size: [0.03, 0.03, 0.01] }, position: [-0.04, 0, -0.025], rotation: { axis: [0, 0, 1], angle_deg: 30 } });
  const job = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
  assert.ok(job.id, JSON.stringify(job));
  await eventually(async () => (await screed.json(`/api/v1/jobs/${job.id}`)).state === "succeeded", "the end of the run");
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  /* 422 is the answer about an obstacle that was only just added */
  page.on("console", (message) => message.type() === "error" && !message.text().includes("422") && complaints.push(`console: ${message.text()}`));

  await claim("the ring is shown with the ball, the box and the floor", async () => {
    await page.goto(`${screed.url}/#/jobs/${job.id}`);
    await page.locator(".view3d > canvas").waitFor();
    await eventually(async () => (await lookAt(page)).filled > 0.02, "a picture of the ring");
    await page.screenshot({ path: join(pictures, "obstacles.png") });
  });

  await claim("the form has a part for each obstacle, and shows a long mesh as one field", async () => {
    await page.goto(`${screed.url}/#/new/ring-drop`);
    const form = page.locator(".scene-form");
    await unfold(page);
    await form.getByText("Obstacle 2: ball").waitFor();
    await form.locator('[data-pointer="/obstacles/1/shape/radius"]').first().waitFor({ state: "attached" });
    assert.match(await form.locator('[data-pointer="/specimens/0/shape/vertices"] textarea').inputValue(), /^\[\[/);
    assert.equal(await form.locator('[data-pointer^="/specimens/0/shape/vertices/"]').count(), 0);
    await form.getByRole("button", { name: "Add obstacle" }).click();
    await form.locator('[data-pointer="/obstacles/2"]').waitFor();
    await page.screenshot({ path: join(pictures, "obstacles-form.png"), fullPage: true });
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
