// What the dashboard does when the stream says that it left job messages out. A relay between page and screed loses them on purpose.
import assert from "node:assert/strict";
import { block, claim, eventually, finish, launchBrowser, Screed } from "../support/browser.mjs";

const screed = await new Screed().start();
const browser = await launchBrowser();

/** Loses the messages of jobs while `losing.now`; `losing.say` sends one from the server's side, once there is a connection; `losing.passed` holds
 *  the types of messages that the page was given, `losing.asked` the requests that it waits for. */
async function openPage(losing) {
  losing.passed = new Set();
  losing.asked = new Set();
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 } })).newPage();
  await page.routeWebSocket(/\/ws\/v1/, (page_side) => {
    const server = page_side.connectToServer();
    losing.say = (message) => page_side.send(JSON.stringify(message));
    server.onMessage((message) => {
      if (losing.now && typeof message === "string" && /^\{"type":"(job|deleted|watching)"/.test(message)) return;
      page_side.send(message);
      if (typeof message === "string") losing.passed.add(JSON.parse(message).type);
    });
  });
  page.on("request", (request) => losing.asked.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => losing.asked.delete(request));
  return page;
}

/** Waits until the page was given a message of that type, after which it misses nothing, and has all answers to what it asked for then: what it shows
 *  afterwards it has from messages alone. */
async function heard(page, losing, type) {
  await eventually(() => losing.passed.has(type), `a message ${type}`);
  await eventually(async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))); // what it was sent has been taken in
    return losing.asked.size === 0;
  }, "answers to all requests");
}

async function post(path, body) {
  return screed.json(path, { method: "POST", headers: { "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const badge = (page, id) => page.locator(`[data-job="${id}"] .badge`).textContent();

try {
  const scene = (await screed.json("/api/v1/gallery")).scenes.find((s) => s.name === "hollow-sphere-crush").scene;
  await block(screed, scene);
  const ids = [];
  for (let i = 0; i < 60; i++) ids.push((await post("/api/v1/jobs", { ...scene, name: `sphere-${i}` })).id);
  const first = ids[3]; // on the second page of the list
  const late = ids[59];

  await claim("after a resync the list shows every state again, also on the older pages that are shown", async () => {
    const losing = { now: false };
    const page = await openPage(losing);
    await page.goto(`${screed.url}/#/`);
    await page.getByRole("button", { name: "Older jobs" }).click();
    await page.locator(`[data-job="${first}"]`).waitFor();
    await heard(page, losing, "watching");
    losing.now = true;
    for (const id of [first, late]) await post(`/api/v1/jobs/${id}/cancel`);
    await page.waitForTimeout(1000);
    assert.deepEqual(await Promise.all([first, late].map((id) => badge(page, id))), ["Queued", "Queued"]); // the messages were lost indeed
    losing.say({ type: "resync" });
    await eventually(async () => (await badge(page, first)) === "Cancelled" && (await badge(page, late)) === "Cancelled", "both shown as cancelled");
    await page.context().close();
  });

  await claim("older jobs asked for while the list is read again stay", async () => {
    const losing = { now: false };
    const page = await openPage(losing);
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${late}"]`).waitFor();
    await heard(page, losing, "watching");
    let held = null;
    await page.route(/\/api\/v1\/jobs(\?.*)?$/, (route) => (held || /before=/.test(route.request().url()) ? route.continue() : (held = route)));
    losing.say({ type: "resync" });
    await eventually(() => held, "the list is read again");
    await page.getByRole("button", { name: "Older jobs" }).click();
    await page.locator(`[data-job="${first}"]`).waitFor();
    await held.continue();
    await eventually(async () => {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      return losing.asked.size === 0;
    }, "answers to all requests");
    assert.equal(await page.locator(`[data-job="${first}"]`).count(), 1);
    assert.equal(await page.locator("[data-job]").count(), 61); // sixty and the one that blocks
    await page.context().close();
  });

  await claim("after a resync the page of a job shows its state again", async () => {
    const losing = { now: false };
    const page = await openPage(losing);
    await page.goto(`${screed.url}/#/jobs/${ids[5]}`);
    await page.locator(".job-head .badge", { hasText: "Queued" }).waitFor();
    await heard(page, losing, "job");
    losing.now = true;
    await post(`/api/v1/jobs/${ids[5]}/cancel`);
    await page.waitForTimeout(1000);
    assert.equal(await page.locator(".job-head .badge").textContent(), "Queued");
    losing.say({ type: "resync" });
    await page.locator(".job-head .badge", { hasText: "Cancelled" }).waitFor();
    await page.context().close();
  });

  await claim("what happens between the first answer and the confirmation of `watch` is shown", async () => {
    const losing = { now: true };
    const page = await openPage(losing);
    await page.goto(`${screed.url}/#/`);
    await page.locator(`[data-job="${ids[58]}"]`).waitFor();
    await eventually(() => losing.say && losing.asked.size === 0, "a connection, and the first answer");
    await post(`/api/v1/jobs/${ids[58]}/cancel`);
    await page.waitForTimeout(700);
    assert.equal(await badge(page, ids[58]), "Queued");
    losing.now = false;
    losing.say({ type: "watching" });
    await eventually(async () => (await badge(page, ids[58])) === "Cancelled", "shown as cancelled");
    await page.context().close();
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
