// The path of somebody who sees Scree for the first time: the printed link, the guide, a scene taken from it and changed, three runs compared,
// and their curves in a notebook (the Python client under the system's python3). Then three trials with nothing but the page: a rock cylinder
// between platens, two boxes sheared, a soft ball under three methods; of each a picture and a film are taken away, the curve beside. Pictures go
// to build/screenshots/path-*.png.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, claim, eventually, finish, launchBrowser, lookAt, root, Screed, unfold } from "../support/browser.mjs";

const pictures = join(root, "build/screenshots");
mkdirSync(pictures, { recursive: true });

const FORCE = "wall.z_max.force_z";
const DISPLACEMENT = "wall.z_max.displacement";
const ENERGIES = ["70 J/m^2", "135 J/m^2", "270 J/m^2"]; // those of the guide's own comparison; runs are jobs 1, 2, 3

const screed = await new Screed([]).start();
const browser = await launchBrowser({ whole: true });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
const page = await context.newPage();
const complaints = [];
const checks = { passed: 0, refused: 0 };
page.on("pageerror", (error) => complaints.push(`page: ${error.message}`));
page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
page.on("response", async (response) => {
  if (!response.url().endsWith("/api/v1/scenes/check")) return;
  const answer = await response.json().catch(() => null);
  if (answer) checks[answer.valid ? "passed" : "refused"]++;
});

const shot = (name, options = {}) => page.screenshot({ path: join(pictures, `path-${name}.png`), ...options });
const environment = { ...process.env, XDG_STATE_HOME: join(screed.folder, "state"), SCREE_SERVER: "" };
const scree = (...argv) => spawnSync(join(build, "scree"), argv, { encoding: "utf8", env: environment, cwd: screed.folder, timeout: 600000 });

/** A command's table of comma-separated values, by the name of its column. */
function columns(text) {
  const cells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
  const [head, ...rows] = text.trim().split("\n").map(cells);
  return Object.fromEntries(head.map((name, i) => [name, rows.map((row) => row[i] ?? "")]));
}

const settled = () => page.locator('.check:not([aria-busy="true"]) .check-ok').waitFor(); // the verdict on what stands in the form now

/** Runs what the composer shows, and waits for the end of the job, which must be the one numbered `id`. */
async function runIt(id) {
  await settled();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(new RegExp(`#/jobs/${id}$`));
  await page.getByText("Succeeded", { exact: true }).first().waitFor();
}

const energyField = () => page.locator('[data-pointer="/materials/0/fracture_energy"] input');
let example = "";

try {
  await claim("the printed link opens the dashboard, which says what to do first", async () => {
    await page.goto(await eventually(async () => /http:\S+\/open\?key=\S+/.exec(screed.said)?.[0], "the link"));
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.getByText("Nothing has run here yet").waitFor();
    await page.getByRole("link", { name: "read how to write a scene of your own" }).waitFor();
    await shot("1-first");
  });

  await claim("the guide is one click away and explains a scene by an example", async () => {
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Guide" }).click();
    const guide = await opened;
    await guide.getByRole("heading", { name: "A scene, explained" }).waitFor();
    example = await guide.locator("pre").filter({ hasText: "my-first-crush" }).innerText();
    await guide.screenshot({ path: join(pictures, "path-2-guide.png") });
    guide.on("console", (message) => complaints.push(`guide: ${message.text()}`));
    for (const name of ["bdem", "coarsening"]) { // all pages and links: tests/integration/test_docs.py
      await guide.goto(`${screed.url}/guide`);
      await guide.locator("main").getByRole("link", { name, exact: true }).click();
      await guide.getByRole("heading", { level: 1, name: new RegExp(`^${name}: `) }).waitFor();
      const picture = await guide.locator("main img").evaluate((image) => image.decode().then(() => image.naturalWidth));
      assert.equal(picture, 480, name);
      const tall = await guide.locator("math mfrac, math msup").first().evaluate((part) => part.getBoundingClientRect().height / parseFloat(getComputedStyle(part).fontSize));
      assert.ok(tall > 1.05, `${name}: a formula is drawn as one: ${tall}`);
      assert.ok(await guide.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing sticks out of the page`);
      if (name === "bdem") await guide.screenshot({ path: join(pictures, "path-2-method.png") });
    }
    await guide.close();
    assert.equal(JSON.parse(example).materials[0].fracture_energy, ENERGIES[1]);
  });

  await claim("the gallery shows scenes with pictures, and a blank one to start from", async () => {
    await page.getByRole("link", { name: "New run" }).first().click();
    await page.locator(".gallery .card").first().waitFor();
    await eventually(() => page.evaluate(() => [...document.querySelectorAll(".gallery img")].slice(0, 3).every((image) => image.complete && image.naturalWidth > 0)), "pictures");
    await shot("3-gallery");
    await page.getByRole("link", { name: "Start blank" }).click();
    await page.getByRole("tab", { name: "JSON" }).waitFor();
  });

  await claim("the guide's scene, put in as text and changed by one number in the form, passes its check", async () => {
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("The scene as JSON").fill(example);
    await page.getByRole("tab", { name: "Form" }).click();
    await unfold(page);
    assert.equal(await energyField().inputValue(), ENERGIES[1].split(" ")[0]);
    assert.equal(await page.getByLabel("Unit of fracture energy").inputValue(), "J/m^2");
    await energyField().fill(ENERGIES[0]);
    await page.locator('[data-pointer="/title"] input').fill(`Crush a hollow grain, ${ENERGIES[0]}`);
    await settled();
    assert.match(await page.locator(".check").innerText(), /1\s?048/); // as the guide says
    assert.equal(await page.locator('[data-pointer="/method"] a').getAttribute("href"), "/guide/methods/peridem");
    await energyField().scrollIntoViewIfNeeded();
    assert.doesNotMatch(await page.locator("#form-panel").innerText(), /\bnull:/); // a form has empty fields, and no null
    await shot("4-composer");
  });

  await claim("it runs to its end, with the grain and the curve on the page", async () => {
    await runIt(1);
    await eventually(async () => (await lookAt(page)).filled > 0.02, "a picture of the grain");
    assert.equal(await page.locator(".job-about a").getAttribute("href"), "/guide/methods/peridem");
    await shot("5-run");
  });

  await claim("two more runs with other values are made from its scene", async () => {
    for (const [i, energy] of ENERGIES.slice(1).entries()) {
      await page.getByRole("link", { name: /Run again/ }).click();
      await energyField().waitFor();
      await energyField().fill(energy);
      await page.locator('[data-pointer="/title"] input').fill(`Crush a hollow grain, ${energy}`);
      await runIt(i + 2);
    }
    for (const [i, energy] of ENERGIES.entries()) {
      const scene = await page.evaluate(async (id) => (await fetch(`/api/v1/jobs/${id}/scene`)).json(), i + 1);
      assert.equal(scene.materials[0].fracture_energy, Number.parseFloat(energy));
    }
  });

  await claim("on the way at most one check was refused", () => {
    assert.ok(checks.passed >= 3, JSON.stringify(checks));
    assert.ok(checks.refused <= 1, JSON.stringify(checks));
  });

  await claim("the three curves lie over each other, each named, and go into one CSV file", async () => {
    for (const id of [1, 2]) {
      await page.getByLabel("Compare with").fill(String(id));
      await page.getByRole("listbox", { name: "Jobs found" }).locator(`[data-job="${id}"]`).click();
    }
    const label = page.locator(".plot canvas");
    await eventually(async () => /Job 1\D.*Job 2\D/.test(await label.getAttribute("aria-label")), "two other curves");
    await page.waitForURL(/#\/jobs\/3\?with=1,2$/);
    await new Promise((done) => setTimeout(done, 600)); // longer than the search waits for the next key
    assert.equal(await page.locator(".compare-found").isVisible(), false, "the search is folded after a choice and covers nothing");
    await page.locator(".plot").scrollIntoViewIfNeeded();
    await shot("6-compared");
    await page.locator(".plot-card").screenshot({ path: join(pictures, "path-7-curves.png") });
    const saved = async (kind) => {
      const waiting = page.waitForEvent("download");
      await page.locator(".exports").getByText(kind, { exact: true }).click();
      return readFileSync(await (await waiting).path(), "utf8");
    };
    const picture = await saved("SVG");
    for (const [i, energy] of ENERGIES.entries()) assert.match(picture, new RegExp(`Job ${i + 1}: Crush a hollow grain, ${energy.replace("^", "\\^")}`));
    const table = columns(await saved("CSV"));
    assert.equal(Object.keys(table).length, 6, Object.keys(table).join(" | "));
    for (const [i, energy] of ENERGIES.entries())
      for (const series of [DISPLACEMENT, FORCE]) {
        const values = table[Object.keys(table).find((name) => name.startsWith(`Job ${i + 1}: Crush a hollow grain, ${energy}: ${series}`))];
        assert.ok(values?.filter((value) => value !== "").length > 100, `${series} of job ${i + 1}: ${Object.keys(table)}`);
      }
  });

  await claim("the list tells the three runs apart", async () => {
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.locator(".job-list > li").nth(2).waitFor();
    await shot("8-jobs");
  });

  await claim("a notebook gets the three runs by Python, with the peak force that the server's own CSV gives", async () => {
    const notebook = `
import csv, sys
import scree

lab = scree.Lab(${JSON.stringify(screed.url)})
for job in lab.wait_all([lab.job(id) for id in (1, 2, 3)]):
    curves = job.curves()
    with open(f"curves-{job.id}.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(curves)
        table.writerows(zip(*curves.values()))
    print(job.id, max(curves["${FORCE}"]), len(curves["time"]), job.units()["${FORCE}"])
`;
    writeFileSync(join(screed.folder, "notebook.py"), notebook);
    const python = spawnSync("python3", ["notebook.py"], { encoding: "utf8", cwd: screed.folder, timeout: 600000, env: { ...environment, PYTHONPATH: join(root, "api/clients/python") } });
    assert.equal(python.status, 0, python.stderr);
    const lines = python.stdout.trim().split("\n").map((line) => line.split(" "));
    assert.equal(lines.length, 3);
    for (const [id, peak, count, unit] of lines) {
      console.log(`# job ${id}: fracture energy ${ENERGIES[id - 1]}, peak force ${Number(peak).toFixed(2)} ${unit}, ${count} samples`);
      const shown = columns(await page.evaluate(async (job) => (await fetch(`/api/v1/jobs/${job}/curves`, { headers: { Accept: "text/csv" } })).text(), id));
      const name = Object.keys(shown).find((column) => column.startsWith(FORCE));
      assert.equal(Number(peak), Math.max(...shown[name].map(Number)));
      assert.equal(Number(count), shown[name].length);
      assert.equal(unit, "N");
      const written = columns(readFileSync(join(screed.folder, `curves-${id}.csv`), "utf8").replaceAll("\r", ""));
      assert.equal(Math.max(...written[FORCE].map(Number)), Number(peak));
    }
    const peaks = lines.map(([, peak]) => Number(peak));
    assert.ok(peaks[0] < peaks[1] && peaks[1] < peaks[2], `a tougher grain holds more: ${peaks}`);
  });

  await claim("on the command line the same scene passes its check at once and gives the same curves to the byte", async () => {
    writeFileSync(join(screed.folder, "crush.json"), example);
    const check = scree("check", "crush.json");
    assert.equal(check.status, 0, check.stdout + check.stderr);
    assert.match(check.stdout, /1\s?048/);
    const run = scree("run", "crush.json", "-o", "crush");
    assert.equal(run.status, 0, run.stderr);
    assert.ok(existsSync(join(screed.folder, "crush/plot.svg")));
    const fetched = scree("fetch", "2", "-o", "fetched", "--server", screed.url);
    assert.equal(fetched.status, 0, fetched.stderr);
    assert.equal(readFileSync(join(screed.folder, "crush/curves.csv"), "utf8"), readFileSync(join(screed.folder, "fetched/curves.csv"), "utf8"));
  });

  const input = (pointer, k = 0) => page.locator(`[data-pointer="${pointer}"] input`).nth(k);
  const setVector = async (pointer, values) => {
    for (const [k, value] of values.entries()) await input(pointer, k).fill(String(value));
  };
  const setUp = async (title) => {
    await page.getByRole("link", { name: "New run" }).first().click();
    await page.getByRole("link", { name: new RegExp(`^Set up ${title}`) }).click();
    await page.locator(".scene-form .fields").first().waitFor();
    await unfold(page);
  };
  const verdicts = { passed: 0, refused: 0 }; // of scenes as they are to be run; while something is typed, half of it may be refused: the slower the machine, the oftener
  const runScene = async (id) => {
    await page.locator('.check:not([aria-busy="true"])').locator(".check-ok, .check-refused").first().waitFor();
    verdicts[(await page.locator(".check .check-ok").count()) > 0 ? "passed" : "refused"]++;
    await runIt(id);
    await eventually(async () => (await lookAt(page)).filled > 0.001, "a picture");
  };

  /** Takes a picture and a film with the curve beside, and looks at both: the sizes, the share of the view and of the curve that is not ground, and over
   *  how many pixels of a picture's width the dot on the curve goes and how much of the view changes. */
  async function takeAway(name, frames) {
    await page.locator(".view-popover summary", { hasText: "Save" }).click();
    await page.locator(".popover-body").getByRole("combobox", { name: /^Size/ }).selectOption({ label: "1280 × 720" });
    await page.getByLabel("Curve beside").check();
    const saved = async (button, end) => {
      const waiting = page.waitForEvent("download");
      await page.locator(".save-buttons").getByRole("button", { name: button }).click();
      const path = join(pictures, `path-${name}.${end}`);
      await (await waiting).saveAs(path);
      return readFileSync(path).toString("base64");
    };
    const [picture, film] = [await saved("Picture", "png"), await saved("Film", "webm")];
    await page.keyboard.press("Escape");
    const blank = await browser.newPage(); // whose rules allow pictures of its own
    const seen = await blank.evaluate(
      async ([png, webm]) => {
        const blob = (text, type) => new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type });
        const canvas = new OffscreenCanvas(1280, 720).getContext("2d", { willReadFrequently: true });
        const pixels = (source) => (canvas.drawImage(source, 0, 0), canvas.getImageData(0, 0, 1280, 720).data);
        const edge = 716; // the view ends there and the curve begins
        const bitmap = await createImageBitmap(blob(png, "image/png"));
        const still = pixels(bitmap);
        const inked = [0, 0];
        for (let i = 0; i < still.length; i += 4) if (Math.min(still[i], still[i + 1], still[i + 2]) < 235) inked[(i / 4) % 1280 < edge ? 0 : 1]++;
        const video = document.createElement("video");
        video.muted = true;
        video.src = URL.createObjectURL(blob(webm, "video/webm"));
        await new Promise((done, failed) => ((video.onloadeddata = done), (video.onerror = () => failed(new Error(video.error?.message)))));
        const at = async (time) => {
          const found = new Promise((done) => (video.onseeked = done));
          video.currentTime = time;
          await found;
          return pixels(video);
        };
        const first = await at(0);
        let last = await at(video.duration - 0.01);
        // A busy browser says that it has sought before it shows the picture that it has found.
        for (let turn = 0; turn < 100 && last.every((value, i) => value === first[i]); turn++) {
          await new Promise((done) => setTimeout(done, 50));
          last = pixels(video);
        }
        let [changed, left, right] = [0, 1280, 0];
        for (let i = 0; i < first.length; i += 4) {
          if (Math.abs(first[i] - last[i]) + Math.abs(first[i + 1] - last[i + 1]) + Math.abs(first[i + 2] - last[i + 2]) < 90) continue;
          const x = (i / 4) % 1280;
          if (x < edge) changed++;
          else [left, right] = [Math.min(left, x), Math.max(right, x)];
        }
        return { size: [bitmap.width, bitmap.height, video.videoWidth, video.videoHeight], inked: inked.map((count) => count / (1280 * 720)), seconds: video.duration, changed, dot: right - left };
      },
      [picture, film],
    );
    await blank.close();
    console.log(`# ${name}: ${JSON.stringify(seen)}`);
    assert.deepEqual(seen.size, [1280, 720, 1280, 720]);
    assert.ok(seen.inked[0] > 0.005 && seen.inked[1] > 0.002, `the view and the curve are in the picture: ${seen.inked}`);
    assert.ok(Math.abs(seen.seconds - frames / 20) < 0.01, `${seen.seconds} s of ${frames} frames`);
    assert.ok(seen.changed > 200, `the view moves: ${seen.changed} pixels`);
    assert.ok(seen.dot > 200, `the dot goes along the curve: ${seen.dot} pixels`);
  }

  const before = { ...checks };
  let documents = 0; // of the visitor
  context.on("page", () => documents++);

  await claim("trial 1, by the page alone: a rock cylinder between platens is crushed, and its film and picture are taken away", async () => {
    await setUp("Press a cylinder");
    await input("/title").fill("Crush a rock cylinder");
    await input("/materials/0/density").fill("2600");
    await page.getByLabel("Unit of young modulus").selectOption("GPa");
    await input("/materials/0/young_modulus").fill("50");
    await input("/materials/0/fracture_energy").fill("100");
    await input("/time/duration").fill("0.001");
    await input("/output/frame_interval").fill("0.0001");
    await runScene(4);
    const { progress } = await page.evaluate(async () => (await fetch("/api/v1/jobs/4")).json());
    assert.ok(progress.headlines.find(({ name }) => /broken/.test(name)).value > 1000, JSON.stringify(progress.headlines));
    await takeAway("cylinder", 11);
  });

  await claim("trial 2, by the page alone: two boxes are sheared at Coulomb's force, and their film and picture are taken away", async () => {
    await setUp("A block that slides");
    await input("/title").fill("Shear two boxes");
    await setVector("/specimens/0/velocity", [0, 0, 0]);
    await page.getByRole("button", { name: "Add specimen" }).click();
    await setVector("/specimens/1/placement/position", [0, 0, 0.15]);
    await page.getByRole("button", { name: "Add obstacle" }).click();
    await page.locator('[data-pointer="/obstacles/1/shape"] select').first().selectOption("box");
    await input("/obstacles/1/name").fill("pusher");
    await setVector("/obstacles/1/shape/size", [0.02, 0.1, 0.02]);
    await setVector("/obstacles/1/position", [-0.061, 0, 0.12]);
    await setVector("/obstacles/1/direction", [1, 0, 0]);
    await page.locator('[data-pointer="/obstacles/1/program"] > summary').click();
    await page.locator('[data-pointer="/obstacles/1/program"]').getByRole("button", { name: /^Add/ }).click();
    await page.locator('[data-pointer="/obstacles/1/program/0"] select').first().selectOption("constant");
    await input("/obstacles/1/program/0/velocity").fill("0.05");
    await input("/output/frame_interval").fill("0.1");
    await input("/output/plots/0/x").fill("obstacle.pusher.displacement");
    await input("/output/plots/0/y").fill("obstacle.pusher.force_x");
    await input("/output/plots/0/title").fill("Force of the pusher");
    await runScene(5);
    const { samples } = await page.evaluate(async () => (await fetch("/api/v1/jobs/5/curves?series=obstacle.pusher.force_x")).json());
    const forces = samples.map((sample) => Math.abs(sample[sample.length - 1]));
    const [mu, weight] = [0.3, 9.81]; // of the upper box, 1 kg; F = mu (m g + f), f what the pusher rubs up or down its side, |f| <= mu F
    assert.ok(forces.slice(-20).every((force) => force > (0.999 * mu * weight) / (1 + mu * mu) && force < (1.001 * mu * weight) / (1 - mu * mu)), `${forces.slice(-20)}`);
    await takeAway("boxes", 11);
  });

  await claim("trial 3, by the page alone: a soft ball under three methods, whose curves lie over each other in the film and the picture", async () => {
    await setUp("Press a ball");
    await input("/output/frame_interval").fill("0.00408");
    for (const [i, method] of ["peridem", "bdem", "lsdem"].entries()) {
      if (i > 0) await page.getByRole("link", { name: /Run again/ }).click();
      await page.locator('[data-pointer="/method"] select').selectOption(method);
      await page.locator(`[data-pointer="/method"] a[href="/guide/methods/${method}"]`).waitFor();
      await input("/title").fill(`Press a soft ball by ${method}`);
      await runScene(6 + i);
    }
    for (const id of [6, 7]) {
      await page.getByLabel("Compare with").fill(String(id));
      await page.getByRole("listbox", { name: "Jobs found" }).locator(`[data-job="${id}"]`).click();
    }
    await eventually(async () => /Job 6\D.*Job 7\D/.test(await page.locator(".plot canvas").getAttribute("aria-label")), "two other curves");
    await takeAway("ball", 11);
  });

  await claim("in all three trials at most one check was refused, and no document was opened besides the page", () => {
    console.log(`# ${checks.passed - before.passed} checks passed, ${checks.refused - before.refused} refused what was half typed`);
    assert.equal(verdicts.passed + verdicts.refused, 5);
    assert.ok(verdicts.refused <= 1, JSON.stringify(verdicts));
    assert.equal(documents, 0);
  });

  await claim("the browser's console has nothing to object to", () => assert.deepEqual(complaints.filter((text) => !text.includes("422")), [])); // which refused checks have, and nothing else

} finally {
  await browser.close();
  await screed.close();
}
finish();
