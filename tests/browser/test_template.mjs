// What a scene's grains are made into, before a run: the composer shows a template with its nodes and numbers, bends it by a slider, and plays its mode.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

/** Share of a canvas' pixels that are drawn, and their lowest row's share of its height; the picture is white where nothing is. */
const drawn = (canvas) =>
  canvas.evaluate((element) => {
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    let count = 0, lowest = 0, orange = 0;
    for (let k = 0; k < data.length; k += 4) {
      if (data[k + 3] === 0) continue;
      count++;
      lowest = Math.floor(k / 4 / element.width) / element.height;
      if (data[k] > data[k + 2] + 80) orange++;
    }
    return { share: count / (element.width * element.height), lowest, orange };
  });

try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 1000 } })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  const panel = page.getByRole("region", { name: "Template" });
  const canvas = panel.locator("canvas");
  const slide = (value) =>
    panel.getByLabel("Amplitude").evaluate((input, to) => {
      input.value = String(to);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, value);

  await claim("a scene of a method that makes templates shows one: its surface with nodes, and its numbers", async () => {
    await page.goto(`${screed.url}/#/new/bend3`);
    await panel.getByRole("button", { name: "Show" }).click();
    await canvas.waitFor();
    for (const what of [/Mass\s+20\s000\skg/, /Mode 1/]) await eventually(async () => what.test(await panel.innerText()), String(what));
    const seen = await eventually(async () => ((seen) => seen.share > 0.01 && seen)(await drawn(canvas)), "the bar");
    assert.ok(seen.share < 0.5 && seen.orange === 0, /* nodes are too near each other to be drawn */ JSON.stringify(seen));
  });

  await claim("the slider bends the bar downwards by a quarter of its reach over the mode's largest displacement, and back", async () => {
    for (const key of ["ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) await canvas.press(key); /* from the side */
    const rest = await drawn(canvas);
    await slide(100);
    const bent = await drawn(canvas);
    assert.ok(bent.lowest > rest.lowest + 0.02, JSON.stringify([rest, bent]));
    assert.match(await panel.locator("output").innerText(), /\sm$/);
    await page.screenshot({ path: join(pictures, "template.png") });
    await slide(0);
    assert.deepEqual(await drawn(canvas), rest);
  });

  await claim("it plays: the amplitude moves by itself, until it is stopped", async () => {
    const value = () => panel.getByLabel("Amplitude").inputValue();
    await panel.getByRole("button", { name: "Play" }).click();
    await eventually(async () => Math.abs(Number(await value())) > 10, "the mode to move");
    await panel.getByRole("button", { name: "Stop" }).click();
    const stopped = await value();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await value(), stopped);
  });

  await claim("of a scene with several specimens one is chosen; grains without modes have no slider", async () => {
    await page.goto(`${screed.url}/#/new/lsupdate`);
    await panel.getByLabel("Specimen").selectOption("load-remap");
    await panel.getByRole("button", { name: "Show" }).click();
    await canvas.waitFor();
    assert.equal(await panel.getByLabel("Amplitude").isVisible(), false);
    assert.match(await canvas.getAttribute("aria-label"), /load-remap/);
    await eventually(async () => (await drawn(canvas)).orange > 100, "nodes on the surface");
    await page.screenshot({ path: join(pictures, "template-nodes.png") });
  });

  await claim("a scene that can't be made says why; a change of the scene takes the picture's colour back", async () => {
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = page.getByLabel("The scene as JSON");
    const scene = JSON.parse(await text.inputValue());
    scene.name = "other";
    await text.fill(JSON.stringify(scene));
    await panel.locator(".template-body.stale").waitFor();
    scene.specimens[0].spacing = -1;
    await text.fill(JSON.stringify(scene));
    await panel.getByRole("button", { name: "Show" }).click();
    await panel.locator(".check-refused").waitFor();
    assert.equal(await canvas.count(), 0);
  });

  await claim("a method that makes none has no such panel", async () => {
    await page.goto(`${screed.url}/#/new/drum`);
    await page.getByText("This scene can run.").waitFor();
    assert.equal(await panel.count(), 0);
  });

  await claim("nothing was complained of but the refused scene", async () => {
    assert.deepEqual(complaints.filter((said) => !/422/.test(said)), []);
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
