// What a picture costs the browser: 195,000 points, and 100,000 instances of three shapes, made up by this program and turned by hand, in Chromium with
// software rendering. `make bench-draw` prints processor time for each picture by Chromium's processes; it depends less on what else the machine
// does than pictures a second do. Two dashboards are compared in turns: node bench_draw.mjs KIND FOLDER [FOLDER].
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser, root } from "../support/browser.mjs";
import { ball } from "../support/made_kinds.mjs";
import { address, floats, MadeRun, serve, shorts, wholes } from "../support/made_run.mjs";

const [kind = "points", ...given] = process.argv.slice(2);
const folders = given.length > 0 ? given : [join(root, "build/web")];
const TURNS = folders.length > 1 ? 3 : 1;
const EDGE = kind === "points" ? 58 : 46; // along each of a cube's

/** Processor time of this program's browser so far, by kind of process, s. */
function seconds() {
  const parents = new Map();
  const own = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
      const fields = rest.split(" ");
      parents.set(pid, fields[1]);
      if (/chrom/i.test(name)) own.push({ pid, type: /--type=([a-z-]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1] ?? "browser", ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      /* it ended meanwhile */
    }
  }
  const sums = {};
  for (const { pid, type, ticks } of own) {
    let up = pid;
    while (up && up !== "0" && up !== String(process.pid)) up = parents.get(up);
    if (up === String(process.pid)) sums[type] = (sums[type] ?? 0) + ticks / 100;
  }
  return sums;
}

const field = (name, unit = "1", components = 1, encoding = "float32") => ({ name, unit, components, encoding });

function made() {
  const at = [];
  for (let i = 0; i < EDGE; i++) for (let j = 0; j < EDGE; j++) for (let k = 0; k < EDGE; k++) at.push(i / EDGE, j / EDGE, k / EDGE);
  const many = at.length / 3;
  const bounds = { minimum: [0, 0, 0], maximum: [1, 1, 1] };
  const values = Array.from({ length: many }, (_, i) => (i % 100) / 100);
  if (kind === "points") {
    const fields = [field("position", "m", 3, "uint16"), field("load", "1", 1, "uint16")];
    const run = new MadeRun({ drawables: [{ id: 0, kind, name: "points", element_count: many, radius: 0.5 / EDGE, fields }], series: [], bounds });
    return run.frame(0, [{ drawable: 0, elements: many, arrays: [shorts(0, 3, at), shorts(1, 1, values)] }]).end();
  }
  const fields = [field("position", "m", 3), field("orientation", "rad", 3), field("shape", "1", 1, "uint32"), field("load", "N")];
  const run = new MadeRun({ drawables: [{ id: 0, kind, name: "rocks", element_count: many, fields }], series: [], bounds });
  for (const shape of [0, 1, 2]) {
    const { points, faces } = ball(0.45 / EDGE, 1);
    run.geometry(0, shape, points.map(([x, y, z]) => [x, y * (1 - 0.2 * shape), z]), faces);
  }
  return run.frame(0, [{ drawable: 0, elements: many, arrays: [floats(0, 3, at), floats(1, 3, at.map((x) => 6 * x)), wholes(2, values.map((_, i) => i % 3)), floats(3, 1, values)] }]).end();
}

async function measure(page, what, work) {
  const pictures = async () => Number(await page.locator(".view3d").getAttribute("data-pictures"));
  const [first, spent, begun] = [await pictures(), seconds(), Date.now()];
  await work();
  const [many, now] = [(await pictures()) - first, seconds()];
  const each = Object.fromEntries(Object.keys(now).map((type) => [type, Math.round((1000 * (now[type] - (spent[type] ?? 0))) / many)]).filter(([, ms]) => ms > 0));
  const sum = Object.values(each).reduce((a, b) => a + b, 0);
  console.log(`${what}: ${sum} ms of processor time for each of ${many} pictures (${Object.entries(each).map(([type, ms]) => `${type} ${ms}`).join(", ")}), ${((1000 * many) / (Date.now() - begun)).toFixed(1)} a second, detail ${(await page.locator(".view3d").getAttribute("data-detail")) ?? "full"}`);
}

const run = made();
for (let turn = 0; turn < TURNS; turn++) {
  for (const folder of folders) {
    const browser = await launchBrowser();
    try {
      const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
      await serve(page, run, {}, folder);
      await page.goto(address);
      const canvas = page.locator(".view3d > canvas");
      await canvas.waitFor({ timeout: 120000 });
      await page.waitForTimeout(2500);
      const box = await canvas.boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const orbit = async (time) => {
        const end = Date.now() + 1000 * time;
        for (let k = 0; Date.now() < end; k++) {
          await page.mouse.move(x + 200 * Math.sin(k / 15), y + 60 * Math.sin(k / 22));
          await page.waitForTimeout(8);
        }
      };
      await page.mouse.move(x, y);
      await page.mouse.down();
      await orbit(3); // the view finds its pace
      await measure(page, `${folder}, turning`, () => orbit(6));
      await page.mouse.up();
      await page.waitForTimeout(2000);
      await measure(page, `${folder}, in full`, async () => {
        for (let k = 0; k < 4; k++) {
          await page.keyboard.press("f");
          await page.waitForTimeout(1500);
        }
      });
    } finally {
      await browser.close();
    }
  }
}
