// The dashboard as a bench: the scene seen before it runs, and curves read, compared and laid side by side. Pictures go to build/screenshots.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, launchBrowser, lookAtRest, lookUntil, plotWhole, root, Screed, unfold } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });
const screed = await new Screed().start();
const browser = await launchBrowser();
const complaints = [];

try {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, colorScheme: "light" });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !/status of 422/.test(message.text()) && complaints.push(`console: ${message.text()}`));
  page.on("request", (request) => new URL(request.url()).origin !== screed.url && !/^(blob|data):/.test(request.url()) && complaints.push(`another origin: ${request.url()}`));

  const drawn = () => eventually(async () => (await page.locator(".scene-picture").getAttribute("data-frames")) === "25" && (await page.locator(".scene-picture").getAttribute("aria-busy")) === null, "the picture of the scene");

  await claim("beside the form stands the scene as the check found it, and the rig goes its way with the slider", async () => {
    await page.goto(`${screed.url}/#/new/hollow-sphere-crush`);
    await drawn();
    const reach = await page.locator(".scene-form").evaluate((form) => form.getBoundingClientRect().bottom);
    assert.ok(reach < 850, `the folded form ends at ${reach}`);
    assert.match(await page.locator('[data-pointer="/specimens"] > summary').innerText(), /Specimens\s+grain: .*radius 1\smm/);
    await unfold(page);
    const begun = await lookUntil(page, [], "a grain in its box", ({ filled }) => filled > 0.05);
    assert.match(await page.locator(".picture-moves").innerText(), /^Z max moves 800\sµm along −z, after a gap of 200\sµm to grain$/);
    const label = page.locator(".gap-label");
    assert.match(await label.innerText(), /^200\sµm$/);
    const [around, said] = [await page.locator(".scene-picture canvas").boundingBox(), await label.boundingBox()];
    assert.ok(said.y > around.y && said.y < around.y + 0.4 * around.height, "above the grain, where the gap is");
    await page.screenshot({ path: join(pictures, "compose-picture.png") });
    const slider = page.getByLabel("Time in the run");
    await slider.fill("24");
    await lookUntil(page, [begun.sum], "the wall at the end of its way");
    assert.match(await page.locator(".picture-time").innerText(), /80\sµs/);
    await slider.fill("0");
  });

  await claim("what is worked on in the form lights up in the picture, and a press on the picture goes to the form", async () => {
    const lit = () => page.locator(".scene-picture .view3d").getAttribute("data-lit");
    const plain = await lookAtRest(page);
    await page.locator('[data-pointer="/specimens/0/shape/radius"] input').focus();
    await eventually(async () => (await lit()) === "true", "a box around the grain");
    await lookUntil(page, [plain.sum], "the box");
    await page.locator('[data-pointer="/title"] input').focus();
    await eventually(async () => (await lit()) === "false", "no box any more");
    const box = await page.locator(".scene-picture canvas").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await eventually(() => page.evaluate(() => document.activeElement?.closest('[data-pointer^="/specimens"]') !== null), "the form's specimen");
  });

  await claim("units stand in a list beside numbers: the one given is kept, another converts, and what is typed with its unit is taken apart", async () => {
    const radius = page.locator('[data-pointer="/specimens/0/shape/radius"]');
    const [input, unit] = [radius.locator("input"), radius.locator("select")];
    const inScene = async () => {
      await page.getByRole("tab", { name: "JSON" }).click();
      const scene = JSON.parse(await page.getByLabel("The scene as JSON").inputValue());
      await page.getByRole("tab", { name: "Form" }).click();
      return scene.specimens[0].shape.radius;
    };
    const was = Number(await input.inputValue());
    await unit.selectOption("mm");
    assert.equal(await input.inputValue(), String(1000 * was));
    assert.equal(await inScene(), `${1000 * was} mm`);
    await input.fill(`${1e6 * was} um`);
    await input.press("Tab");
    assert.deepEqual([await input.inputValue(), await unit.inputValue()], [String(1e6 * was), "µm"]);
    await page.locator('.check:not([aria-busy="true"]) .check-ok').waitFor();
    await unit.selectOption("m");
    assert.equal(await inScene(), was);
  });

  await claim("a warning of the check has a button that mends it", async () => {
    const panel = page.locator(".check");
    const velocity = page.locator('[data-pointer="/rig/walls/z_max/program/0/velocity"] input');
    const was = await velocity.inputValue();
    const count = await page.locator('[data-pointer^="/rig/walls/z_max/program/"][data-pointer$="/velocity"] input').count();
    for (let k = 0; k < count; k++) {
      const one = page.locator(`[data-pointer="/rig/walls/z_max/program/${k}/velocity"] input`);
      await one.fill(String(-Number(await one.inputValue())));
    }
    await panel.getByText(/moves away from the specimens/).waitFor();
    await page.screenshot({ path: join(pictures, "compose-mend.png") });
    await panel.getByRole("button", { name: "Reverse the motion" }).click();
    await panel.getByText(/moves away from the specimens/).waitFor({ state: "detached" });
    await page.locator(".check-ok").waitFor();
    assert.equal(await velocity.inputValue(), was);
    const lid = page.locator('[data-pointer="/rig/maximum"] input').nth(2);
    const height = await lid.inputValue();
    await panel.getByText(/200\sµm of it, 25 %, are a gap before 'grain'/).waitFor();
    await panel.getByRole("button", { name: "Start at the specimen" }).click();
    await panel.getByText(/are a gap before/).waitFor({ state: "detached" });
    await page.locator('.check:not([aria-busy="true"]) .check-ok').waitFor();
    assert.equal(Number(await lid.inputValue()), 1e-3); // the grain's radius
    await eventually(async () => (await page.locator(".gap-label").count()) === 0, "a picture without a gap");
    await lid.fill(height);
    await panel.getByText(/are a gap before/).waitFor();
  });

  await claim("the picture follows the scene, keeps its view, and is faded while the scene can't run", async () => {
    const radius = page.locator('[data-pointer="/specimens/0/shape/radius"] input');
    const was = await radius.inputValue();
    await drawn();
    const before = await lookAtRest(page);
    await radius.fill("-1");
    await page.locator(".scene-picture.stale").waitFor();
    await page.locator(".check-refused").waitFor();
    await radius.fill(String(0.8 * Number(was)));
    await page.locator(".check-ok").waitFor();
    await drawn();
    await page.locator(".scene-picture.stale").waitFor({ state: "detached" });
    await lookUntil(page, [before.sum], "a smaller grain", ({ filled }) => filled < before.filled);
  });

  const scene = (await screed.json("/api/v1/gallery")).scenes.find(({ name }) => name === "cylinder-press").scene;
  const submit = (body) => screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const softer = structuredClone(scene);
  softer.time.duration *= 0.8;
  const [one, two] = [(await submit(scene)).id, (await submit(softer)).id];
  for (const id of [one, two]) await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of a press");

  await claim("curves are read off: peak, difference, slope and the energy under the curve, as the samples give them", async () => {
    await page.goto(`${screed.url}/#/jobs/${one}`);
    await plotWhole(page, screed, one);
    await page.locator("summary", { hasText: "Read off" }).click();
    const { series, samples } = await screed.json(`/api/v1/jobs/${one}/curves`);
    const [x, y] = ["platen.top.displacement", "platen.top.force_z"].map((name) => samples.map((row) => row[series.findIndex((s) => s.name === name)]));
    const energy = y.slice(1).reduce((sum, force, i) => sum + 0.5 * (force + y[i]) * (x[i + 1] - x[i]), 0);
    const [, told, prefix] = await eventually(async () => /Energy under the curve\s+(\S+)\s([nµm]?)J/.exec(await page.locator(".plot-numbers").innerText()), "the energy");
    const unit = { n: 1e-9, µ: 1e-6, m: 1e-3, "": 1 }[prefix];
    assert.ok(Math.abs(Number(told.replace("−", "-")) * unit - energy) < 1e-3 * Math.abs(energy), `${told} ${prefix}J and ${energy} J`);
    const numbers = () => page.locator(".plot-numbers").innerText();
    const whole = await numbers();
    for (const [name, on, off] of [["From first contact", (box) => box.check(), (box) => box.uncheck()], ["Moving average, samples", (box) => box.fill("25"), (box) => box.fill("1")]]) {
      await on(page.getByLabel(name));
      await eventually(async () => (await numbers()) !== whole, `other numbers by ${name}`);
      await off(page.getByLabel(name));
      await eventually(async () => (await numbers()) === whole, `the same again without ${name}`);
    }
  });

  await claim("several plots stand under each other, each with its own curves, and on logarithmic axes", async () => {
    await page.getByRole("button", { name: "Add a plot" }).click();
    assert.equal(await page.locator(".plot-card").count(), 2);
    const second = page.locator(".plot-card").nth(1);
    const label = () => second.locator(".plot canvas").getAttribute("aria-label");
    await eventually(async () => /against Time/.test(await label()), "an energy over time");
    const before = await second.locator(".plot").getAttribute("data-drawings");
    await second.getByLabel("Log y").check();
    await eventually(async () => (await second.locator(".plot").getAttribute("data-drawings")) !== before, "it drawn anew");
    const once = await second.locator(".plot").getAttribute("data-drawings");
    await second.getByLabel("Log x").check();
    await eventually(async () => (await second.locator(".plot").getAttribute("data-drawings")) !== once, "it drawn anew");
    await second.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, "plots.png") });
    await page.locator(".plot-card").first().scrollIntoViewIfNeeded(); // the second is dragged above the first, and back
    const names = () => page.locator(".plot-card .plot canvas").evaluateAll((all) => all.map((canvas) => canvas.getAttribute("aria-label")));
    const before2 = await names();
    const drag = async (to) => {
      const grip = page.locator(".plot-grip");
      await grip.scrollIntoViewIfNeeded();
      const [from, there] = [await grip.boundingBox(), await to.boundingBox()];
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(from.x + from.width / 2, there.y + there.height * (there.y < from.y ? 0.3 : 0.7), { steps: 8 });
      await page.mouse.up();
    };
    await drag(page.locator(".plot-card").first());
    assert.deepEqual(await names(), [...before2].reverse());
    await drag(page.locator(".plot-card").nth(1));
    assert.deepEqual(await names(), before2);
    await second.getByRole("button", { name: "Remove this plot" }).click();
    assert.equal(await page.locator(".plot-card").count(), 1);
  });

  await claim("runs of one title are told apart by what differs in their scenes", async () => {
    await page.goto(`${screed.url}/#/jobs/${one}?with=${two}`);
    const label = page.locator(".plot canvas");
    await eventually(async () => new RegExp(`with Job ${two}: duration ${Number(softer.time.duration.toPrecision(6))}`).test((await label.getAttribute("aria-label")) ?? ""), "the duration in the legend");
    await page.locator(".plot-card").screenshot({ path: join(pictures, "plot-differences.png") });
  });

  await claim("pictures are taken away in the size asked for, on white or on nothing, and films that a player plays", async () => {
    await page.goto(`${screed.url}/#/jobs/${one}`);
    await lookAtRest(page);
    await page.locator("summary", { hasText: "Save" }).click();
    const taken = async (button) => {
      const waiting = page.waitForEvent("download");
      await page.locator(".save-buttons").getByRole("button", { name: button }).click();
      return readFileSync(await (await waiting).path());
    };
    const seen = (png) =>
      page.evaluate(async (text) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
        let written = 0; // dark letters in the corner of the key
        for (let y = 0; y < bitmap.height / 8; y++) for (let x = Math.floor(0.7 * bitmap.width); x < bitmap.width; x++) if (data[4 * (y * bitmap.width + x)] < 60 && data[4 * (y * bitmap.width + x) + 3] > 200) written++;
        return { size: [bitmap.width, bitmap.height], corner: [...data.slice(0, 4)], middle: data[4 * (Math.floor(bitmap.height / 2) * bitmap.width + bitmap.width / 2) + 3], written };
      }, png.toString("base64"));
    const white = await seen(await taken("Picture"));
    assert.deepEqual([white.size, white.corner], [[1920, 1080], [255, 255, 255, 255]]);
    assert.ok(white.written > 100, `${white.written}`);
    const size = page.locator(".popover-body").getByRole("combobox", { name: /^Size/ });
    await size.selectOption({ label: "3840 × 2160 (4k)" });
    await page.getByLabel(/^Background/).selectOption("none");
    const clear = await seen(await taken("Picture"));
    assert.deepEqual([clear.size, clear.corner, clear.middle], [[3840, 2160], [0, 0, 0, 0], 255]);
    await size.selectOption({ label: "1280 × 720" });
    const film = await taken("Film");
    const blank = await browser.newPage();
    const played = await blank.evaluate(async (text) => {
      const video = document.createElement("video");
      video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "video/webm" }));
      await new Promise((done, failed) => ((video.onloadeddata = done), (video.onerror = () => failed(new Error(video.error?.message)))));
      return [video.videoWidth, video.videoHeight, video.duration];
    }, film.toString("base64"));
    await blank.close();
    const { frames } = await screed.json(`/api/v1/jobs/${one}/frames`);
    assert.deepEqual(played.slice(0, 2), [1280, 720]);
    assert.ok(Math.abs(played[2] - frames.length / 20) < 0.01, `${played[2]} s of ${frames.length} pictures`);
  });

  await claim("no page had anything to object to, and nothing came from elsewhere", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
