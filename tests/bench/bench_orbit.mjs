// How many pictures a second the dashboard draws while the view of 200,000 points is turned by hand and their run goes on, in Chromium with
// software rendering (SwiftShader) on the machine of the run. `make bench-orbit` prints it; POINTS along each edge: node bench_orbit.mjs [58].
// `node bench_orbit.mjs grains`: a million points, those of 729 hollow grains, of which the server sends what is seen from outside.
import { readdirSync, readFileSync } from "node:fs";
import { eventually, launchBrowser, Screed } from "../support/browser.mjs";

/** Processor time of this program's browser, all its processes together, s. */
function browserSeconds() {
  const parents = new Map();
  const ticks = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
      const fields = rest.split(" ");
      parents.set(pid, fields[1]);
      if (/chrom/i.test(name)) ticks.set(pid, Number(fields[11]) + Number(fields[12]));
    } catch {
      /* it ended meanwhile */
    }
  }
  let sum = 0;
  for (const [pid, own] of ticks) {
    let up = pid;
    while (up && up !== "0" && up !== String(process.pid)) up = parents.get(up);
    if (up === String(process.pid)) sum += own;
  }
  return sum / 100;
}

const grains = process.argv[2] === "grains";
const edge = grains ? 0 : Number(process.argv[2] ?? 58);
const seconds = 6;
const screed = await new Screed(["--no-auth", "--memory", "8G"]).start();
const browser = await launchBrowser();
try {
  const size = 2e-3;
  const scene = {
    scree: 1, name: "block", method: "peridem",
    materials: [{ name: "polymer", density: 1200, bulk_modulus: 2e9, fracture_energy: 135 }],
    specimens: [{ name: "block", material: "polymer", spacing: size / edge, shape: { type: "box", size: [size, size, size] }, placement: { type: "single", position: [0, 0, 0] } }],
    rig: { type: "none", gravity: [0, 0, -9.81] }, time: { duration: Number(process.argv[3] ?? 2e-5) }, output: { frame_interval: Number(process.argv[4] ?? 1e-8), sample_interval: Number(process.argv[4] ?? 1e-8) },
  };
  if (grains) {
    const pitch = 2.3e-3;
    scene.specimens = [{ name: "grains", material: "polymer", spacing: 1.25e-4, shape: { type: "hollow_sphere", radius: 1e-3, inner_radius: 7e-4 }, placement: { type: "lattice", origin: [-4 * pitch, -4 * pitch, -4 * pitch], count: [9, 9, 9], pitch: [pitch, pitch, pitch] } }];
    scene.options = { horizon: 3.333e-4, contact_radius: 2e-4, contact_surface: "nodes" };
  }
  const job = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene) });
  if (!job.id) throw new Error(JSON.stringify(job));
  const points = job.estimate.node_count;
  console.log(`${points} points, foreseen memory ${(job.estimate.memory_bytes / 1e9).toFixed(2)} GB`);
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${screed.url}/#/jobs/${job.id}`);
  const canvas = page.locator(".view3d > canvas");
  await canvas.waitFor({ timeout: 120000 });
  await eventually(async () => Number(await page.getByRole("slider", { name: "Time shown" }).getAttribute("max")) >= 1, "two frames", 240000);
  const box = await canvas.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  // The pictures are counted as they are composited: two pixels read back from the canvas force each to be finished.
  await page.evaluate(() => {
    const canvas = document.querySelector(".view3d > canvas");
    const gl = canvas.getContext("webgl2");
    const pixel = new Uint8Array(4);
    let last = "";
    window.finished = [];
    const look = () => {
      const pictures = document.querySelector(".view3d").dataset.pictures ?? String(performance.now());
      if (pictures !== last) {
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        window.finished.push(performance.now());
      }
      last = pictures;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  const turn = async (time) => {
    const end = Date.now() + 1000 * time;
    for (let k = 0; Date.now() < end; k++) {
      await page.mouse.move(x + 200 * Math.sin(k / 15), y + 60 * Math.sin(k / 22));
      await page.waitForTimeout(8);
    }
  };
  await turn(3); // the view finds its pace
  await page.evaluate(() => (window.finished = []));
  const before = browserSeconds();
  await turn(seconds);
  const spent = browserSeconds() - before;
  const times = await page.evaluate(() => window.finished);
  const detail = await page.locator(".view3d").getAttribute("data-detail");
  await page.mouse.up();
  const { frames } = await screed.json(`/api/v1/jobs/${job.id}/frames`);
  const sizeOf = async (query) => (await (await fetch(`${screed.url}/api/v1/jobs/${job.id}/records/${frames[0].seq}${query}`)).arrayBuffer()).byteLength;
  console.log(`a frame: ${((await sizeOf("")) / 1e6).toFixed(1)} MB, for the view ${((await sizeOf("?points=250000")) / 1e6).toFixed(1)} MB`);
  const { state, progress } = await screed.json(`/api/v1/jobs/${job.id}`);
  console.log(`${((times.length - 1) / ((times.at(-1) - times[0]) / 1000)).toFixed(1)} pictures a second at detail ${detail ?? "full"}; the run is ${state} at step ${progress?.step}`);
  await page.waitForTimeout(2500);
  console.log(`processor time for each: ${((1000 * spent) / times.length).toFixed(0)} ms`);
  console.log(`at rest: detail ${await page.locator(".view3d").getAttribute("data-detail")}`);
  const [full, drawn] = [browserSeconds(), Number(await page.locator(".view3d").getAttribute("data-pictures"))];
  for (let k = 0; k < 6; k++) {
    await page.keyboard.press("f"); // draws everything in full
    await page.waitForTimeout(1200);
  }
  const more = Number(await page.locator(".view3d").getAttribute("data-pictures")) - drawn;
  console.log(`processor time for a picture in full: ${((1000 * (browserSeconds() - full)) / more).toFixed(0)} ms, of ${more}`);
  await screed.json(`/api/v1/jobs/${job.id}/cancel`, { method: "POST" });
} finally {
  await browser.close();
  await screed.close();
}
