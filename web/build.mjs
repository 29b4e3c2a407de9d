// Bundles the dashboard into the folder given as argument: index.html and assets/ (scripts, styles, icon).
// The page loads the entry by its stable name; parts that are loaded later carry a hash of their content.
import { build } from "esbuild";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("usage: node build.mjs OUTPUT_FOLDER");
  process.exit(2);
}

const pictures = (await readdir(join(here, "static/gallery"))).filter((name) => name.endsWith(".webp")).map((name) => name.replace(/\.webp$/, ""));
const assets = join(out, "assets");
await rm(assets, { recursive: true, force: true });
await mkdir(assets, { recursive: true });
await build({
  entryPoints: { app: join(here, "src/main.ts"), draw: join(here, "src/draw.ts"), "app-style": join(here, "src/style.css"), "count-worker": join(here, "src/view/fields/count_worker.ts") },
  outdir: assets,
  bundle: true,
  format: "esm",
  splitting: true,
  chunkNames: "[name]-[hash]",
  define: { GALLERY_PICTURES: JSON.stringify(pictures) },
  target: ["chrome100", "firefox100", "safari15.4"],
  minify: true,
  legalComments: "eof",
  logLevel: "warning",
});
await cp(join(here, "static/index.html"), join(out, "index.html"));
await cp(join(here, "static/draw.html"), join(assets, "draw.html"));
await cp(join(here, "static/icon.svg"), join(assets, "icon.svg"));
await cp(join(here, "static/gallery"), join(assets, "gallery"), { recursive: true, filter: (path) => !path.endsWith(".json") });
await cp(join(here, "static/pages.css"), join(assets, "pages.css"));
