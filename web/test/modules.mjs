// Bundles modules of the dashboard for Node and imports them: tests run the TypeScript as it is shipped.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

export async function load(path) {
  const result = await build({ entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))], bundle: true, format: "esm", write: false, platform: "neutral" });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString("base64")}`);
}
