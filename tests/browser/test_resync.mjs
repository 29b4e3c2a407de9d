// What the dashboard does when the stream says that it left job messages out. A relay between page and screed loses them on purpose.
import assert from "node:assert/strict";
import { claim, eventually, finish, launchBrowser, Screed } from "../support/browser.mjs";

const screed = await new Screed().start();
const browser = await launchBrowser();

/** Loses the messages of jobs while `losing.now`; `losing.say` sends one from the server's side. */
async function openPage(losing) {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 } })).newPage();
  page.setDefaultTimeout(60000);
  await page.routeWebSocket(/\/ws\/v1/, (page_side) => {
    const server = page_side.connectToServer();
    losing.say = (message) => page_side.send(JSON.stringify(message));
    server.onMessage((message) => {
      if (losing.now && typeof message === "string" && /^\{"type":"(job|deleted|watching)"/.test(message)) return;
      page_side.send(message);
    });
  });
  return page;
}

async function post(path, body) {
  return screed.json(path, { method: "POST", headers: { "Content-Type": "application/json" }, ...(body ? { body: JSON.stringify(body) } : {}) });
}

const badge = (page, id) => page.locator(`[data-job="${id}"] .badge`).textContent();

try {
  const scene = (await screed.json("/api/v1/gallery")).scenes.find((s) => s.name === "hollow-sphere-crush").scene;
  // It runs in steps so short that it never ends here: every job behind it waits, however slow the browser is.
  const blocker = (await post("/api/v1/jobs", { ...scene, name: "blocker", time: { ...scene.time, time_step: 1e-10 } })).id;
  await eventually(async () => (await screed.json(`/api/v1/jobs/${blocker}`)).state === "running", "a run that keeps the others waiting");
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
    losing.now = true;
    for (const id of [first, late]) await post(`/api/v1/jobs/${id}/cancel`);
    await page.waitForTimeout(1000);
    assert.deepEqual(await Promise.all([first, late].map((id) => badge(page, id))), ["Queued", "Queued"]); // the messages were lost indeed
    losing.say({ type: "resync" });
    await eventually(async () => (await badge(page, first)) === "Cancelled" && (await badge(page, late)) === "Cancelled", "both shown as cancelled");
    await page.context().close();
  });

  await claim("after a resync the page of a job shows its state again", async () => {
    const losing = { now: false };
    const page = await openPage(losing);
    await page.goto(`${screed.url}/#/jobs/${ids[5]}`);
    await page.locator(".job-head .badge", { hasText: "Queued" }).waitFor();
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
