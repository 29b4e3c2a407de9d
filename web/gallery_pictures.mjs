// Runs every scene of the gallery on a daemon of its own and takes its picture in a real browser, as the dashboard shows it: NAME.webp in
// static/gallery/. Called by `make gallery-pictures`; names as arguments do these only.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, launchBrowser, root, Screed } from "../tests/support/browser.mjs";

const folder = join(root, "web/static/gallery");
const WIDTH = 480;
const HEIGHT = 300;
// The frame that shows best what happens, as a part of the run; the middle otherwise.
const MOMENT = { "drum": 0.95, "hopper": 0.4, "box-fill-1000": 0.9, "shear-box": 0.5, "card-house": 0.9, "domino-run": 0.55, "dry-stone-wall": 0.45, "masonry-arch": 0.98, "bolt-pile": 0.9, "beam-drape": 0.9, "beam-stretch": 0.9, "beam-twist": 0.85, "cloth-pull": 0.8, "cloth-tear": 0.8, "chocolate-drop": 0.75, "plate-drop": 0.7, "ring-drop": 0.7, "brick-drop": 0.6, "hollow-sphere-crush": 0.7, "two-hollow-spheres": 0.85, "eight-grains": 0.8, "wedge-split": 0.8, "brazilian-disc": 0.95, "notched-beam": 0.9, "slow-tear": 0.9, "scattered-strength": 0.95, "three-point-bend": 0.95, "three-point-bend-low": 0.98, "three-point-bend-middle": 0.98, "three-point-bend-high": 0.98, "cantilever": 0.6, "block-drop": 0.25, "bar-impact": 0.35, "free-ball": 0.35, "servo-column": 0.5, "kalthoff-winkler": 0.95, "eight-jacks": 0.75, "arch-jumper": 0.1, "ball-between-walls": 0.98, "beam-lift-off": 0.02, "sliding-jelly": 0.2, "felt-compression": 0.75, "woven-yarn-pullout": 0.5, "woven-yarn-pullout-bonded": 0.5, "shaken-groom": 0.6, "net-catch": 0.3 };

/** Cuts what is coloured, so the specimens, out of a PNG with room around it, and makes it a small WebP. */
function shrink(page, png) {
  return page.evaluate(
    async ([text, width, height]) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const middleOf = (counts, total) => {
        let [low, high, seen] = [0, counts.length - 1, 0];
        for (let i = 0; i < counts.length; i++) {
          if (seen <= 0.03 * total) low = i;
          if (seen < 0.97 * total) high = i;
          seen += counts[i];
        }
        return [(low + high) / 2, high - low];
      };
      const whole = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      whole.drawImage(bitmap, 0, 0);
      const { data } = whole.getImageData(0, 0, bitmap.width, bitmap.height);
      const [columns, rows] = [new Float64Array(bitmap.width), new Float64Array(bitmap.height)];
      let total = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) < 40) continue;
        columns[(i / 4) % bitmap.width]++;
        rows[Math.floor(i / 4 / bitmap.width)]++;
        total++;
      }
      const [x, spanX] = middleOf(columns, total);
      const [y, spanY] = middleOf(rows, total);
      const most = Math.min(bitmap.width / width, bitmap.height / height);
      const unit = Math.min(most, Math.max(0.3 * most, (1.6 * spanX) / width, (1.6 * spanY) / height)); // pixels of the PNG per pixel
      const left = Math.min(Math.max(0, x - (unit * width) / 2), bitmap.width - unit * width);
      const top = Math.min(Math.max(0, y - (unit * height) / 2), bitmap.height - unit * height);
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, left, top, unit * width, unit * height, 0, 0, width, height);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.82 });
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    [png.toString("base64"), WIDTH, HEIGHT],
  );
}

async function takePicture(page, scene, job, url) {
  await page.goto(`${url}/#/jobs/${job.id}`);
  await page.locator(".view3d > canvas").waitFor();
  const slider = page.getByRole("slider", { name: "Time shown" });
  const frames = await eventually(async () => Number(await slider.getAttribute("max")), "frames in the timeline");
  const frame = Math.round(frames * (MOMENT[scene.name] ?? 0.5));
  await slider.evaluate((input, value) => {
    input.value = String(value);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, frame);
  await eventually(async () => ((await page.locator(".timeline .time").textContent()) ?? "").includes(`${frame + 1}/`), "the frame");
  await page.evaluate(() => document.querySelectorAll(".view3d > :not(canvas)").forEach((over) => over.style.setProperty("visibility", "hidden")));
  await page.waitForTimeout(1500); // for the picture to be drawn
  return shrink(page, await page.locator(".view3d > canvas").screenshot());
}

async function runScene(screed, scene) {
  const sent = await screed.json("/api/v1/jobs", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(scene.scene) });
  return eventually(
    async () => {
      const job = await screed.json(`/api/v1/jobs/${sent.id}`);
      if (job.state === "failed") throw new Error(`${scene.name}: ${job.error}`);
      return job.state === "succeeded" ? job : null;
    },
    scene.name,
    900000,
  );
}

mkdirSync(folder, { recursive: true });
const only = process.argv.slice(2);
const screed = await new Screed().start();
const browser = await launchBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, colorScheme: "light", deviceScaleFactor: 2 });
  const page = await context.newPage();
  const { scenes } = await screed.json("/api/v1/gallery");
  for (const scene of scenes) {
    if (only.length > 0 && !only.includes(scene.name)) continue;
    const job = await runScene(screed, scene);
    const picture = await takePicture(page, scene, job, screed.url);
    writeFileSync(join(folder, `${scene.name}.webp`), Buffer.from(picture));
    console.log(`${scene.name}: ${picture.length} bytes, ${job.progress.run_seconds.toPrecision(2)} s`);
  }
} finally {
  await browser.close();
  await screed.close();
}
