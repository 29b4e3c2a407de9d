// How a run that has ended opens in the dashboard: adopts it into a laboratory of its own, with the limits that every laboratory has, opens its page in
// Chromium and prints {"seconds", "elements"}: from asking for the page until its last frame is drawn, and how much of the frame that shows.
//
//   node study_page.mjs RUN_FOLDER [PICTURE.png]      RUN_FOLDER: scene.json, recording.scree, recording.index; it is read through links
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, linkSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, eventually, launchBrowser, Screed } from "../support/browser.mjs";

const [folder, picture] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node study_page.mjs RUN_FOLDER [PICTURE.png]");
  process.exit(2);
}
const screed = new Screed();
const job = join(screed.folder, "data", "jobs", "1");
mkdirSync(job, { recursive: true, mode: 0o700 });
for (const name of readdirSync(folder).filter((each) => /^(scene\.json|recording\.)/.test(each))) {
  try {
    linkSync(resolve(folder, name), join(job, name));
  } catch {
    symlinkSync(resolve(folder, name), join(job, name)); // on another disk
  }
}
await screed.start();
try {
  execFileSync(join(build, "scree"), ["admin", "adopt", "--server", screed.url], { stdio: "ignore" });
  await eventually(async () => (await screed.json("/api/v1/jobs/1")).state === "succeeded", "the run to be taken in", 600000);
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const begun = Date.now();
  await page.goto(`${screed.url}/#/jobs/1`);
  const shown = await eventually(async () => /: (\d+) elements/.exec((await page.locator(".view3d > canvas").getAttribute("aria-label")) ?? ""), "the last frame", 600000);
  console.log(JSON.stringify({ seconds: (Date.now() - begun) / 1000, elements: Number(shown[1]) }));
  if (picture) await page.screenshot({ path: picture });
  await browser.close();
} finally {
  await screed.close();
}
