// The made-up method of tests/showcase in the dashboard, which knows nothing of it: submitted as a user does, seen live and again from the beginning.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build, claim, eventually, finish, launchBrowser, lookAt, root, Screed } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const screed = await new Screed(["--no-auth"], "showcase/screed").start();
const browser = await launchBrowser();
const complaints = [];

try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" })).newPage();
  page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  const submitted = execFileSync(join(build, "showcase/scree"), ["submit", join(root, "tests/showcase/scene.json"), "--json"], {
    env: { ...process.env, SCREE_SERVER: screed.url },
    encoding: "utf8",
  });
  const { id } = JSON.parse(submitted);
  await eventually(async () => (await screed.json(`/api/v1/jobs/${id}`)).state === "succeeded", "the end of the run");

  await claim("its bodies, threads, drops and membrane are drawn", async () => {
    await page.goto(`${screed.url}/#/jobs/${id}`);
    await page.locator(".view3d > canvas").waitFor();
    await page.keyboard.press("End");
    await eventually(async () => (await lookAt(page)).filled > 0.02, "a picture of the run");
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, "showcase.png") });
  });

  await claim("its headlines and stages are shown by their labels", async () => {
    for (const label of ["Largest tension", "Drops in the air", "Dent", "Bobs drawn aside", "Bobs swing"])
      await eventually(async () => (await page.locator("body").innerText()).includes(label), `${label} shown`);
  });

  await claim("its table can be taken away, and no other method's is offered", async () => {
    const text = await page.locator("body").innerText();
    assert.ok(!/broken bonds|fragments/i.test(text), "words of another method are shown");
  });

  await claim("the list of jobs shows what the method names", async () => {
    await page.goto(`${screed.url}/#/`);
    await page.getByText("Everything a method can").first().waitFor();
    await page.screenshot({ path: join(pictures, "showcase-list.png") });
  });

  await claim("nothing went wrong in the browser", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
