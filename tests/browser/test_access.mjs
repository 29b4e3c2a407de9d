// How a person gets into the dashboard: a page that says how, a link that is good once, and a cookie that no script can read.
import { claim, eventually, finish, launchBrowser, Screed } from "../support/browser.mjs";
import assert from "node:assert/strict";

const screed = await new Screed([]).start();
const browser = await launchBrowser();

try {
  const context = await browser.newContext();
  const page = await context.newPage();
  let link = "";

  await claim("a browser that nobody let in sees what to do instead of the dashboard", async () => {
    const answer = await page.goto(screed.url);
    assert.equal(answer.status(), 401);
    assert.match(await page.locator("body").innerText(), /scree link/);
  });

  await claim("the link that screed printed opens the dashboard, connected and with its list of jobs", async () => {
    link = await eventually(async () => /http:\S+\/open\?key=\S+/.exec(screed.said)?.[0], "the link");
    await page.goto(link);
    assert.equal(new URL(page.url()).pathname, "/");
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.goto(`${screed.url}/#/`);
    assert.equal(await page.evaluate(async () => (await fetch("/api/v1/jobs")).status), 200);
  });

  await claim("scripts of the page can't read the cookie, and it is for this site alone", async () => {
    assert.equal(await page.evaluate(() => document.cookie), "");
    const [cookie] = await context.cookies();
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, "Strict");
  });

  await claim("the same link lets no second browser in", async () => {
    const other = await browser.newContext();
    const late = await other.newPage();
    assert.equal((await late.goto(link)).status(), 403);
    assert.match(await late.locator("body").innerText(), /used before/);
    await other.close();
  });

  await claim("a page whose cookie is gone goes to the page that says how to get in", async () => {
    await context.clearCookies();
    await page.evaluate(() => (location.hash = "#/jobs/1"));
    await page.getByText("answers only its owner").waitFor();
  });
} finally {
  await browser.close();
  await screed.close();
}
finish();
