// Every kind of drawable in the dashboard, from a made-up run: what is seen, what the pointer finds, stages and events, headlines, and odd recordings.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claim, eventually, finish, hoverOver, labelsOf, launchBrowser, lookAt, lookAtRest, lookUntil, root } from "../support/browser.mjs";
import { allKinds, topology } from "../support/made_kinds.mjs";
import { address, floats, MadeRun, serve, wholes } from "../support/made_run.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const browser = await launchBrowser();
const complaints = [];

async function open(run, job, look = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark", ...look })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  await serve(page, run, job);
  await page.goto(address);
  await page.locator(".view3d > canvas").waitFor();
  return page;
}

const choose = (page, label) => page.getByLabel("Colour by").selectOption({ label });

try {
  const page = await open(allKinds(), { headlines: [{ name: "load", label: "Peak load", unit: "N", value: 1234.5 }, { name: "impacts", label: "Impacts", unit: "1", value: 12 }] });

  await claim("all kinds are drawn, and each is coloured by its own fields", async () => {
    const sums = [];
    await eventually(async () => /^3D view at 1\ss: \d+ elements$/.test(await page.locator(".view3d > canvas").getAttribute("aria-label")), "the last frame");
    sums.push((await lookUntil(page, [], "bodies and balls", ({ filled }) => filled > 0.05)).sum);
    for (const [drawable, name] of [["Sand", "Speed"], ["Rocks", "Load"], ["Sheet", "Strain"], ["Fibres", "Tension"], ["Cells", "Heat"], ["Slice", "Level"]]) {
      const option = page.locator(`optgroup[label="${drawable}"] option`, { hasText: name });
      await page.getByLabel("Colour by").selectOption(await option.getAttribute("value"));
      await eventually(async () => new RegExp(`${drawable}: ${name}`).test(await page.locator(".legend").innerText()), "the legend");
      const first = drawable === "Sand"; // by which it may be coloured already
      sums.push((await lookUntil(page, first ? [] : sums, `${drawable} in other colours`, ({ filled, colours }) => filled > 0.05 && colours > 500)).sum);
      await page.screenshot({ path: join(pictures, `kinds-${drawable.toLowerCase()}.png`) });
    }
  });

  await claim("a class of numbers is told by its colours", async () => {
    await choose(page, "Shape");
    await eventually(async () => /Rocks: Shape: 2 in all[\s\S]*50 %/.test(await page.locator(".legend").innerText()), "the legend of the shapes");
  });

  await claim("all fields are listed by drawable with units and the run's range, and chosen there", async () => {
    await page.locator(".field-table summary").click();
    const table = page.locator(".field-table-body");
    await eventually(async () => /Sand 300 points/.test(await table.innerText()), "the list of fields");
    const text = (await table.innerText()).replace(/\s+/g, " ");
    for (const line of ["Radius 8 … 16 mm", "Speed 0 … 2 m/s", "Rocks 12 instances", "Load 0 … 110 N", "Sheet 576 vertices", "Strain −0.1 … 0.1", "Fibres 140 nodes", "Tension 0 … 8 N", "Cells 119 cells", "Heat 300 … 330 K", "Slice 24 cells", "Level 0 … 23 m"]) assert.ok(text.includes(line), `${line} in ${text}`);
    await table.getByRole("button", { name: "Load" }).click();
    await eventually(async () => /Rocks: Load, N/.test(await page.locator(".legend").innerText()), "the legend of the load");
    await page.screenshot({ path: join(pictures, "kinds-fields.png") });
    await page.keyboard.press("Escape");
    await table.waitFor({ state: "hidden" });
  });

  await claim("displacements are enlarged, with the numbers of the run, and shown as they are again", async () => {
    const before = await lookAtRest(page);
    await page.locator("summary", { hasText: "View" }).first().click();
    await page.getByLabel("Displacements").selectOption("2");
    const large = await lookUntil(page, [before.sum], "rocks twice as far from where they began");
    await page.screenshot({ path: join(pictures, "kinds-enlarged.png") });
    await page.getByLabel("Displacements").selectOption("1");
    await lookUntil(page, [large.sum], "another picture again");
    await page.getByLabel("Displacements").press("Escape");
    await page.keyboard.press("f");
  });

  await claim("the pointer finds elements of every kind with their number and values", async () => {
    const labels = await labelsOf(page);
    assert.match(await hoverOver(page, labels, /^Sand, element [\d\s]+/), /Speed\s+[\d.]+\s(mm|m|µm)\/s|Speed/);
    const rock = await hoverOver(page, labels, /^Rocks, element \d+/);
    assert.match(rock, /Load\s+\d+\sN/);
    const number = Number(/element (\d+)/.exec(rock)[1]);
    assert.equal(Number(/Load\s+(\d+)/.exec(rock)[1]), 10 * number); /* as the test wrote it */
    await page.screenshot({ path: join(pictures, "kinds-hover.png") });
    assert.match(await hoverOver(page, labels, /^Sheet, vertex [\d\s]+/), /Strain\s+−?[\d.]+/);
    assert.match(await hoverOver(page, labels, /^Fibres, node \d+ of thread \d/), /Tension/);
    assert.match(await hoverOver(page, labels, /^Obstacles, anvil/), /Orientation/);
    const cell = await hoverOver(page, labels, /^Cells, cell \d, \d, \d/);
    const [i, j, k] = /cell (\d), (\d), (\d)/.exec(cell).slice(1).map(Number);
    assert.equal(Number(/Cell\s+(\d+)/.exec(cell)[1]), i + 7 * (j + 5 * k));
    const heat = 300 + 10 * Math.hypot(i - 3, j - 2, k - 2); /* as the test wrote it */
    assert.ok(Math.abs(Number(/Heat\s+([\d.]+)\sK/.exec(cell)[1]) - heat) < 0.06, `${cell} is not ${heat} K`);
    await page.screenshot({ path: join(pictures, "kinds-cell.png") });
  });

  await claim("stages are named bands over the time line, other events ticks, and the slider says the stage", async () => {
    const bands = page.locator(".marks .stage-band");
    assert.deepEqual(await bands.allInnerTexts(), ["Loading", "Flight", "Landing"]);
    assert.equal(await page.locator(".marks .event-tick.event-warning").getAttribute("title"), "550\u202fms: A rock is fast");
    const slider = page.getByRole("slider", { name: "Time shown" });
    const middle = async (k) => {
      const box = await bands.nth(k).boundingBox();
      return box.x + box.width / 2;
    };
    const track = await slider.boundingBox();
    /* The flight goes from 0.35 s to 0.72 s of 1 s, frames every 0.1 s. */
    assert.ok(Math.abs((await middle(1) - track.x - 8) / (track.width - 16) - 0.535) < 0.02);
    await slider.focus();
    await page.keyboard.press("Home");
    await eventually(async () => (await slider.getAttribute("aria-valuetext")) === "0\u202fs, Loading" || (await slider.getAttribute("aria-valuetext")) === "0, Loading", `the first stage, not ${await slider.getAttribute("aria-valuetext")}`);
    await page.locator(".events").getByRole("button", { name: "350" }).click();
    await eventually(async () => /^300\sms, Loading$/.test(await slider.getAttribute("aria-valuetext")), "the frame before the flight");
    await page.keyboard.press("ArrowRight");
    await eventually(async () => /^400\sms, Flight$/.test(await slider.getAttribute("aria-valuetext")), "the flight");
    assert.equal(await page.locator(".stage-band.current").innerText(), "Flight");
    await page.screenshot({ path: join(pictures, "kinds-flight.png") });
  });

  await claim("points come, threads grow and bodies move from frame to frame", async () => {
    const elements = async () => Number(/: (\d+) elements/.exec(await page.locator(".view3d > canvas").getAttribute("aria-label"))[1]);
    const [many, seen] = [await elements(), await lookAt(page)];
    await page.keyboard.press("End");
    await eventually(async () => (await elements()) > many + 100, "the last frame");
    await lookUntil(page, [seen.sum], "another picture");
  });

  await claim("headlines are those that the method declares", async () => {
    const numbers = await page.getByRole("region", { name: "Progress" }).innerText();
    assert.match(numbers, /Peak load\s+1\.23[45]\skN/);
    assert.match(numbers, /Impacts\s+12/);
  });

  await claim("a cut opens instances, threads, surfaces and points", async () => {
    const before = await lookAtRest(page);
    await page.keyboard.press("c");
    await eventually(async () => (await lookAt(page)).filled < 0.9 * before.filled, "less of the picture filled");
    await page.screenshot({ path: join(pictures, "kinds-cut.png") });
    await page.keyboard.press("c");
    await lookUntil(page, [], "the whole again", ({ filled }) => filled > 0.99 * before.filled);
  });

  await claim("while the view moves too slowly, bodies are balls, and shapes again at rest", async () => {
    const box = await page.locator(".view3d > canvas").boundingBox();
    const still = await lookAtRest(page);
    await page.evaluate(() => { /* pictures at no more than seven a second, however quick the machine is */
      const soon = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (draw) => setTimeout(() => soon(draw), 140);
    });
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    let k = 0;
    await eventually(async () => {
      await page.mouse.move(box.x + 300 + 4 * (k++ % 40), box.y + 300);
      await page.waitForTimeout(40); // and 100 ms until the next
      return Number(await page.locator(".view3d").getAttribute("data-detail")) > 0;
    }, "less detail");
    const moving = await lookAt(page);
    assert.ok(moving.filled > 0.5 * still.filled, `${moving.filled} filled of ${still.filled}`);
    await page.mouse.up();
    await eventually(async () => (await page.locator(".view3d").getAttribute("data-detail")) === "0", "the picture in full");
  });

  await claim("on a light ground everything stands out too", async () => {
    const light = await open(allKinds(), {}, { colorScheme: "light" });
    await lookUntil(light, [], "bodies and balls", ({ filled }) => filled > 0.05);
    await light.screenshot({ path: join(pictures, "kinds-light.png") });
    await light.close();
  });

  await claim("odd recordings are shown as far as they can be: nothing at all, elements without geometry, fields that are not there, numbers that don't fit", async () => {
    const none = { drawable: 0, elements: 0, arrays: [floats(0, 3, []), floats(1, 1, []), wholes(2, []), floats(3, 1, [])] };
    const lost = { drawable: 1, elements: 1, arrays: [floats(0, 3, [0, 0, 0])] };
    const strange = [
      new MadeRun({ drawables: [], series: [], bounds: null }).frame(0, []).end(),
      new MadeRun(topology).frame(0, []).frame(1, [none, lost, { drawable: 99, elements: 0, arrays: [] }]).end(),
      new MadeRun({ drawables: [{ id: 0, kind: "threads" }, { id: 1, kind: "instances", fields: 3 }, { kind: "surface" }, { id: 2, kind: "grid" }, { id: 3, kind: "grid", grid: { spacing: [0, 0, 1], counts: [1, 1, 1e9] } }, null, 7], series: [{}], plots: [{}], tables: 3, bounds: { minimum: [0, 0, 0], maximum: [0, 0, 1e-300] } }).frame(0, [none, lost]).end(),
      allKinds(),
    ];
    strange[3].records = strange[3].records.filter(({ type }) => type !== 10).map((entry, i) => ({ ...entry, seq: i + 1 }));
    strange[3].frames = strange[3].records.filter(({ type }) => type === 3).map(({ seq, time }) => ({ seq, time, bytes: 1 }));
    for (const run of strange) {
      const odd = await open(run, { headlines: [] });
      await odd.keyboard.press("v");
      await odd.keyboard.press("c");
      await odd.waitForTimeout(200);
      await odd.close();
    }
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
}
finish();
