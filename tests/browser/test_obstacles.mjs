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

  await claim("what is selected is moved and sized by hand in its picture, in the unit that was typed, and only the end of it is checked", async () => {
    const hands = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light" })).newPage();
    hands.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
    hands.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
    let asked = 0;
    hands.on("request", (request) => /scenes\/(check|picture)/.test(request.url()) && asked++);
    await hands.goto(`${screed.url}/#/new/ring-drop`);
    const picture = hands.locator(".scene-picture");
    const drawn = () => eventually(async () => (await picture.getAttribute("data-frames")) !== null && (await picture.getAttribute("aria-busy")) === null && (await hands.locator('.check[aria-busy="true"]').count()) === 0 && !/stale/.test(await picture.getAttribute("class")), "the picture of the scene");
    await drawn();
    await unfold(hands);
    const field = (pointer) => hands.locator(`[data-pointer="/obstacles/1/${pointer}"] input`);
    const [radius, height] = [field("shape/radius"), field("position").nth(2)];
    await hands.locator('[data-pointer="/obstacles/1/shape/radius"] select').selectOption("mm");
    await drawn();
    const middle = async (handle) => {
      const box = await hands.locator(`[data-handle="${handle}"]`).boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const boxNow = async () => JSON.parse(await hands.locator(".scene-picture .view3d").getAttribute("data-box"));

    // a press on the ball's side, where the handle was: the page scrolls with what is focused
    await hands.locator('[data-pointer="/title"] input').focus();
    assert.equal(await hands.locator(".handle").count(), 0);
    await radius.focus();
    const canvas = () => picture.locator("canvas").boundingBox();
    const [there, on] = [await middle("radius"), await canvas()];
    await hands.locator('[data-pointer="/title"] input').focus();
    const now = await canvas();
    await hands.mouse.click(there[0] - on.x + now.x - 4, there[1] - on.y + now.y + 6);
    await hands.locator('[data-handle="radius"]').waitFor({ timeout: 20000 });
    const [x, y] = await middle("radius");
    assert.equal(await radius.inputValue(), "12");

    const before = asked;
    await hands.mouse.move(x, y);
    await hands.mouse.down();
    await hands.mouse.move(x - 9, y - 2, { steps: 6 });
    const typed = Number(await radius.inputValue());
    assert.ok(typed > 2 && typed < 10, `${typed} mm`);
    const [low, high] = await boxNow();
    assert.ok(Math.abs((high[0] - low[0]) / 2 - typed / 1000) < 1e-6, `the box ${low} to ${high}`);
    assert.ok(Math.abs((await middle("radius"))[0] - x + 9) < 3, "the handle stays under the hand");
    assert.equal(asked, before, "no request as the hand goes on");
    await hands.screenshot({ path: join(pictures, "compose-handles.png") });
    await hands.mouse.up();
    await drawn();
    assert.equal(asked, before + 2);

    // the body goes with its arrow, and Escape leaves it where it was
    const was = await height.inputValue();
    const [, floor] = await boxNow();
    const [zx, zy] = await middle("move-z");
    await hands.mouse.move(zx, zy);
    await hands.mouse.down();
    await hands.mouse.move(zx, zy - 15, { steps: 3 });
    const lifted = Number(await height.inputValue()) - Number(was);
    assert.ok(lifted > 1e-3, `${lifted} m`);
    assert.ok(Math.abs((await boxNow())[1][2] - floor[2] - lifted) < 1e-5, "the ball by what the number says");
    await hands.keyboard.press("Escape");
    assert.equal(await height.inputValue(), was);
    await hands.mouse.up();
    assert.equal(await height.inputValue(), was);
    assert.equal(asked, before + 2);

    // by keys: steps, fine ones, and one step back
    const knob = hands.getByRole("slider", { name: "Move ball along z" });
    await knob.focus();
    const pressed = async (key) => {
      await knob.press(key);
      return Number(await height.inputValue());
    };
    const [one, two, fine] = [await pressed("ArrowUp"), await pressed("ArrowUp"), await pressed("Shift+ArrowDown")]; // the first goes to a whole step
    assert.ok(one > Number(was) && two > one, `${was}, ${one}, ${two} m`);
    assert.ok(Math.abs((two - fine) / (two - one) - 0.1) < 1e-6, `${one}, ${two}, ${fine} m`);
    assert.match(await knob.getAttribute("aria-valuetext"), /mm$/);
    await drawn();
    assert.ok(await knob.evaluate((element) => element === document.activeElement), "the keyboard stays where it was");
    await knob.press("Control+z");
    assert.equal(await height.inputValue(), was);
    await drawn();

    assert.equal(await radius.inputValue(), String(typed));
    assert.equal(await hands.locator('[data-pointer="/obstacles/1/shape/radius"] select').inputValue(), "mm");
    await hands.getByRole("button", { name: "Run", exact: true }).click();
    await hands.waitForURL(/#\/jobs\/\d+/);
    const id = Number(/jobs\/(\d+)/.exec(hands.url())[1]);
    const { obstacles } = await screed.json(`/api/v1/jobs/${id}/scene`);
    assert.equal(obstacles[1].shape.radius, typed / 1000);
    await screed.json(`/api/v1/jobs/${id}/cancel`, { method: "POST" });
    await hands.context().close();
  });

  await claim("the browser has nothing to object to", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
