// From a run of finite elements to the modes of its mesh, and to the coarse scene that moves like it, by buttons of the dashboard alone.
import assert from "node:assert/strict";
import { claim, eventually, finish, launchBrowser, Screed } from "../support/browser.mjs";

const scene = {
  scree: 1, name: "beam", title: "A beam", method: "fem", options: { element: "plain", impact: "none" },
  materials: [{ name: "m", density: 1000, young_modulus: 1e8, poisson_ratio: 0.3, stiffness_damping: 1e-4 }],
  specimens: [{ name: "beam", material: "m", divisions: [12, 2, 2], shape: { type: "box", size: [0.1, 0.01, 0.01] }, placement: { type: "single", position: [0.05, 0, 0] }, load_side: "x_max", load: [0, 0, -0.01], load_rise_time: 0.02 }],
  rig: { type: "grips", axis: "x", low_end: 1e-6 },
  time: { duration: 0.004, time_step: 1e-3 },
  output: { sample_interval: 1e-3, plots: [{ x: "time", y: "largest_displacement" }] },
};

const screed = await new Screed().start();
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const fine = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
  await eventually(async () => (await screed.json(`/api/v1/jobs/${fine.id}`)).state === "succeeded", "the fine run");

  await claim("a run of fem offers the method that takes its scenes, with the options that method knows", async () => {
    await page.goto(`${screed.url}/#/jobs/${fine.id}`);
    await page.getByRole("link", { name: "Coarsening …" }).click();
    await page.getByText("This scene can run.").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/#\/jobs\/2$/);
  });

  await claim("its page shows tables of modes and meshes and a picture of every mode, and its files can be saved", async () => {
    await page.getByRole("heading", { name: "Results" }).waitFor();
    await page.getByRole("columnheader", { name: "Frequency, Hz" }).waitFor();
    const pictures = page.locator(".result-pictures img");
    await eventually(async () => (await pictures.count()) === 6, "six pictures");
    await eventually(() => pictures.first().evaluate((image) => image.complete && image.naturalWidth > 0), "the first picture");
    assert.equal(await page.getByRole("link", { name: "report.md" }).getAttribute("href"), "/api/v1/jobs/2/files/coarsening/report.md");
  });

  await claim("the coarse scene is the fine one with another mesh and stiffness, ready to run", async () => {
    await page.getByRole("link", { name: "Run the changed scene …" }).click();
    await page.getByText("This scene can run.").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForURL(/#\/jobs\/3$/);
    const coarse = await screed.json("/api/v1/jobs/3/scene");
    const written = await screed.json(`/api/v1/jobs/${fine.id}/scene`);
    assert.equal(coarse.method, "fem");
    assert.deepEqual(coarse.time, written.time);
    assert.notDeepEqual(coarse.specimens[0].divisions, written.specimens[0].divisions);
    assert.notEqual(coarse.materials[0].young_modulus, written.materials[0].young_modulus);
    await eventually(async () => (await screed.json("/api/v1/jobs/3")).state === "succeeded", "the coarse run");
  });

  await claim("nothing was complained of in the browser's console", async () => assert.deepEqual(complaints, []));
} finally {
  await browser.close();
  await screed.close();
}
finish();
