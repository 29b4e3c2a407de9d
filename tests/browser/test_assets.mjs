// A mesh as a file: uploaded in the composer, referred to by its digest, offered again; and a scene of it that can run.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const corners = ["-1 -1 -1", "1 -1 -1", "-1 1 -1", "1 1 -1", "-1 -1 1", "1 -1 1", "-1 1 1", "1 1 1"];
const faces = ["1 5 7", "1 7 3", "2 4 8", "2 8 6", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 3 4", "1 4 2", "5 6 8", "5 8 7"];
const box = Buffer.from([...corners.map((c) => `v ${c}`), ...faces.map((f) => `f ${f}`)].join("\n") + "\n");
const reference = `sha256:${createHash("sha256").update(box).digest("hex")}`;

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const { scenes } = await screed.json("/api/v1/gallery");
  const scene = scenes.find((entry) => entry.name === "hollow-sphere-crush").scene;
  const radius = scene.specimens[0].shape.radius;
  scene.obstacles = [{ name: "block", shape: { type: "mesh", scale: radius / 10 }, position: [0, 0, -20 * radius] }];
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  const file = page.locator('[data-pointer="/obstacles/0/shape/file"]');

  await claim("a file that is uploaded in the form becomes the scene's reference to it", async () => {
    const chooser = page.waitForEvent("filechooser"); // asked for long before the click: the browser has to be told of it first
    await page.goto(`${screed.url}/#/new/hollow-sphere-crush`);
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("The scene as JSON").fill(JSON.stringify(scene));
    await page.getByRole("tab", { name: "Form" }).click();
    await file.waitFor({ state: "attached" });
    await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
    await file.getByRole("button", { name: "Upload" }).click();
    await (await chooser).setFiles({ name: "block.obj", mimeType: "model/obj", buffer: box });
    await eventually(async () => (await file.locator("input[type=text]").inputValue()) === reference, "the reference");
    await file.locator("canvas").waitFor();
    await eventually(async () => /a mesh, 2 × 2 × 2 in the file's unit, volume 8, 12 triangles/.test(await file.locator(".asset-picture").innerText()), "what the mesh is");
    const drawn = await file.locator("canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, k) => k % 4 === 3 && value === 255).length / (canvas.width * canvas.height);
    });
    assert.ok(drawn > 0.2 && drawn < 0.9, `a box fills ${drawn} of the picture`);
    await file.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "asset-field.png") });
    await page.getByRole("tab", { name: "JSON" }).click();
    const written = JSON.parse(await page.getByLabel("The scene as JSON").inputValue());
    assert.equal(written.obstacles[0].shape.file, reference);
    await page.getByRole("tab", { name: "Form" }).click();
  });

  await claim("a verdict that arrives while a button is held down does not take the button away from under the pointer", async () => {
    const late = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    let answer;
    const asked = new Promise((resolve) => (answer = resolve));
    await late.route("**/scenes/check*", async (route) => (await asked, await route.continue()));
    const chooser = late.waitForEvent("filechooser");
    await late.goto(`${screed.url}/#/new/hollow-sphere-crush`);
    await late.getByRole("tab", { name: "JSON" }).click();
    await late.getByLabel("The scene as JSON").fill(JSON.stringify(scene));
    await late.getByRole("tab", { name: "Form" }).click();
    const field = late.locator('[data-pointer="/obstacles/0/shape/file"]');
    const upload = field.getByRole("button", { name: "Upload" });
    await field.waitFor({ state: "attached" });
    await late.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
    await upload.scrollIntoViewIfNeeded();
    const at = await upload.boundingBox();
    await late.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
    await late.mouse.down();
    const verdict = late.waitForResponse((response) => response.url().includes("/scenes/check") && response.status() === 422);
    answer();
    await verdict;
    await new Promise((resolve) => setTimeout(resolve, 300)); // the page has had time to show it
    assert.deepEqual(await upload.boundingBox(), at, "the button moved while it was held down");
    await late.mouse.up();
    await chooser;
    await eventually(async () => (await upload.boundingBox()).y > at.y, "the verdict, which moves the button now");
    await late.context().close();
  });

  await claim("the server has it, under the name of the file, and takes the scene", async () => {
    const { assets } = await screed.json("/api/v1/assets");
    assert.deepEqual(assets.map((asset) => [asset.asset, asset.name, asset.bytes]), [[reference, "block.obj", box.length]]);
    scene.obstacles[0].shape.file = reference;
    const checked = await screed.json("/api/v1/scenes/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
    assert.equal(checked.valid, true, JSON.stringify(checked));
  });

  await claim("what was uploaded is offered where a file can be named", async () => {
    await file.locator("input[type=text]").focus();
    await eventually(async () => (await file.locator("datalist option").count()) === 1, "the list of assets");
    assert.equal(await file.locator("datalist option").getAttribute("value"), reference);
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
